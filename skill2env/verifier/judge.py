"""The judge: takes sets of outputs, runs the hidden tests over each in a child of its own, and says what it saw.

Two ways in. `serve` talks over standard input and output with the driver, many sets one after the other, each with a nonce.
`grade_in_place` is for Harbor's separate verifier: one set, lying at its own paths, and a reward file at the end.
Nothing that was delivered runs in this process or as this user; between two sets every process of the other user is dead
and every place that it could write to is new.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import select
import signal
import stat
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .delivered import CHILD_UID, become_child_user, empty

TESTS = Path("/tests")
OUTPUTS = Path("/outputs")
SCRATCH = Path("/scratch")
WRITABLE = (OUTPUTS, SCRATCH, *map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")))
"""Every place that the unprivileged user can write to, and those of root that it may have been given a part of."""
REWARDS = Path("/logs/verifier")
MAX_FILE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_ENTRIES = 2000
MAX_DEPTH = 32
_VERDICT_BYTES = 8 << 20
_BLAME_SEC = 15
_KILL_ROUNDS = 100
_HANDLES = 256
_IPC = (("shm", 1), ("sem", 2), ("msg", 1))
"""Kinds of System V objects, and which argument of their `...ctl` call is the command."""


class Refused(Exception):
    """The outputs hold something that is never judged; the agent's fault."""


class Unkillable(Exception):
    """What was delivered outlives every attempt to be rid of it; nothing in this container can be trusted any more."""


def serve(source: BinaryIO, verdicts: BinaryIO) -> None:
    """Judge sets until the input ends: a JSON line (nonce, bytes, timeout_sec) and a tar; answer with one JSON line.

    The first line out says that the judge stands: what fails before it cannot be the doing of any outputs.
    """
    import pytest  # noqa: F401  # loaded once, so that each child starts with it

    _answer(verdicts, {"ready": True})
    while line := source.readline():
        request = json.loads(line)
        archive = source.read(request["bytes"])
        try:
            answer = judge(archive, request["timeout_sec"])
        except Unkillable as error:
            _answer(verdicts, {"nonce": request["nonce"], **_verdict(None, str(error))})
            return
        _answer(verdicts, {"nonce": request["nonce"], **answer})


def _answer(verdicts: BinaryIO, answer: dict[str, Any]) -> None:
    verdicts.write(json.dumps(answer).encode() + b"\n")
    verdicts.flush()


def judge(archive: bytes, timeout_sec: float) -> dict[str, Any]:
    """Return the verdict on a tar of outputs: status, reward, partial_reward, checks, reason, tests_sec.

    Raises:
        Unkillable: what was delivered can't be killed.
    """
    began = time.monotonic()
    _renew()
    _place(archive)
    seen, reason = _run_tests(timeout_sec)
    if seen and seen["harness_error"]:
        seen, reason = _blame(seen)
    kill_children()
    verdict = _verdict(seen, reason)
    return {**verdict, "tests_sec": time.monotonic() - began}


