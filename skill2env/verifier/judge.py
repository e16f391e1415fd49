"""The judge: takes sets of outputs, runs the hidden tests over each in a child of its own, and says what it saw.

Two ways in. `serve` talks over standard input and output with the driver, many sets one after the other, each with a nonce.
`grade_in_place` is for Harbor's separate verifier: one set, lying at its own paths, and a reward file at the end.
Nothing that was delivered runs in this process or as this user; between two sets every process of the other user is dead
and every place that it could write to is new.
"""

from __future__ import annotations

import io
import json
import os
import select
import shutil
import signal
import stat
import sys
import tarfile
import time
from pathlib import Path
from typing import Any, BinaryIO

from .delivered import CHILD_UID

TESTS = Path("/tests")
OUTPUTS = Path("/outputs")
SCRATCH = Path("/scratch")
WRITABLE = (OUTPUTS, SCRATCH, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))
REWARDS = Path("/logs/verifier")
MAX_FILE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_ENTRIES = 2000
MAX_DEPTH = 32
_VERDICT_BYTES = 8 << 20


class Refused(Exception):
    """The outputs hold something that is never judged; the agent's fault."""


def serve(source: BinaryIO, verdicts: BinaryIO) -> None:
    """Judge sets until the input ends: a JSON line (nonce, bytes, timeout_sec) and a tar; answer with one JSON line."""
    import pytest  # noqa: F401  # loaded once, so that each child starts with it

    while line := source.readline():
        request = json.loads(line)
        archive = source.read(request["bytes"])
        answer = judge(archive, request["timeout_sec"])
        verdicts.write(json.dumps({"nonce": request["nonce"], **answer}).encode() + b"\n")
        verdicts.flush()


def judge(archive: bytes, timeout_sec: float) -> dict[str, Any]:
    """Return the verdict on a tar of outputs: status, reward, partial_reward, checks, reason, tests_sec."""
    began = time.monotonic()
    _renew()
    _place(archive)
    seen, reason = _run_tests(timeout_sec)
    kill_children()
    verdict = _verdict(seen, reason)
    return {**verdict, "tests_sec": time.monotonic() - began}


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
    for folder in WRITABLE:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    (OUTPUTS / "workspace").mkdir()
    SCRATCH.chmod(0o711)


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
        os.close(reader)
        _test_and_exit(writer)
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
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if reason:
        return None, reason
    try:
        seen: dict[str, Any] = json.loads(report)
    except ValueError:
        return None, "judging the outputs killed the tests"
    return seen, ""


def _test_and_exit(writer: int) -> None:
    """Run the tests in this process and end it; its report is written only when all of them are done."""
    os.setsid()
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
    os._exit(0)


def kill_children() -> None:
    """Kill every process of the unprivileged user, all at once and again until none is left.

    Raises:
        RuntimeError: they outlive a hundred rounds.
    """
    for _ in range(100):
        if not _children():
            return
        killer = os.fork()
        if killer == 0:
            os.setgroups([])
            os.setgid(CHILD_UID)
            os.setuid(CHILD_UID)
            os.kill(-1, signal.SIGKILL)
            os._exit(0)
        os.waitpid(killer, 0)
        time.sleep(0.002)
    raise RuntimeError("processes of delivered programs can't be killed")


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
    try:
        answer = judge(_gather(outputs), timeout_sec)
    except Refused as refused:
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
                _add(tar, Path(output), left, 0)
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
    if "--in-place" in sys.argv:
        settings = json.loads((TESTS / "judge.json").read_text())
        grade_in_place(settings["outputs"], settings["timeout_sec"])
        return
    verdicts = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    serve(sys.stdin.buffer, verdicts)
