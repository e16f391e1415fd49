"""An engine without an engine: local processes in a temporary folder, for unit tests of what runs in sandboxes.

It isolates nothing and limits nothing. Scripts use relative paths; `/workspace/...` in `put`, `get` and `kind` is a folder
inside the temporary one.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import select
import shutil
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.protocol import Kind, NoSuchPath, SandboxSpec

WORKSPACE = "workspace"
_CHUNK = 1 << 16
_SEND_SEC = 60
_ENV = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


class FakeStream:
    """A local process's standard input and output, standard error among it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Take over a process that was started with pipes."""
        assert process.stdin and process.stdout
        self._process = process
        self._input = process.stdin.fileno()
        self._output = process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._closed = False

    def send(self, data: bytes) -> None:
        """Write to its standard input; raises EngineError where it is gone."""
        view = memoryview(data)
        while view:
            if self._closed or not _ready(self._input, select.POLLOUT, _SEND_SEC):
                raise EngineError("the process takes no input")
            try:
                view = view[os.write(self._input, view[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise EngineError(f"the process's input is closed ({error})") from error

    def receive(self, timeout: float) -> bytes:
        """Return some bytes of its output, or b"" at the end; raises TimeoutError after `timeout` seconds."""
        if self._closed:
            return b""
        if not _ready(self._output, select.POLLIN, timeout):
            raise TimeoutError(f"nothing came within {timeout:.0f} s")
        return os.read(self._output, _CHUNK)

    def close(self) -> None:
        """Give up the stream; the process is not waited for."""
        if not self._closed:
            self._closed = True
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]


class FakeSandbox:
    """A temporary folder, and the process groups that were started in it."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        """Begin with an empty workspace."""
        self._root = root
        self._env = {**_ENV, **env, "HOME": str(root)}
        self._started: list[tuple[subprocess.Popen[bytes], FakeStream]] = []
        self._running = True
        (root / WORKSPACE).mkdir()

    def exec(self, argv: tuple[str, ...], uid: int = 0) -> FakeStream:
        """Start a process in the workspace, always as the same user, and return its stream."""
        if not self._running:
            raise EngineError("the container is not running")
        process = subprocess.Popen(
            argv,
            cwd=self._root / WORKSPACE,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        stream = FakeStream(process)
        self._started.append((process, stream))
        return stream

    def put(self, path: str, archive: bytes) -> None:
        """Unpack a tar below an absolute folder that exists."""
        folder = self._inside(path)
        if not folder.is_dir():
            raise NoSuchPath(f"{path} is not there")
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")

    def get(self, path: str) -> Iterator[bytes]:
        """Yield the tar of a path; also after the sandbox was killed. Raises NoSuchPath."""
        if self.kind(path) is None:
            raise NoSuchPath(f"{path} is not there")
        inside, buffer = self._inside(path), io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            tar.add(inside, arcname=inside.name)
        data = buffer.getvalue()
        for at in range(0, len(data), _CHUNK):
            yield data[at : at + _CHUNK]

    def kind(self, path: str) -> Kind | None:
        """Return what stands at a path, a link not followed, or None."""
        inside = self._inside(path)
        if inside.is_symlink():
            return "link"
        if inside.is_dir():
            return "dir"
        if inside.is_file():
            return "file"
        return "other" if inside.exists() else None

    def untouched(self, path: str) -> bool:
        """Return False: it has no image that anything could be compared with."""
        return False

    def changes(self) -> tuple[str, ...]:
        """Return the absolute paths of all that is in the sandbox, which began empty but for the workspace."""
        found = (f"/{path.relative_to(self._root)}" for path in self._root.rglob("*"))
        return tuple(sorted(path for path in found if path != f"/{WORKSPACE}"))

    def written(self) -> int:
        """Return how many bytes are in the sandbox's files."""
        return sum(path.lstat().st_size for path in self._root.rglob("*") if path.is_file())

    def usage(self) -> tuple[int, int]:
        """Return no memory, and the number of process groups that still run."""
        return 0, sum(process.poll() is None for process, _ in self._started)

    def fingerprint(self) -> str | None:
        """Return a hash over paths, sizes and times."""
        found = sorted((str(path), path.lstat()) for path in self._root.rglob("*"))
        lines = (f"{path} {kind.st_size} {kind.st_mtime_ns}\n" for path, kind in found)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def running(self) -> bool:
        """Return whether the sandbox was not killed yet."""
        return self._running

    def kill(self) -> None:
        """Kill every process group of it at once; no error where it is dead already."""
        self._running = False
        for process, _ in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def close(self) -> None:
        """Kill all and close the streams."""
        self.kill()
        for _, stream in self._started:
            stream.close()

    def _inside(self, path: str) -> Path:
        if not path.startswith("/") or ".." in path.split("/"):
            raise EngineError(f"{path!r} is no absolute path")
        return self._root / PurePosixPath(path).relative_to("/")


class FakeEngine:
    """An engine of such sandboxes; `up` and `breaks` let a test take it down or break what it starts."""

    def __init__(self) -> None:
        """Begin well."""
        self.up = True
        """Whether the engine answers."""
        self.breaks = 0
        """How many more containers fail to start."""
        self.started: list[SandboxSpec] = []
        """What was asked for, in order."""

    @contextmanager
    def sandbox(self, spec: SandboxSpec) -> Iterator[FakeSandbox]:
        """Give a temporary folder with processes; all of it is gone at the end of the block."""
        self._start(spec)
        with _folder() as root:
            sandbox = FakeSandbox(root, dict(spec.env))
            try:
                yield sandbox
            finally:
                sandbox.close()

    @contextmanager
    def pipe(self, spec: SandboxSpec, argv: tuple[str, ...]) -> Iterator[FakeStream]:
        """Run a local program and talk with it; it is dead at the end of the block."""
        self._start(spec)
        with _folder() as root:
            sandbox = FakeSandbox(root, dict(spec.env))
            try:
                yield sandbox.exec(argv)
            finally:
                sandbox.close()

    def alive(self) -> bool:
        """Return whether the engine answers."""
        return self.up

    def _start(self, spec: SandboxSpec) -> None:
        self.started.append(spec)
        if not self.up:
            raise EngineDown("no engine answers")
        if self.breaks > 0:
            self.breaks -= 1
            raise EngineError("the container can't be started")


@contextmanager
def _folder() -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="skill2env-fake-"))
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _ready(handle: int, event: int, timeout: float) -> bool:
    poll = select.poll()
    poll.register(handle, event)
    return bool(poll.poll(max(timeout, 0) * 1000))
