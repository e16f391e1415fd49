"""A git repository as a source: fetched into a bare scratch repository and read object by object, never checked out.

Nothing of the source can run: there is no work tree, so no filter, hook, attribute, LFS or submodule; its config is not ours;
only https and this machine's files are spoken; and the processes have limits on time, memory and the size of a file.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit, urlunsplit

from skill2env.errors import UsageError
from skill2env.intake.sources.source import MAX_ENTRIES, Entry, Source, Unreadable

FETCH_SEC = 600
"""Wall seconds of a fetch."""
MAX_PACK_BYTES = 2_000_000_000
"""Size of the fetched objects, compressed."""
MAX_MEMORY_BYTES = 6 << 30
"""Address space of each git process; a pack of the size above is mapped into it."""
MAX_LISTED_BYTES = 1000 * MAX_ENTRIES
MAX_REVISION_CHARS = 200
_ODD_REVISION = re.compile(r"^[-+./]|\.\.|//|/\.|@\{|[\s~^:?*\[\\]|[./]$|\.lock(?:/|$)|^@$")
"""What no name of a branch or tag may hold (git check-ref-format), and beginnings that git would take for something else."""
_KEPT = ("PATH", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY")
_TRUSTED = {
    "GIT_SSL_CAINFO": ("GIT_SSL_CAINFO", "SSL_CERT_FILE"),
    "GIT_SSL_CAPATH": ("GIT_SSL_CAPATH", "SSL_CERT_DIR"),
}
"""Where git reads certificates from, and the variables that may say so; git itself does not know OpenSSL's names."""
_CONFIG = """\
[safe]
    directory = "{directory}"
    directory = "{directory}/.git"
[core]
    hooksPath = /dev/null
[credential]
    helper =
[protocol]
    version = 2
[fetch]
    unpackLimit = 1
    recurseSubmodules = false
[http]
    lowSpeedLimit = 1000
    lowSpeedTime = 60
"""


def is_url(where: str) -> bool:
    """Return whether this is meant as an address: `scheme://...` or git's `host:path`, `helper::...`."""
    return "://" in where or "::" in where or bool(re.match(r"[\w.-]+@[\w.-]+:", where))


def is_repository(path: Path) -> bool:
    """Return whether a folder is the top of a work tree, or a bare repository."""
    return (path / ".git").exists() or all((path / name).exists() for name in ("HEAD", "objects", "refs"))


def is_plain(revision: str) -> bool:
    """Return whether this can be the name of a branch or tag, or a commit id, and nothing else to git."""
    return (
        len(revision) <= MAX_REVISION_CHARS and revision.isprintable() and not _ODD_REVISION.search(revision)
    )


@contextmanager
def repository(where: str, revision: str, origin: str) -> Iterator[Source]:
    """Give one commit of a repository.

    Args:
        where: an https URL, or the absolute path of a repository on this machine.
        revision: branch, tag or whole commit id; empty for HEAD.
        origin: what provenance says; empty for the URL without user and password.

    Raises:
        UsageError: the address, the protocol or the revision is refused, or the fetch fails or exceeds a limit.
    """
    if revision and not is_plain(revision):
        raise UsageError(f"{revision!r} is no plain branch, tag or commit id; name one")
    url, protocol, public = _address(where)
    with (
        tempfile.TemporaryDirectory(prefix="skill2env-import-") as scratch,
        Path(scratch, "errors").open("w+b") as errors,
    ):
        git = _Git(Path(scratch), errors, protocol, public)
        git.run("init", "--quiet", "--bare", "--template=", git.place)
        fetch = (
            "fetch",
            "--quiet",
            "--depth=1",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
        )
        git.run(*fetch, "--", url, revision or "HEAD")
        commit = git.run("rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}").strip()
        with git.objects() as load:
            source = Source(origin or public, commit, load)
            for path, entry in git.listed(commit):
                source.add(path, entry)
            yield source


def _address(where: str) -> tuple[str, str, str]:
    """Return the address to fetch from, its protocol, and the address as it may be told."""
    if not is_url(where):
        return f"file://{quote(where)}", "file", where
    parts = urlsplit(where)
    if parts.scheme != "https" or not parts.hostname:
        raise UsageError(
            f"{where.rsplit('@', maxsplit=1)[-1]}: only https is fetched from; clone anything else and name the clone's folder"
        )
    host = parts.hostname + (f":{parts.port}" if parts.port else "")
    path = parts.path.rstrip("/")
    return where, "https", urlunsplit(("https", host, path.removesuffix(".git"), "", ""))


