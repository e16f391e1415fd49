"""What an agent delivered, brought to life at arm's length: as another user, in a scratch folder, under limits.

Nothing delivered is imported, sourced or unpickled, and git never runs in a delivered folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import os
import resource
import select
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .children import CHILD_UID, become_child_user, kill_children, remove
from .left_behind import files_left
from .readers import fail, read_bytes

SCRATCH = Path("/scratch")
MAX_OUTPUT_BYTES = 1 << 20
MAX_FILE_BYTES = 32 << 20
MAX_MEMORY_BYTES = 2 << 30
MAX_PROCESSES = 64
_PIDS_LIMITS = (Path("/sys/fs/cgroup/pids/pids.max"), Path("/sys/fs/cgroup/pids.max"))
_NO_NEW_PRIVS = 38
_libc = ctypes.CDLL(None)

Content = str | bytes | Path
_services: list[int] = []


@dataclass(frozen=True)
class Result:
    """What a delivered program did."""

    code: int
    """Exit code; negative for a signal."""
    out: str
    """Standard output, at most 1 MB."""
    err: str
    """Standard error, at most 1 MB."""
    timed_out: bool
    """It was killed because time ran out."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Regular files of the scratch folder afterwards, the given ones included."""


def run(
    argv: Sequence[str | Path],
    cwd: str | None = None,
    stdin: Content | None = None,
    files: Mapping[str, Content] | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 10,
) -> Result:
    """Run a delivered program and return what it did; all that it started is dead afterwards.

    `cwd` is relative to the scratch folder, in which `files` lie; `timeout` is in seconds.
    """
    with _scratch(files or {}) as (folder, private):
        fed = private / "in"
        fed.write_bytes(_bytes(stdin) if stdin is not None else b"")
        process = _start(argv, folder / (cwd or "."), env, folder, private)
        timed_out = not _ended(process, timeout)
        _end(process)
        out, err = (_capped(private / name) for name in ("out", "err"))
        return Result(process.returncode, out, err, timed_out, files_left(folder))


def _ended(process: subprocess.Popen[bytes], timeout: float) -> bool:
    """Wait until a program ends, and return whether it did in time; its end is noticed at once, not at the next look."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # a kernel or a seccomp profile without it
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout)
        return process.returncode is not None
    try:
        return bool(select.select([handle], [], [], timeout)[0])
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    """Status code."""
    headers: dict[str, str]
    """Headers, names in lower case."""
    body: str
    """Body as text, at most 1 MB."""


@dataclass(frozen=True)
class Service:
    """A delivered service that listens on loopback."""

    port: int
    """Its port."""
    timeout: float
    """Seconds that one request may take."""

    def get(self, path: str) -> Answer:
        """Return the answer to a GET."""
        return self.request("GET", path)

    def request(
        self,
        method: str,
        path: str,
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return the answer to a request; no answer fails the test."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            connection.request(method, path, body=body, headers=dict(headers or {}))
            answer = connection.getresponse()
            text = answer.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
        except (OSError, http.client.HTTPException) as error:
            fail(f"the service gave no answer to {method} {path}: {error!r}")
        finally:
            connection.close()


@contextlib.contextmanager
def serve(
    argv: Sequence[str | Path],
    port: int,
    files: Mapping[str, Content] | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 10,
) -> Iterator[Service]:
    """Start a delivered service, wait until its port accepts, and end all of it when the block ends."""
    with _scratch(files or {}) as (folder, private):
        (private / "in").touch()
        process = _start(argv, folder, env, folder, private)
        _services.append(process.pid)
        try:
            _wait_for(port, process, timeout, private)
            yield Service(port, timeout)
        finally:
            _services.remove(process.pid)
            _end(process)


def _wait_for(port: int, process: subprocess.Popen[bytes], timeout: float, private: Path) -> None:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if process.poll() is not None:
            fail(f"the service ended with exit code {process.returncode}: {_capped(private / 'err')[-300:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.02)
    fail(f"the service did not listen on port {port} within {timeout:.0f} s")


def regular_files(folder: Path) -> Iterator[Path]:
    """Yield regular files below a folder, never through a link."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            file = Path(place, name)
            if stat.S_ISREG(file.lstat().st_mode):
                yield file


def _bytes(content: Content) -> bytes:
    if isinstance(content, Path):
        return read_bytes(content)
    return content.encode() if isinstance(content, str) else content


@contextlib.contextmanager
def _scratch(files: Mapping[str, Content]) -> Iterator[tuple[Path, Path]]:
    """Give a fresh folder of the other user with the files in it, and one of root's beside it."""
    folder = Path(tempfile.mkdtemp(dir=SCRATCH))
    private = Path(tempfile.mkdtemp(dir=SCRATCH))
    for name, content in files.items():
        target, data = folder / name, _bytes(content)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if data.startswith(b"#!"):
            target.chmod(0o755)
    give_to_child(folder)
    try:
        yield folder, private
    finally:
        remove(folder)
        remove(private)


def give_to_child(folder: Path) -> None:
    """Make the unprivileged user the owner of a folder and all in it."""
    for place, folders, names in os.walk(folder, topdown=False):
        for name in (*folders, *names):
            os.chown(Path(place, name), CHILD_UID, CHILD_UID, follow_symlinks=False)
    os.chown(folder, CHILD_UID, CHILD_UID)


def _become_child() -> None:
    """In the child, before it becomes the program: bounds on everything, first in line when memory runs out, another user."""
    os.umask(0o022)
    _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    for what, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, MAX_FILE_BYTES),
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(what, (value, value))
    if _processes_are_ours_to_limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
    become_child_user()


def _processes_are_ours_to_limit() -> bool:
    """Return whether nothing else bounds the number of processes, as a container of ours does.

    RLIMIT_NPROC is the second choice: the kernel counts a user's processes over all containers of the host, so
    that a fork bomb in one judge would starve the programs in another.
    """
    return not any(limit.is_file() and limit.read_text().strip().isdigit() for limit in _PIDS_LIMITS)


def _start(
    argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None, home: Path, private: Path
) -> subprocess.Popen[bytes]:
    plain = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
    }
    with (
        open(private / "in", "rb") as fed,
        open(private / "out", "wb") as out,
        open(private / "err", "wb") as err,
    ):
        try:
            return subprocess.Popen(
                [str(part) for part in argv],
                cwd=cwd,
                env={**plain, **(env or {})},
                stdin=fed,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_become_child,  # noqa: PLW1509  # the judge has one thread
            )
        except OSError as error:
            fail(f"{argv[0]} can't be run: {error.strerror}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group; where no service is meant to live on, every process of the user."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if not _services:
        kill_children()


def _capped(path: Path) -> str:
    with open(path, "rb") as file:
        return file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
