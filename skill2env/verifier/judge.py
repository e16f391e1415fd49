"""The judge: takes sets of outputs, has the hidden tests run over each in a process of its own, and says what it saw.

It talks over standard input and output with the driver, many sets one after the other, each with a nonce; in_place.py is
Harbor's way in.
Nothing that was delivered runs in this process or as this user; between two sets every process of the other user is dead
and every place that it could write to is new.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
import time
from pathlib import Path
from typing import Any, BinaryIO

from .children import KILLER, Unkillable, empty, forget_ipc, kill_children, wait_for_connections
from .collected import TESTS, Collected

OUTPUTS = Path("/outputs")
SCRATCH = Path("/scratch")
WRITABLE = (OUTPUTS, SCRATCH, *map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")))
"""Every place that the unprivileged user can write to, and those of root that it may have been given a part of."""
_BLAME_SEC = 15


def serve(source: BinaryIO, verdicts: BinaryIO) -> None:
    """Judge sets until the input ends: a JSON line (nonce, bytes, timeout_sec) and a tar; answer with one JSON line.

    The first line out says that the judge stands: what fails before it cannot be the doing of any outputs.
    """
    tests = Collected()
    _answer(verdicts, {"ready": True})
    while line := source.readline():
        request = json.loads(line)
        archive = source.read(request["bytes"])
        try:
            renew()
        except Unkillable:
            return  # an earlier set's doing: without an answer, this one gets a judge of its own
        try:
            answer = judge(tests, archive, request["timeout_sec"], request.get("fail_fast", False))
        except Unkillable as error:
            _answer(verdicts, {"nonce": request["nonce"], **verdict_on(None, str(error))})
            return
        _answer(verdicts, {"nonce": request["nonce"], **answer})


def _answer(verdicts: BinaryIO, answer: dict[str, Any]) -> None:
    verdicts.write(json.dumps(answer).encode() + b"\n")
    verdicts.flush()


def judge(tests: Collected, archive: bytes, timeout_sec: float, fail_fast: bool = False) -> dict[str, Any]:
    """Return the verdict on a tar of outputs: status, reward, partial_reward, checks, reason, tests_sec.

    With `fail_fast`, tests after the first failed one are not run. Everything must be new (`renew`).

    Raises:
        Unkillable: what was delivered can't be killed.
    """
    began = time.monotonic()
    tests.wait()
    _place(archive)
    seen, reason = tests.run(timeout_sec, fail_fast)
    if seen and seen["harness_error"]:
        seen, reason = _blame(tests, seen)
    kill_children()
    verdict = verdict_on(seen, reason)
    return {**verdict, "tests_sec": time.monotonic() - began}


def _blame(tests: Collected, seen: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return what was seen if the tests are at fault, or nothing and the reason if the outputs are.

    Tests that break over nothing at all are broken. Tests that only break over these outputs were broken by them, and
    that must not turn a failure into a sample that is dropped.
    """
    renew()
    again, _ = tests.run(_BLAME_SEC, fail_fast=False)
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


def main() -> None:
    """Serve the driver."""
    TESTS.chmod(0o700)
    verdicts = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    KILLER.renew()
    serve(sys.stdin.buffer, verdicts)