def _blame(seen: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return what was seen if the tests are at fault, or nothing and the reason if the outputs are.

    Tests that break over nothing at all are broken. Tests that only break over these outputs were broken by them, and
    that must not turn a failure into a sample that is dropped.
    """
    _renew()
    again, _ = _run_tests(_BLAME_SEC)
    if again is None or again["harness_error"]:
        return seen, ""
    return None, f"the outputs stopped the tests: {seen['harness_error']}"


def _verdict(seen: dict[str, Any] | None, reason: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {"reward": 0.0, "partial_reward": 0.0, "checks": []}
    if seen is None:
        return {**nothing, "status": "agent_fault", "reason": reason}
    if seen["harness_error"]:
        return {**nothing, "status": "no_verdict", "reason": seen["harness_error"]}
    checks = seen["checks"]
    graded = [check for check in checks if check["kind"] == "check"]
    if not graded:
        return {**nothing, "status": "no_verdict", "reason": "tests/test_outputs.py has no check"}
    guarded = all(check["passed"] for check in checks if check["kind"] == "guard")
    whole = sum(check["weight"] for check in graded)
    held = sum(check["weight"] for check in graded if check["passed"])
    passed = guarded and held == whole
    return {
        "status": "pass" if passed else "fail",
        "reward": 1.0 if passed else 0.0,
        "partial_reward": held / whole if guarded else 0.0,
        "checks": checks,
        "reason": "",
    }


def _renew() -> None:
    """Empty every place that a delivered program could write to."""
    kill_children()
    _forget_ipc()
    for folder in (OUTPUTS, SCRATCH):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in filter(Path.is_dir, WRITABLE):
        if not empty(folder):
            raise Unkillable(f"what delivered programs left in {folder} can't be removed")
    (OUTPUTS / "workspace").mkdir()
    SCRATCH.chmod(0o711)


def _forget_ipc() -> None:
    """Remove the System V objects of the unprivileged user, which outlive their processes."""
    known = [(kind, at, _ipc_ids(kind)) for kind, at in _IPC]
    if not any(ids for _, _, ids in known):
        return
    libc = ctypes.CDLL(None)
    remover = os.fork()
    if remover == 0:
        with _ends_here():
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


def _place(archive: bytes) -> None:
    """Write the outputs, which the driver has collected by type, as files of root that others can only read."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for info in tar:
            target = OUTPUTS / info.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if info.isdir():
                target.mkdir(exist_ok=True)
                continue
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
            source = tar.extractfile(info)
            with os.fdopen(handle, "wb") as file:
                file.write(source.read() if source else b"")
            target.chmod(0o755 if info.mode & 0o100 else 0o644)


def _run_tests(timeout_sec: float) -> tuple[dict[str, Any] | None, str]:
    """Run pytest in a child; return what its plugin saw, or None and why there is nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with _ends_here():
            os.close(reader)
            _test(writer)
    os.close(writer)
    report = bytearray()
    deadline = time.monotonic() + timeout_sec
    reason = ""
    while True:
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([reader], [], [], wait)[0]:
            reason = f"judging the outputs took more than {timeout_sec:.0f} s"
            break
        data = os.read(reader, 1 << 16)
        report += data
        if not data or len(report) > _VERDICT_BYTES:
            break
    os.close(reader)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if reason:
        return None, reason
    try:
        seen: dict[str, Any] = json.loads(report)
    except ValueError:
        return None, "judging the outputs killed the tests"
    return seen, ""


def _test(writer: int) -> None:
    """Run the tests in this process; its report is written only when all of them are done."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    KILLER.renew()
    os.environ.clear()
    os.environ.update(
        {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    )
    import pytest

    from . import plugin

    seen = plugin.Seen()
    options = ["-q", "-p", "no:cacheprovider", "--noconftest", "--import-mode=importlib"]
    where = [
        f"--rootdir={TESTS}",
        "-c",
        str(TESTS / "verifier" / "pytest.ini"),
        str(TESTS / "test_outputs.py"),
    ]
    seen.ended(int(pytest.main([*options, *where], plugins=[seen, plugin])))
    kill_children()
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(json.dumps(seen.report()).encode())


@contextlib.contextmanager
def _ends_here() -> Iterator[None]:
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
        self._pid = _fork_at_last()
        if self._pid == 0:
            with _ends_here():
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


def _fork_at_last() -> int:
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

    The owner of the folder in /proc says nothing: a process can make root its owner (prctl PR_SET_DUMPABLE).
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


def grade_in_place(outputs: list[str], timeout_sec: float) -> None:
    """Judge the outputs where they lie and write Harbor's reward files; a broken harness writes none."""
    KILLER.renew()
    try:
        answer = judge(_gather(outputs), timeout_sec)
    except (Refused, Unkillable) as refused:
        answer = _verdict(None, str(refused))
    if answer["status"] == "no_verdict":
        sys.exit(f"no verdict: {answer['reason']}")
    REWARDS.mkdir(parents=True, exist_ok=True)
    (REWARDS / "reward-details.json").write_text(json.dumps(answer, indent=1))
    (REWARDS / "reward.json").write_text(json.dumps({"reward": answer["reward"]}))


def _gather(outputs: list[str]) -> bytes:
    """Return a tar of the declared outputs that exist, by type: regular files and folders, never through a link."""
    buffer = io.BytesIO()
    left = [MAX_TOTAL_BYTES, MAX_ENTRIES]
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for output in outputs:
            if os.path.lexists(output):
                try:
                    _add(tar, Path(output), left, 0)
                except OSError as error:
                    raise Refused(f"{output} can't be read: {error.strerror}") from error
    return buffer.getvalue()


def _add(tar: tarfile.TarFile, path: Path, left: list[int], depth: int) -> None:
    found = path.lstat()
    left[0] -= found.st_size if stat.S_ISREG(found.st_mode) else 0
    left[1] -= 1
    if min(left) < 0 or depth > MAX_DEPTH or found.st_size > MAX_FILE_BYTES:
        raise Refused(f"{path} is too big, too deep, or one too many")
    info = tarfile.TarInfo(str(path).lstrip("/"))
    info.mode = found.st_mode & 0o777
    if stat.S_ISDIR(found.st_mode):
        info.type = tarfile.DIRTYPE
        tar.addfile(info)
        for entry in sorted(path.iterdir()):
            _add(tar, entry, left, depth + 1)
    elif stat.S_ISREG(found.st_mode):
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    else:
        raise Refused(f"{path} is no regular file or folder")


def main() -> None:
    """Serve the driver; with `--in-place`, grade for Harbor by tests/judge.json."""
    TESTS.chmod(0o700)
    if "--in-place" in sys.argv:
        settings = json.loads((TESTS / "judge.json").read_text())
        grade_in_place(settings["outputs"], settings["timeout_sec"])
        return
    verdicts = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    KILLER.renew()
    serve(sys.stdin.buffer, verdicts)
