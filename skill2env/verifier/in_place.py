"""Harbor's way in: one set of outputs, lying at its own paths in the separate verifier's container, and a reward file."""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import stat
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from .children import KILLER, Unkillable, ends_here
from .collected import TESTS, Collected
from .judge import judge, renew, verdict_on

REWARDS = Path("/logs/verifier")
MAX_FILE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_ENTRIES = 2000
MAX_DEPTH = 32
_READY = b"!"
_ANSWER_BYTES = 16 << 20
_START_SEC = 60
_GRACE_SEC = 30
"""More than the judge needs to kill what was delivered and to find out who broke the tests."""


class Refused(Exception):
    """The outputs hold something that is never judged; the agent's fault."""


def grade_in_place(outputs: list[str], timeout_sec: float) -> None:
    """Judge the outputs where they lie and write Harbor's reward files; a broken harness writes none.

    The judge is a child process. Before it looks at any outputs it says that it stands; if it is gone afterwards without an
    answer, for want of memory perhaps, the outputs broke it, and that earns 0 rather than no reward at all.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with ends_here():
            os.close(reader)
            os.setsid()
            _judge(writer, outputs, timeout_sec)
    os.close(writer)
    ready = _read(reader, 1, _START_SEC)
    said = _read(reader, _ANSWER_BYTES, timeout_sec + _GRACE_SEC) if ready else b""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _write(_answer(ready, said))


def _judge(writer: int, outputs: list[str], timeout_sec: float) -> None:
    """Judge in this process, and tell the parent on the pipe."""
    KILLER.renew()
    os.write(writer, _READY)
    try:
        archive = _gather(outputs)
        renew()
        answer = judge(Collected(), archive, timeout_sec)
    except (Refused, Unkillable) as refused:
        answer = verdict_on(None, str(refused))
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(json.dumps(answer).encode() + b"\n")


def _read(reader: int, limit: int, seconds: float) -> bytes:
    """Return what the judge says: a line, at most `limit` bytes, or what there is of it when it ends or time runs out."""
    deadline = time.monotonic() + seconds
    said = bytearray()
    while len(said) < limit and not said.endswith(b"\n"):
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([reader], [], [], wait)[0]:
            break
        data = os.read(reader, min(limit - len(said), 1 << 16))
        if not data:
            break
        said += data
    return bytes(said)


def _answer(ready: bytes, said: bytes) -> dict[str, Any]:
    """Return the judge's answer, or whose fault it is that there is none."""
    if ready != _READY:
        return {"status": "no_verdict", "reason": "the judge does not start"}
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError:
        return verdict_on(None, "the outputs broke the judge")
    return answer


def _write(answer: dict[str, Any]) -> None:
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
    """Grade by tests/judge.json."""
    TESTS.chmod(0o700)
    settings = json.loads((TESTS / "judge.json").read_text())
    grade_in_place(settings["outputs"], settings["timeout_sec"])
