"""What an agent delivered, brought to life at arm's length: as another user, in a scratch folder, under limits.

Nothing delivered is imported, sourced or unpickled, and git never runs in a delivered folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .readers import MAX_BYTES, fail, read_bytes

CHILD_UID = 2000
SCRATCH = Path("/scratch")
MAX_OUTPUT_BYTES = 1 << 20
MAX_FILE_BYTES = 32 << 20
MAX_MEMORY_BYTES = 2 << 30
MAX_PROCESSES = 64
MAX_SCRATCH_FILES = 1000
MAX_SCRATCH_DEPTH = 32
_PIDS_LIMITS = (Path("/sys/fs/cgroup/pids/pids.max"), Path("/sys/fs/cgroup/pids.max"))
_NO_NEW_PRIVS = 38
_REF = re.compile(r"^[\w./+@-]+$")
_OBJECT = re.compile(r"^([0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(pack|idx))$")
_BRANCH = re.compile(r"^ref: (refs/heads/[\w./+@-]+)$")
_QUIET_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
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
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        _end(process)
        out, err = (_capped(private / name) for name in ("out", "err"))
        return Result(process.returncode, out, err, timed_out, _files(folder))


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


@dataclass(frozen=True)
class Repository:
    """A delivered repository's objects and refs, in a fresh repository of our own."""

    folder: Path
    """The bare repository."""
    head: str
    """What HEAD names: a branch (`main`) or a commit."""

    def git(self, *arguments: str, ok: bool = True) -> str:
        """Return what a git command prints; with `ok`, a failing command fails the test."""
        plain = ("-c", "safe.directory=*", "-c", "log.mailmap=false")
        result = run(
            ("git", *plain, *arguments), env={**_QUIET_GIT, "GIT_DIR": str(self.folder)}, timeout=20
        )
        if ok and result.code != 0:
            fail(f"git {' '.join(arguments)}: {result.err.strip()[-300:]}")
        return result.out


def repo(path: Path | str) -> Repository:
    """Return a delivered git repository, read through a fresh one without config, hooks, attributes or alternates.

    The fresh one is root's, so that no delivered program can put any of these back.
    """
    source = Path(path) if (Path(path) / "HEAD").is_file() else Path(path) / ".git"
    if not (source / "HEAD").is_file() or not (source / "objects").is_dir():
        fail(f"{path} is no git repository")
    target = Path(tempfile.mkdtemp(dir=SCRATCH, prefix="repo-"))
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
        (target / folder).mkdir(parents=True)
    (target / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    for file in _regular_files(source / "objects"):
        name = file.relative_to(source / "objects").as_posix()
        if _OBJECT.match(name):
            _copy(file, target / "objects" / name)
    for file in _regular_files(source / "refs"):
        name = file.relative_to(source).as_posix()
        if _REF.match(name) and ".." not in name:
            _copy(file, target / name)
    if (source / "packed-refs").is_file():
        _copy(source / "packed-refs", target / "packed-refs")
    head = read_bytes(source / "HEAD").decode("utf-8", "replace").strip()
    branch = _BRANCH.match(head)
    if not branch and not re.fullmatch(r"[0-9a-f]{40}", head):
        fail(f"{path}: HEAD is neither a branch nor a commit")
    (target / "HEAD").write_text(head + "\n")
    target.chmod(0o755)
    return Repository(target, branch.group(1).removeprefix("refs/heads/") if branch else head)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(read_bytes(source))


def _regular_files(folder: Path) -> Iterator[Path]:
    """Yield regular files below a folder, never through a link."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            file = Path(place, name)
            if stat.S_ISREG(file.lstat().st_mode):
                yield file


def empty(folder: Path) -> bool:
    """Remove all that is in a folder, however deep or many, and return whether it is empty now."""
    for entry in list(os.scandir(folder)):
        _remove(Path(entry.path))
    return not any(os.scandir(folder))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError, RecursionError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    if os.path.lexists(path):  # rmtree recurses, and a program may nest deeper than it can
        subprocess.run(("/usr/bin/find", path, "-xdev", "-delete"), stderr=subprocess.DEVNULL, check=False)


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
    _own(folder)
    try:
        yield folder, private
    finally:
        _remove(folder)
        _remove(private)


def _own(folder: Path) -> None:
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


def become_child_user() -> None:
    """Give up root in this process for good."""
    os.setgroups([])
    os.setgid(CHILD_UID)
    os.setuid(CHILD_UID)


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
        from .judge import kill_children

        kill_children()


def _capped(path: Path) -> str:
    with open(path, "rb") as file:
        return file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")


def _files(folder: Path) -> dict[str, bytes]:
    """Return the regular files left in a scratch folder, within bounds; a link is never followed, not even on the way."""
    found: dict[str, bytes] = {}
    left = [MAX_BYTES]
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _read_below(handle, "", found, left, 0)
    finally:
        os.close(handle)
    return found


def _read_below(folder: int, place: str, found: dict[str, bytes], left: list[int], depth: int) -> None:
    for name in sorted(os.listdir(folder)):
        try:
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            continue
        try:
            kind = os.fstat(handle)
            if stat.S_ISDIR(kind.st_mode) and depth < MAX_SCRATCH_DEPTH:
                _read_below(handle, f"{place}{name}/", found, left, depth + 1)
            elif stat.S_ISREG(kind.st_mode):
                left[0] -= kind.st_size
                if left[0] < 0 or len(found) >= MAX_SCRATCH_FILES:
                    fail("the program left too many or too big files")
                with os.fdopen(os.dup(handle), "rb") as file:
                    found[f"{place}{name}"] = file.read(kind.st_size)
        finally:
            os.close(handle)
