"""The judge: takes sets of outputs, runs the hidden tests over each in a child of its own, and says what it saw.

It talks over standard input and output with the driver, many sets one after the other, each with a nonce; in_place.py is
Harbor's way in.
Nothing that was delivered runs in this process or as this user; between two sets every process of the other user is dead
and every place that it could write to is new.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import sys
import tarfile
import time
from pathlib import Path
from typing import Any, BinaryIO

from .children import KILLER, Unkillable, empty, ends_here, forget_ipc, kill_children, wait_for_connections

TESTS = Path("/tests")
OUTPUTS = Path("/outputs")
SCRATCH = Path("/scratch")
WRITABLE = (OUTPUTS, SCRATCH, *map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")))
"""Every place that the unprivileged user can write to, and those of root that it may have been given a part of."""
_UNUSED = (
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "nose",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
)
"""Plugins of pytest that no test of ours needs; setting them up takes a fifth of a judgement's time."""
_VERDICT_BYTES = 8 << 20
_BLAME_SEC = 15
_REASON = 600


def serve(source: BinaryIO, verdicts: BinaryIO) -> None:
    """Judge sets until the input ends: a JSON line (nonce, bytes, timeout_sec) and a tar; answer with one JSON line.

    The first line out says that the judge stands: what fails before it cannot be the doing of any outputs.
    """
    import pytest  # noqa: F401  # loaded once, so that each child starts with it

    from . import plugin  # noqa: F401

    _answer(verdicts, {"ready": True})
    while line := source.readline():
        request = json.loads(line)
        archive = source.read(request["bytes"])
        try:
            renew()
        except Unkillable:
            return  # an earlier set's doing: without an answer, this one gets a judge of its own
        try:
            answer = judge(archive, request["timeout_sec"], request.get("fail_fast", False))
        except Unkillable as error:
            _answer(verdicts, {"nonce": request["nonce"], **verdict_on(None, str(error))})
            return
        _answer(verdicts, {"nonce": request["nonce"], **answer})


def _answer(verdicts: BinaryIO, answer: dict[str, Any]) -> None:
    verdicts.write(json.dumps(answer).encode() + b"\n")
    verdicts.flush()


def judge(archive: bytes, timeout_sec: float, fail_fast: bool = False) -> dict[str, Any]:
    """Return the verdict on a tar of outputs: status, reward, partial_reward, checks, reason, tests_sec.

    With `fail_fast`, tests after the first failed one are not run. Everything must be new (`renew`).

    Raises:
        Unkillable: what was delivered can't be killed.
    """
    began = time.monotonic()
    _place(archive)
    seen, reason = _run_tests(timeout_sec, fail_fast)
    if seen and seen["harness_error"]:
        seen, reason = _blame(seen)
    kill_children()
    verdict = verdict_on(seen, reason)
    return {**verdict, "tests_sec": time.monotonic() - began}


def _blame(seen: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return what was seen if the tests are at fault, or nothing and the reason if the outputs are.

    Tests that break over nothing at all are broken. Tests that only break over these outputs were broken by them, and
    that must not turn a failure into a sample that is dropped.
    """
    renew()
    again, _ = _run_tests(_BLAME_SEC, fail_fast=False)
    if again is None or again["harness_error"]:
        return seen, ""
    return None, f"the outputs stopped the tests: {seen['harness_error']}"


def verdict_on(seen: dict[str, Any] | None, reason: str) -> dict[str, Any]:
    """Return the verdict on what the tests saw; nothing seen is the agent's fault, for the reason given."""
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
    if whole <= 0:
        return {
            **nothing,
            "status": "no_verdict",
            "reason": "the checks of tests/test_outputs.py weigh nothing",
        }
    held = sum(check["weight"] for check in graded if check["passed"])
    passed = guarded and held == whole
    return {
        "status": "pass" if passed else "fail",
        "reward": 1.0 if passed else 0.0,
        "partial_reward": held / whole if guarded else 0.0,
        "checks": checks,
        "reason": "",
    }


def renew() -> None:
    """Kill all that delivered programs have started, and empty every place that they could write to.

    Raises:
        Unkillable: something stays.
    """
    kill_children()
    forget_ipc()
    wait_for_connections()
    for folder in (OUTPUTS, SCRATCH):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in filter(Path.is_dir, WRITABLE):
        if not empty(folder):
            raise Unkillable(f"what delivered programs left in {folder} can't be removed")
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


def _run_tests(timeout_sec: float, fail_fast: bool) -> tuple[dict[str, Any] | None, str]:
    """Run pytest in a child; return what its plugin saw, or None and why there is nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with ends_here():
            os.close(reader)
            _test(writer, fail_fast)
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


def _test(writer: int, fail_fast: bool) -> None:
    """Run the tests in this process; its report is written only when all of them are done."""
    os.setsid()
    os.chdir("/")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    KILLER.renew()
    sys.dont_write_bytecode = (
        False  # the tests, as pytest rewrites them, are compiled once; /tests is root's alone
    )
    zone = {"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}
    os.environ.clear()
    os.environ.update(
        {
            **zone,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
    )
    import pytest

    from . import plugin

    seen = plugin.Seen()
    options = [
        "-q",
        *(f"-pno:{name}" for name in _UNUSED),
        "--noconftest",
        "--import-mode=importlib",
        *(["-x"] if fail_fast else []),
    ]
    where = [
        f"--rootdir={TESTS}",
        "-c",
        str(TESTS / "verifier" / "pytest.ini"),
        str(TESTS / "test_outputs.py"),
    ]
    try:
        seen.ended(int(pytest.main([*options, *where], plugins=[seen, plugin])))
        report = seen.report()
    except Exception as error:  # whatever breaks the run itself: whose fault it is, `_blame` finds out
        report = {"checks": [], "harness_error": f"the tests can't be run: {error!r}"[:_REASON]}
    kill_children()
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(json.dumps(report).encode())


def main() -> None:
    """Serve the driver."""
    TESTS.chmod(0o700)
    verdicts = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    KILLER.renew()
    serve(sys.stdin.buffer, verdicts)
