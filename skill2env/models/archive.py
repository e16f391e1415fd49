"""Reads an engine's tar strictly, entry by entry: what the standard library would guess about, or take without a bound, is bad.

`tarfile` keeps extension records of any size in memory, searches them in quadratic time (CVE-2024-6232), and unrolls maps of
sparse files. Here an entry is a header with at most one extension, and an extension is small.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from skill2env.errors import Skill2EnvError

EXTENSION_BYTES = 16 << 10
"""More than the longest path that a kernel takes (4,096 bytes) and everything else that an engine tells of a file."""
_GNU_NAMES = frozenset({tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK})
_EXTENSIONS = _GNU_NAMES | {tarfile.XHDTYPE}
_BLOCK = 512
_PIECE = 1 << 16
_LENGTH_DIGITS = 5
_SIZE_DIGITS = 20


class BadArchive(Skill2EnvError):
    """The bytes are no tar as an engine writes it."""


@dataclass(frozen=True)
class Entry:
    """What a header says."""

    name: str
    """The path as it stands there; bytes that are no UTF-8 are surrogates."""
    kind: Literal["file", "dir", "other"]
    """`other` is everything that is never collected: links, devices, FIFOs, sparse files, and what nobody knows."""
    size: int
    """Bytes of content that follow."""
    mode: int
    """Permission bits, as they stand there."""
    target: str = ""
    """Where a symbolic link leads; empty for everything else."""


class Archive:
    """A tar stream; `content` gives the bytes of the entry that was yielded last."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        """Read with `read`, which returns as many bytes as it is asked for, or fewer at the end."""
        self._read = read
        self._left = 0
        self._padding = 0

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order.

        Raises:
            BadArchive: the bytes are no tar, or end before it does.
        """
        extended: dict[bytes, bytes] = {}
        while (header := self._header()) is not None:
            if header.type in _EXTENSIONS:
                if extended.keys() - _GNU_NAMES or (
                    extended and header.type not in _GNU_NAMES - extended.keys()
                ):
                    raise BadArchive("an entry has two extensions")
                extended[header.type] = self._extension(header.size)
                continue
            entry = _entry(header, extended)
            extended = {}
            if entry.kind == "dir" and entry.size:
                raise BadArchive("a folder has content")
            self._expect(entry.size)
            yield entry
            for _ in self.content():
                pass
        if extended:
            raise BadArchive("an extension belongs to no entry")

    def content(self) -> Iterator[bytes]:
        """Yield what was not read yet of the last entry's bytes.

        Raises:
            BadArchive: they end early.
        """
        while self._left:
            piece = self._exactly(min(self._left, _PIECE))
            self._left -= len(piece)
            yield piece
        self._exactly(self._padding)
        self._padding = 0

    def _header(self) -> tarfile.TarInfo | None:
        block = self._exactly(_BLOCK)
        if not any(block):
            return None
        try:
            return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.TarError, ValueError) as error:
            raise BadArchive(f"a header is broken: {error}") from error

    def _extension(self, size: int) -> bytes:
        if not 0 <= size <= EXTENSION_BYTES:
            raise BadArchive(f"an extension has {size} bytes")
        self._expect(size)
        return b"".join(self.content())

    def _expect(self, size: int) -> None:
        self._left = max(size, 0)
        self._padding = -self._left % _BLOCK

    def _exactly(self, size: int) -> bytes:
        data = self._read(size)
        if len(data) < size:
            raise BadArchive("it ends early")
        return data


def _entry(header: tarfile.TarInfo, extended: dict[bytes, bytes]) -> Entry:
    records = _records(extended.get(tarfile.XHDTYPE, b""))
    name, size = header.name, header.size
    if tarfile.GNUTYPE_LONGNAME in extended:
        name = _text(extended[tarfile.GNUTYPE_LONGNAME].removesuffix(b"\0"))
    if b"path" in records:
        name = _text(records[b"path"])
    if b"size" in records:
        size = _number(records[b"size"], _SIZE_DIGITS)
    kind: Literal["file", "dir", "other"] = "other"
    if not any(key.startswith(b"GNU.sparse") for key in records):
        if header.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
            kind = "file"
        elif header.type == tarfile.DIRTYPE:
            kind = "dir"
    return Entry(name, kind, size, header.mode, _target(header, extended, records))


def _target(header: tarfile.TarInfo, extended: dict[bytes, bytes], records: dict[bytes, bytes]) -> str:
    if header.type != tarfile.SYMTYPE:
        return ""
    if b"linkpath" in records:
        return _text(records[b"linkpath"])
    if tarfile.GNUTYPE_LONGLINK in extended:
        return _text(extended[tarfile.GNUTYPE_LONGLINK].removesuffix(b"\0"))
    return header.linkname


def _records(data: bytes) -> dict[bytes, bytes]:
    """Return the records of a PAX extension (POSIX.1-2001, pax interchange format)."""
    found: dict[bytes, bytes] = {}
    while data:
        digits = data.partition(b" ")[0]
        end = _number(digits, _LENGTH_DIGITS)
        key, equals, value = data[len(digits) + 1 : end - 1].partition(b"=")
        if not (key and equals and data[end - 1 : end] == b"\n"):
            raise BadArchive("a record of an extension is broken")
        found[key] = value
        data = data[end:]
    return found


def _number(digits: bytes, most: int) -> int:
    if not digits.isdigit() or len(digits) > most:
        raise BadArchive("a number of an extension is broken")
    return int(digits)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
