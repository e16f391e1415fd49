"""The unprivileged user that delivered programs run as, and being rid of all that they did."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

CHILD_UID = 2000
_CONNECTIONS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_KILL_ROUNDS = 100
_HANDLES = 256
_IPC = (("shm", 1), ("sem", 2), ("msg", 1))
"""Kinds of System V objects, and which argument of their `...ctl` call is the command."""


class Unkillable(Exception):
    """What was delivered outlives every attempt to be rid of it; nothing in this container can be trusted any more."""


def become_child_user() -> None:
    """Give up root in this process for good."""
    os.setgroups([])
    os.setgid(CHILD_UID)
    os.setuid(CHILD_UID)


@contextlib.contextmanager
def ends_here() -> Iterator[None]:
    """End this forked process with the block, whatever happens in it: its parent's code is not its own to go on with."""
    try:
        yield
    finally:
        os._exit(0)


class _Killer:
    """A process, forked before it is needed, that becomes the unprivileged user and kills all that runs as it.

    Forked ahead, because a delivered fork bomb leaves no room for another process.
    """

    def __init__(self) -> None:
        self._pid = 0
        self._trigger = -1

    def renew(self) -> None:
        """Fork a new one; an older one, which belongs to the parent process or has done its work, is let go."""
        if self._trigger >= 0:
            os.close(self._trigger)
        reader, self._trigger = os.pipe()
        self._pid = fork_at_last()
        if self._pid == 0:
            with ends_here():
                os.dup2(reader, 0)
                os.closerange(1, _HANDLES)
                if os.read(0, 1):
                    become_child_user()
                    os.kill(-1, signal.SIGKILL)
        os.close(reader)

    def fire(self) -> None:
        """Kill every process of the unprivileged user."""
        if not self._pid:
            self.renew()
        with contextlib.suppress(BrokenPipeError):
            os.write(self._trigger, b"!")
        os.waitpid(self._pid, 0)
        self.renew()


KILLER = _Killer()


def fork_at_last() -> int:
    """Fork, and where dead processes still take all the room, wait until they are reaped.

    Raises:
        Unkillable: they are not reaped within a second or so.
    """
    for _ in range(_KILL_ROUNDS):
        with contextlib.suppress(BlockingIOError):
            return os.fork()
        time.sleep(0.01)
    raise Unkillable("delivered programs leave no room for another process")


def kill_children() -> None:
    """Kill every process of the unprivileged user, all at once and again until none is left.

    Raises:
        Unkillable: they outlive a hundred rounds.
    """
    for _ in range(_KILL_ROUNDS):
        if not _children():
            return
        KILLER.fire()
        time.sleep(0.002)
    raise Unkillable("processes of delivered programs can't be killed")


def _children() -> bool:
    """Return whether a process of the unprivileged user is alive; zombies are not.

    Only its status tells whose it is: of most of its files in /proc a process can make root the owner (prctl PR_SET_DUMPABLE).
    """
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            lines = Path(entry.path, "status").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        status = dict(line.split(":", 1) for line in lines if ":" in line)
        if str(CHILD_UID) in status["Uid"].split() and not status["State"].strip().startswith("Z"):
            return True
    return False


def forget_ipc() -> None:
    """Remove the System V objects of the unprivileged user, which outlive their processes."""
    known = [(kind, at, _ipc_ids(kind)) for kind, at in _IPC]
    if not any(ids for _, _, ids in known):
        return
    libc = ctypes.CDLL(None)
    remover = os.fork()
    if remover == 0:
        with ends_here():
            become_child_user()
            for kind, at, ids in known:
                control = getattr(libc, f"{kind}ctl")
                for number in ids:
                    control(number, *([0] * (at - 1)), 0, None)
    os.waitpid(remover, 0)


def _ipc_ids(kind: str) -> list[int]:
    """Return the ids in /proc/sysvipc, whose second column they are."""
    try:
        lines = Path("/proc/sysvipc", kind).read_text().splitlines()
    except OSError:
        return []
    return [int(line.split()[1]) for line in lines[1:]]


def wait_for_connections() -> None:
    """Wait until the network has forgotten the connections of processes that are dead, or a port may not be free.

    Raises:
        Unkillable: it has not after a second or so.
    """
    for _ in range(_KILL_ROUNDS):
        if not any(len(table.read_text().splitlines()) > 1 for table in _CONNECTIONS if table.exists()):
            return
        time.sleep(0.01)
    raise Unkillable("connections of delivered programs linger")


def empty(folder: Path) -> bool:
    """Remove all that is in a folder, however deep or many, and return whether it is empty now."""
    for entry in list(os.scandir(folder)):
        remove(Path(entry.path))
    return not any(os.scandir(folder))


def remove(path: Path) -> None:
    """Remove a file or a folder, however deep; what resists is left."""
    with contextlib.suppress(OSError, RecursionError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    if os.path.lexists(path):  # rmtree recurses, and a program may nest deeper than it can
        subprocess.run(("/usr/bin/find", path, "-xdev", "-delete"), stderr=subprocess.DEVNULL, check=False)
