"""A zip or tar archive as a source: read by its headers, within bounds; nothing is unpacked under the archive's own names."""

from __future__ import annotations

import gzip
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from skill2env.errors import UsageError
from skill2env.intake.sources.source import MAX_FILE_BYTES, MAX_READ_BYTES, Entry, Source, Unreadable
from skill2env.models.archive import Archive, BadArchive

MAX_ARCHIVE_BYTES = 1_000_000_000
"""Size of the archive itself."""
MAX_DIRECTORY_BYTES = 16_000_000
"""Size of a zip's directory, which the standard library keeps in memory whole."""

_DAMAGED = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, LookupError, struct.error)
"""What the standard library raises over the headers of a broken zip."""
_ENCRYPTED = 0x1
_END = struct.Struct("<4s4H2LH")
_END_MARK, _ZIP64_MARK, _ZIP64_BYTES = b"PK\x05\x06", b"PK\x06\x07", 20
_MAX_COMMENT = 65_535


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@contextmanager
def archive(place: Path, origin: str) -> Iterator[Source]:
    """Give what a zip, tar or tar.gz holds, whatever its name ends in; a single top folder that is no skill is left out of paths.

    Raises:
        UsageError: it is none of these, is damaged, or exceeds a limit.
    """
    if place.stat().st_size > MAX_ARCHIVE_BYTES:
        raise UsageError(f"{place} has more than {MAX_ARCHIVE_BYTES:,} bytes; pack less")
    try:
        with place.open("rb") as stream, tempfile.TemporaryFile() as spool:
            start = stream.read(4)
            stream.seek(0)
            if start.startswith((b"PK\x03\x04", _END_MARK)):
                with _zip(place, stream, origin) as source:
                    yield _without_top(source)
            elif start.startswith(b"\x1f\x8b"):
                with gzip.GzipFile(fileobj=stream) as plain:
                    source = _tar(plain, spool, origin)
                yield _without_top(source)
            else:
                yield _without_top(_tar(stream, spool, origin))
    except (BadArchive, zlib.error, EOFError, gzip.BadGzipFile, *_DAMAGED) as error:
        raise UsageError(f"{place} is no sound zip, tar or tar.gz ({error}); pack it anew") from error


@contextmanager
def _zip(place: Path, stream: IO[bytes], origin: str) -> Iterator[Source]:
    _check_directory(place, stream)
    with zipfile.ZipFile(stream) as packed:
        infos = packed.infolist()

        def load(path: str, entry: Entry) -> bytes:
            try:
                with packed.open(infos[numbers[path]]) as content:
                    data = content.read(entry.size)
            except (zlib.error, EOFError, OSError, RuntimeError, *_DAMAGED) as error:
                raise Unreadable(f"the archive is damaged there ({error})") from error
            if len(data) < entry.size:
                raise Unreadable("the archive is damaged there (it ends early)")
            return data

        source = Source(origin, "", load)
        numbers: dict[str, int] = {}
        for number, info in enumerate(infos):
            path = info.filename.removeprefix("./")
            if "\\" in path:
                message = f"The path {path[:120]!a} has backslashes; pack the archive anew with slashes."
                source.findings.add("entry-path", message)
            elif not info.is_dir():
                source.add(path, _zip_entry(info))
                numbers.setdefault(path, number)
        yield source


def _check_directory(place: Path, stream: IO[bytes]) -> None:
    """Refuse a zip whose directory would fill the memory; the form for more than 65,535 entries or 4 GB is not read."""
    size = place.stat().st_size
    stream.seek(max(0, size - _MAX_COMMENT - _END.size - _ZIP64_BYTES))
    tail = stream.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) < at + _END.size:
        raise zipfile.BadZipFile("it has no directory")
    directory = _END.unpack_from(tail, at)[5]
    if tail[max(0, at - _ZIP64_BYTES) : at].startswith(_ZIP64_MARK) or directory > MAX_DIRECTORY_BYTES:
        raise UsageError(
            f"{place} has more than 65,535 entries, 4 GB, or {MAX_DIRECTORY_BYTES:,} bytes of names; pack less"
        )
    stream.seek(0)


def _zip_entry(info: zipfile.ZipInfo) -> Entry:
    mode = info.external_attr >> 16
    readable = (
        info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and not info.flag_bits & _ENCRYPTED
    )
    if not readable or stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFLNK):
        return Entry("special")
    return Entry("link" if stat.S_ISLNK(mode) else "file", info.file_size, bool(mode & stat.S_IXUSR))


def _tar(stream: _Readable, spool: IO[bytes], origin: str) -> Source:
    """Copy the contents of a tar into one nameless file, and give the source that reads from there."""
    starts: dict[str, int] = {}
    targets: dict[str, bytes] = {}

    def load(path: str, entry: Entry) -> bytes:
        if entry.kind == "link":
            return targets[path]
        spool.seek(starts[path])
        return spool.read(entry.size)

    source, total = Source(origin, "", load), 0
    packed = Archive(_Bounded(stream, origin).read)
    for item in packed.entries():
        path = item.name.removeprefix("./").rstrip("/")
        if item.kind == "dir" or item.name == "pax_global_header":
            continue
        if item.target:
            entry = Entry("link", len(item.target.encode("utf-8", "surrogateescape")))
        elif item.kind == "file":
            entry = Entry("file", item.size, bool(item.mode & stat.S_IXUSR))
        else:
            entry = Entry("special")
        source.add(path, entry)
        if source.entries.get(path) is not entry:
            continue
        targets[path] = item.target.encode("utf-8", "surrogateescape")
        if item.kind == "file" and item.size <= MAX_FILE_BYTES:
            starts[path] = total
            for piece in packed.content():
                total += spool.write(piece)
    return source


class _Bounded:
    """A stream that ends with an error when it grows beyond the limit; a small gzip may hold anything."""

    def __init__(self, stream: _Readable, origin: str) -> None:
        self._stream, self._origin, self._left = stream, origin, MAX_READ_BYTES

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise UsageError(f"{self._origin} holds more than {MAX_READ_BYTES:,} bytes; pack less")
        return self._stream.read(size)


def _without_top(source: Source) -> Source:
    """Return the source with paths below its only top folder, unless that folder is itself a skill."""
    tops = {path.partition("/")[0] for path in source.entries}
    top = next(iter(tops), "")
    if len(tops) != 1 or top in source.entries:
        return source
    if any(name.casefold() == "skill.md" for name in source.names[top]):
        return source
    load, prefix = source.load, f"{top}/"
    source.load = lambda path, entry: load(prefix + path, entry)
    source.entries = {path.removeprefix(prefix): entry for path, entry in source.entries.items()}
    del source.names, source.paths
    return source
