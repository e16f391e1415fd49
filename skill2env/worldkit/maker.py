"""Makes worlds: runs a blueprint's `world.py` once for each requested level and seed, in a child each.

Speaks over standard input and output. In: a JSON line with `blueprint`, `world` (text of world.py), `bytes` (length of a tar
of static files that follows), `timeout_sec` and `jobs` (level, seed, knobs). Out, for each job: a JSON line with `ok`,
`error`, `truth`, `facts` and `bytes`, and then a tar with `world/...` and `hidden/...`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import traceback
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path("/world")
_PIPE = 1 << 16
_MAX_BYTES = 128 << 20
_DATE = "2026-01-01T00:00:00Z"


class World:
    """What `build(world)` gets; see docs/blueprint.md."""

    def __init__(self, root: Path, blueprint: str, level: str, seed: int, knobs: dict[str, Any]) -> None:
        """Begin a world below a staging folder; the random numbers depend on blueprint and seed alone."""
        self.seed = seed
        self.level = level
        self.rng = random.Random(hashlib.sha256(f"{blueprint}:{seed}".encode()).digest())
        self.facts: dict[str, Any] = {}
        self.hidden: dict[str, bytes] = {}
        self._root = root
        self._knobs = knobs

    def knob(self, name: str) -> Any:
        """Return a knob's value at this level."""
        if name not in self._knobs:
            raise KeyError(f"blueprint.yaml has no knob {name!r}; it has {sorted(self._knobs)}")
        return self._knobs[name]

    def path(self, path: str) -> Path:
        """Return where an absolute path of the task lies in the staging tree; its folder is made."""
        if not path.startswith("/") or ".." in path.split("/"):
            raise ValueError(f"{path!r} is no absolute path of the task")
        staged = self._root / path.lstrip("/")
        staged.parent.mkdir(parents=True, exist_ok=True)
        return staged

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """Write a file."""
        staged = self.path(path)
        staged.write_bytes(content.encode() if isinstance(content, str) else content)
        staged.chmod(mode)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file written before."""
        return self.path(path).read_bytes()

    def digest(self, path: str) -> str:
        """Return the sha256 (hex) of a file written before."""
        return hashlib.sha256(self.read(path)).hexdigest()

    def mkdir(self, path: str, mode: int = 0o755) -> None:
        """Make a folder."""
        staged = self.path(path)
        staged.mkdir(parents=True, exist_ok=True)
        staged.chmod(mode)

    def symlink(self, path: str, target: str) -> None:
        """Make a symbolic link at `path` that names `target`."""
        self.path(path).symlink_to(target)

    def publish(self, name: str, value: Any) -> None:
        """Give the instruction a public fact."""
        self.facts[name] = value

    def hide(self, name: str, content: str | bytes) -> None:
        """Give the verifier a hidden file."""
        if name.startswith("/") or ".." in name.split("/"):
            raise ValueError(f"{name!r} is no relative name")
        self.hidden[name] = content.encode() if isinstance(content, str) else content

    def run(
        self,
        argv: list[str],
        cwd: str = "/workspace",
        input: str | bytes | None = None,
        env: dict[str, str] | None = None,
        check: bool = True,
    ) -> str:
        """Run a program of the toolchain in a folder of the staging tree; return its standard output."""
        folder = self.path(cwd)
        folder.mkdir(parents=True, exist_ok=True)
        plain = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/nonexistent",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Builder",
            "GIT_AUTHOR_EMAIL": "builder@example.com",
            "GIT_COMMITTER_NAME": "Builder",
            "GIT_COMMITTER_EMAIL": "builder@example.com",
            "GIT_AUTHOR_DATE": _DATE,
            "GIT_COMMITTER_DATE": _DATE,
            "SOURCE_DATE_EPOCH": "1767225600",
        }
        fed = input.encode() if isinstance(input, str) else input or b""
        done = subprocess.run(
            [str(part) for part in argv],
            cwd=folder,
            input=fed,
            capture_output=True,
            env={**plain, **(env or {})},
            check=False,
        )
        if check and done.returncode != 0:
            told = done.stderr.decode("utf-8", "replace").strip()[-500:]
            raise RuntimeError(f"{argv[0]} ended with exit code {done.returncode}: {told}")
        return done.stdout.decode("utf-8", "replace")


def _build(order: dict[str, Any], job: dict[str, Any], static: bytes) -> bytes:
    """Make one world and return the answer to it: the JSON line and the tar."""
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    (ROOT / "workspace").mkdir()
    if static:
        with tarfile.open(fileobj=io.BytesIO(static)) as tar:
            tar.extractall(ROOT)  # the driver has packed it by type
    world = World(ROOT, order["blueprint"], job["level"], job["seed"], job["knobs"])
    names: dict[str, Any] = {"__name__": "world", "__file__": "world.py"}
    exec(compile(order["world"], "world.py", "exec"), names)
    if not callable(names.get("build")):
        raise TypeError("world.py has no function build(world)")
    truth = names["build"](world)
    if not isinstance(truth, dict):
        raise TypeError(f"build(world) returned {type(truth).__name__}, not a dict")
    archive = _archive(world.hidden)
    answer = {"ok": True, "error": "", "truth": truth, "facts": world.facts, "bytes": len(archive)}
    return json.dumps(answer, allow_nan=False).encode() + b"\n" + archive


def _archive(hidden: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(ROOT, arcname="world")
        for name, data in sorted(hidden.items()):
            info = tarfile.TarInfo(f"hidden/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _failure(error: str) -> bytes:
    return (
        json.dumps({"ok": False, "error": error[-2000:], "truth": {}, "facts": {}, "bytes": 0}).encode()
        + b"\n"
    )


def _explain(error: BaseException) -> str:
    """Return the error with the line of world.py that raised it."""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "world.py"
    ]
    if isinstance(error, SyntaxError):
        lines = [error.lineno or 1]
    place = f"world.py:{lines[-1]}: " if lines else ""
    return f"{place}{type(error).__name__}: {error}"


def _one(order: dict[str, Any], job: dict[str, Any], static: bytes) -> bytes:
    """Run one job in a child; return its answer, or a failure if it dies, hangs or grows too big."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.setsid()
        try:
            answer = _build(order, job, static)
        except BaseException as error:  # whatever a stranger's code raises is its answer
            answer = _failure(_explain(error))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writer)
    answer_bytes = bytearray()
    deadline = time.monotonic() + order["timeout_sec"]
    problem = ""
    while not problem:
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([reader], [], [], wait)[0]:
            problem = f"world.py took more than {order['timeout_sec']} s"
            break
        data = os.read(reader, _PIPE)
        if not data:
            break
        answer_bytes += data
        if len(answer_bytes) > _MAX_BYTES:
            problem = f"the world has more than {_MAX_BYTES >> 20} MB"
    os.close(reader)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if problem or not answer_bytes:
        return _failure(problem or "world.py ended its own process")
    return bytes(answer_bytes)


def main() -> None:
    """Read the order, make each world, write each answer."""
    source: BinaryIO = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    order = json.loads(source.readline())
    static = source.read(order["bytes"])
    for job in order["jobs"]:
        answers.write(_one(order, job, static))
        answers.flush()