class _Git:
    """The git program with nothing of its user's or the source's settings."""

    def __init__(self, scratch: Path, errors: IO[bytes], protocol: str, where: str) -> None:
        """Prepare git; `where` is a path, or an address without user and password."""
        self.place, self._where = str(scratch / "objects.git"), where
        config = scratch / "config"
        directory = where.replace("\\", "\\\\").replace('"', '\\"')
        if not directory.isprintable():
            raise UsageError(f"the path {directory!r} holds control characters; rename the folder")
        config.write_text(_CONFIG.format(directory=directory), encoding="utf-8")
        trusted = {
            own: next((str(Path(os.environ[name]).absolute()) for name in names if os.environ.get(name)), "")
            for own, names in _TRUSTED.items()
        }
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._env = (
            kept
            | {name: path for name, path in trusted.items() if path}
            | {
                "HOME": str(scratch),
                "LC_ALL": "C",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": str(config),
                "GIT_ATTR_NOSYSTEM": "1",
                "GIT_ALLOW_PROTOCOL": protocol,
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_ASKPASS": "false",
                "GIT_NO_LAZY_FETCH": "1",
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_LFS_SKIP_SMUDGE": "1",
                "GIT_OPTIONAL_LOCKS": "0",
            }
        )
        self._errors = errors

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        inside = () if arguments[0] == "init" else (f"--git-dir={self.place}",)
        try:
            return subprocess.Popen(
                ["git", "--no-pager", *inside, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=self._env,
                cwd=Path(self.place).parent,
                start_new_session=True,
                preexec_fn=_limit,  # noqa: PLW1509  # the command has no other thread
            )
        except FileNotFoundError:
            raise UsageError("git is not installed; install it (Debian: apt-get install git)") from None

    def run(self, *arguments: str) -> str:
        process = self.start(*arguments)
        try:
            answer, _ = process.communicate(timeout=FETCH_SEC)
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"{self._where}: git {arguments[0]} took more than {FETCH_SEC} seconds; clone it yourself, then import the folder"
            ) from None
        finally:
            _end(process)
        self._need_success(arguments[0], process.returncode)
        return answer.decode("utf-8", "replace")

    def _need_success(self, command: str, code: int) -> None:
        if code:
            raise UsageError(
                f"{self._where}: git {command} failed ({self._said(code)}); correct address and revision, "
                "or clone it yourself, then import the folder"
            )

    def listed(self, commit: str) -> Iterator[tuple[str, Entry]]:
        """Yield what a commit's tree holds, folders left out.

        Raises:
            UsageError: git ended before it had listed all.
        """
        process = self.start("ls-tree", "-r", "-z", "--long", "--full-tree", commit)
        try:
            assert process.stdout is not None
            for record in _records(process.stdout):
                about, _, name = record.partition(b"\t")
                mode, kind, oid, size = about.split()
                path = name.decode("utf-8", "surrogateescape")
                if kind != b"blob":
                    yield path, Entry("special")
                else:
                    sort = "link" if mode == b"120000" else "file"
                    yield path, Entry(sort, int(size), mode == b"100755", oid.decode())  # type: ignore[arg-type]
            self._need_success("ls-tree", process.wait())
        finally:
            _end(process)

    @contextmanager
    def objects(self) -> Iterator[_Load]:
        """Give a function that reads blobs through one process."""
        process = self.start("cat-file", "--batch")
        try:
            yield _Load(process)
        finally:
            _end(process)

    def _said(self, code: int) -> str:
        self._errors.seek(0)
        lines = self._errors.read(4000).decode("utf-8", "replace").strip().splitlines()
        if code < 0:
            return f"ended by {signal.Signals(-code).name}, as it met a limit of time, memory or {MAX_PACK_BYTES:,} bytes"
        return lines[-1] if lines else f"exit code {code}"


class _Load:
    """Reads blobs by their ids."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def __call__(self, path: str, entry: Entry) -> bytes:
        asked, answer = self._process.stdin, self._process.stdout
        assert asked is not None and answer is not None
        try:
            asked.write(f"{entry.key}\n".encode())
            asked.flush()
            header = answer.readline(200).split()
            if len(header) != 3 or int(header[2]) != entry.size:
                raise Unreadable("git does not have it")
            data = answer.read(entry.size)
            answer.read(1)
        except OSError as error:
            raise Unreadable("git can't read it") from error
        if len(data) < entry.size:
            raise Unreadable("git can't read it")
        return data


def _records(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what stands between NUL bytes, within a bound."""
    rest, total = b"", 0
    while piece := stream.read(1 << 20):
        total += len(piece)
        if total > MAX_LISTED_BYTES:
            raise UsageError(
                f"the tree's listing has more than {MAX_LISTED_BYTES:,} bytes; import another revision"
            )
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_FSIZE, MAX_PACK_BYTES),
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_CPU, FETCH_SEC),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started, and close its pipes."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
