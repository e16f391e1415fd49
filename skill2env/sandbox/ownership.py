"""Whose a container is: what its labels say, and whether that run still lives."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

LABEL = "skill2env.role"
RUN_LABEL = "skill2env.run"
DEADLINE_LABEL = "skill2env.deadline"


def abandoned(labels: dict[str, str]) -> bool:
    """Return whether nobody owns a container any more.

    A run of this host is dead when its process is. Those of other hosts on the same engine can't be seen from here,
    and are left alone until their deadline is over.
    """
    match labels.get(RUN_LABEL, "").split():
        case [where, pid, since, _] if where == host() and pid.isdigit():
            return started(int(pid)) != since
        case [_, _, _, _]:
            deadline = labels.get(DEADLINE_LABEL, "")
            return deadline.isdigit() and time.time() > int(deadline)
    return False


def host() -> str:
    """Return what tells this host, and the process numbers seen from here, from all others."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return platform.node().replace(" ", "-") or "unknown"


def started(pid: int) -> str:
    """Return when a process was started, in a form that its number's next owner does not have; `gone` without one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return "gone"
    except OSError:
        pass
    return "unknown"
