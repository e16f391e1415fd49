"""The typed collector: copies declared outputs out of a dead container and trusts nothing that it finds there.

Python's own extraction filter can be bypassed (CVE-2025-4517), so headers are judged one by one and files are written by
hand. Whatever is refused is the agent's fault.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skill2env.errors import Skill2EnvError
from skill2env.models.archive import Archive, BadArchive, Entry
from skill2env.models.tree import Node, Tree
from skill2env.sandbox.protocol import Kind, NoSuchPath, Sandbox

MAX_FILE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_ENTRIES = 2000
MAX_DEPTH = 32
MAX_SECONDS = 60
_NAME_BYTES = 255
_PATH_BYTES = 1024
_HEADER_ROOM = 4096


class Refused(Skill2EnvError):
    """The outputs hold something that is never collected; the agent's fault."""


@dataclass
class Collected:
    """Outputs in a fresh folder on the host, below their absolute paths."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)
    """Path relative to `root` to mode and sha256, sorted by path once complete; folders have no hash."""

    def tree(self) -> Tree:
        """Return it as a value; at most 64 MB are in it."""
        found: Tree = {}
        for path, what in sorted(self.files.items()):
            mode, _, digest = what.partition(" ")
            data = (self.root / path).read_bytes() if digest else b""
            found[path] = Node("file" if digest else "dir", data, int(mode, 8))
        return found


class _Budget:
    """What is left of bytes, entries and seconds for one trial's outputs."""

    def __init__(self) -> None:
        self.bytes = MAX_TOTAL_BYTES
        self.entries = MAX_ENTRIES
        self.deadline = time.monotonic() + MAX_SECONDS

    def take(self, info: Entry) -> None:
        if info.size < 0:
            raise Refused(f"{info.name[:80]!r} has a negative size")
        self.entries -= 1
        self.bytes -= info.size
        if info.size > MAX_FILE_BYTES:
            raise Refused(f"{info.name[:80]!r} has {info.size} bytes, more than {MAX_FILE_BYTES}")
        if self.bytes < 0:
            raise Refused(f"the outputs have more than {MAX_TOTAL_BYTES} bytes")
        if self.entries < 0:
            raise Refused(f"the outputs have more than {MAX_ENTRIES} entries")
        self.hurry()

    def hurry(self) -> None:
        if time.monotonic() > self.deadline:
            raise Refused(f"collecting the outputs took more than {MAX_SECONDS} s")


class _Reader:
    """Reads the engine's chunks, and refuses to deliver more than a limit or after the deadline."""

    def __init__(self, chunks: Iterator[bytes], limit: int, budget: _Budget) -> None:
        self._chunks = chunks
        self._left = limit
        self._budget = budget
        self._buffer = b""

    def read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            self._left -= len(chunk)
            self._budget.hurry()
            if self._left < 0:
                raise Refused(f"the outputs' archive has more than {MAX_TOTAL_BYTES} bytes")
            self._buffer += chunk
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data


def bounded(outputs: Tree) -> Tree:
    """Return outputs that were collected in parts.

    Raises:
        Refused: together they are more than is allowed.
    """
    if len(outputs) > MAX_ENTRIES:
        raise Refused(f"the outputs have more than {MAX_ENTRIES} entries")
    if sum(len(node.data) for node in outputs.values()) > MAX_TOTAL_BYTES:
        raise Refused(f"the outputs have more than {MAX_TOTAL_BYTES} bytes")
    return outputs


def collect(sandbox: Sandbox, outputs: tuple[str, ...], into: Path) -> Collected:
    """Copy the declared outputs out of a killed sandbox into a fresh folder; what is absent is left out.

    Raises:
        Refused: a link, device, FIFO, socket, odd name, or more bytes, entries, levels or seconds than allowed.
        EngineError: the engine failed.
    """
    collected = Collected(into)
    budget = _Budget()
    kinds: dict[str, Kind | None] = {}
    for output in outputs:
        if not _reachable(sandbox, output, kinds):
            continue
        chunks = sandbox.get(output)
        try:
            read_archive(chunks, output, collected, budget)
        except NoSuchPath:
            continue
        finally:
            chunks.close()  # type: ignore[attr-defined]
    return collected


def _reachable(sandbox: Sandbox, output: str, kinds: dict[str, Kind | None]) -> bool:
    """Return whether an output may be there: every folder on the way to it is a folder.

    Raises:
        Refused: one of them is a link, which the engine would follow, or something that is no file at all.
    """
    for parent in reversed(PurePosixPath(output).parents[:-1]):
        path = str(parent)
        if path not in kinds:
            kinds[path] = sandbox.kind(path)
        if kinds[path] in ("link", "other"):
            raise Refused(f"{path}, on the way to {output}, is no folder")
        if kinds[path] != "dir":
            return False
    kind = sandbox.kind(output)
    if kind in ("link", "other"):
        raise Refused(f"{output} is no regular file or folder")
    return kind is not None


def read_archive(
    chunks: Iterator[bytes], output: str, collected: Collected, budget: _Budget | None = None
) -> None:
    """Write the regular files and folders of one output's tar stream below the collected root.

    Raises:
        Refused: see `collect`; nothing outside the root is ever written.
    """
    budget = budget or _Budget()
    limit = MAX_TOTAL_BYTES + MAX_ENTRIES * _HEADER_ROOM
    archive = Archive(_Reader(chunks, limit, budget).read)
    try:
        for entry in archive.entries():
            budget.take(entry)
            _write(archive, entry, _place(entry, PurePosixPath(output)), collected)
    except BadArchive as error:
        raise Refused(f"the archive of {output} can't be read ({error})") from error


def _place(info: Entry, output: PurePosixPath) -> PurePosixPath:
    """Return where an entry belongs, relative to the root.

    Raises:
        Refused: its type or its name is not allowed.
    """
    shown = repr(info.name[:80])
    if info.kind == "other":
        raise Refused(f"{shown} is no regular file or folder")
    parts = info.name.rstrip("/").split("/")
    if len(info.name.encode("utf-8", "replace")) > _PATH_BYTES:
        raise Refused(f"the path {shown} has more than {_PATH_BYTES} bytes")
    if len(parts) > MAX_DEPTH:
        raise Refused(f"{shown} is more than {MAX_DEPTH} folders deep")
    for part in parts:
        if (
            part in ("", ".", "..")
            or not part.isprintable()
            or len(part.encode("utf-8", "replace")) > _NAME_BYTES
        ):
            raise Refused(f"the name {shown} is not allowed")
    if parts[0] != output.name:
        raise Refused(f"{shown} is not below {output}")
    return PurePosixPath(*output.parts[1:-1], *parts)


def _write(archive: Archive, info: Entry, path: PurePosixPath, collected: Collected) -> None:
    target = collected.root / path
    mode = 0o755 if info.kind == "dir" or info.mode & 0o100 else 0o644
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if info.kind == "dir":
            target.mkdir(exist_ok=True)
            target.chmod(mode)
            collected.files[str(path)] = f"{mode:o}"
            return
        digest = hashlib.sha256()
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(handle, "wb") as file:
            for piece in archive.content():
                digest.update(piece)
                file.write(piece)
        target.chmod(mode)
        collected.files[str(path)] = f"{mode:o} {digest.hexdigest()}"
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise Refused(f"{info.name[:80]!r} stands twice in the archive") from error
