"""What a container's control groups count, read where they lie on this host, without asking the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_ROOT = Path("/sys/fs/cgroup")
_MEMORY_KEYS = ("total_rss", "anon")
"""Memory that the kernel can't take back, in version 1 and in version 2 of control groups."""


def groups_of(inspected: dict[str, Any]) -> dict[str, Path]:
    """Return the folders that count a container's memory and processes, from what the engine says of it.

    Keys are `memory`, `pids` and `cpuacct`; what can't be read here is left out.
    """
    pid, container = inspected.get("State", {}).get("Pid"), str(inspected.get("Id", ""))
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return {}
    found: dict[str, Path] = {}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if container not in path:
            continue  # another machine's process that happens to have this number, or a group of everybody's
        for name in ("memory", "pids", "cpuacct"):
            folder = (_ROOT / name if name in controllers.split(",") else _ROOT) / path.lstrip("/")
            if (name in controllers.split(",") or not controllers) and folder.is_dir():
                found.setdefault(name, folder)
    return found


def counts(groups: dict[str, Path]) -> tuple[int, int] | None:
    """Return bytes of memory and the number of processes and threads; None where they can't be read."""
    try:
        lines = (groups["memory"] / "memory.stat").read_text().splitlines()
        memory = dict(line.split() for line in lines)
        processes = int((groups["pids"] / "pids.current").read_text())
    except (OSError, ValueError, KeyError):
        return None
    return next((int(memory[key]) for key in _MEMORY_KEYS if key in memory), 0), processes


def cpu_seconds(groups: dict[str, Path]) -> float | None:
    """Return the CPU seconds of all processes so far, those that have ended included; None where they can't be read."""
    try:
        folder = groups["cpuacct"]
        if (total := folder / "cpuacct.usage").exists():
            return int(total.read_text()) / 1e9
        stat = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
        return int(stat["usage_usec"]) / 1e6
    except (OSError, ValueError, KeyError):
        return None
