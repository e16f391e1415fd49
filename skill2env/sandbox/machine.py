"""What this machine can do for the set-up: its distribution, its rights, its packages and its processes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from skill2env.errors import EngineDown

Report = Callable[[str], None]
"""Takes one line that tells a person what is being done."""

DEBIAN_FAMILY = frozenset({"debian", "ubuntu"})


def may_install(os_release: Path = Path("/etc/os-release")) -> bool:
    """Whether Debian packages can be installed here: root, on Debian, Ubuntu or a descendant."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None or not os_release.is_file():
        return False
    fields = dict(line.split("=", 1) for line in os_release.read_text("utf-8").splitlines() if "=" in line)
    names = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split()
    return not DEBIAN_FAMILY.isdisjoint(names)


def apt_install(packages: Sequence[str], report: Report, timeout_sec: float = 600) -> None:
    """Install Debian packages without questions.

    A failing ``apt-get update`` is passed over: a third-party source that is away does no harm while
    Debian's own answers, and if that is away too the installation says so.

    Raises:
        EngineDown: apt-get failed or took longer than `timeout_sec` for one of its two steps.
    """
    names = " ".join(packages)
    report(f"installing {names} with apt-get")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    try:
        for command in (["apt-get", "update", "-q"], install):
            done = subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_sec,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise EngineDown(
            f"apt-get took more than {timeout_sec:.0f} s for {names}: install it by hand and try again."
        ) from error
    if done.returncode != 0:
        raise EngineDown(
            f"apt-get could not install {names}: {last_line(done.stderr)} Install it by hand and try again."
        )


def last_line(text: str) -> str:
    """The last line of a program's output that says something, at most 300 characters."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "(no output)"


def runs_systemd(run: Path = Path("/run")) -> bool:
    """Whether systemd manages this machine's services; the test is that of sd_booted(3)."""
    return (run / "systemd" / "system").is_dir()


def live_processes(name: str, proc: Path = Path("/proc")) -> tuple[int, ...]:
    """Ids of the processes called `name` that are alive, in ascending order; zombies are not."""
    return tuple(sorted(pid for pid in _pids(proc) if process_name(pid, proc) == name))


def process_name(pid: int, proc: Path = Path("/proc")) -> str | None:
    """The kernel's name of a living process, at most 15 characters; None when it is dead or a zombie."""
    try:
        stat = (proc / str(pid) / "stat").read_text("utf-8", errors="replace")
    except OSError:
        return None
    # The name stands in brackets and may hold any character, brackets and blanks too.
    name, _, rest = stat.partition("(")[2].rpartition(")")
    return None if rest.split()[:1] in (["Z"], ["X"]) else name


def command_line(pid: int, proc: Path = Path("/proc")) -> tuple[str, ...]:
    """The arguments that a process was started with; empty when it is gone."""
    try:
        data = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(part.decode("utf-8", errors="replace") for part in data.split(b"\0") if part)


def somebody_listens(path: Path, timeout_sec: float = 2) -> bool:
    """Whether a process accepts connections on a Unix socket; False when the file is absent or left over."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(timeout_sec)
        try:
            client.connect(str(path))
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def _pids(proc: Path) -> list[int]:
    return [int(entry.name) for entry in proc.iterdir() if entry.name.isdigit()]
