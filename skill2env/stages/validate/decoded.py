"""Opens what a file may hide: compressed data, archives, git objects and packs, SQLite tables; size and depth are bounded."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator

from dulwich.errors import ApplyDeltaError, ChecksumMismatch
from dulwich.object_format import SHA1
from dulwich.pack import PackData, PackInflater

MAX_BYTES = 64 << 20
MAX_DEPTH = 3
_ROWS = 100_000
_TABLE_SEC = 10
_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
    sqlite3.Error,
    ApplyDeltaError,
    ChecksumMismatch,
    KeyError,
    AssertionError,
)


def decoded(data: bytes, label: str, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes under their label, and whatever they decode to under labels of their own."""
    yield label, data
    if depth >= MAX_DEPTH:
        return
    for name, inner in _inside(data):
        yield from decoded(inner, f"{label} > {name}", depth + 1)


def _inside(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        if data[:2] == b"\x1f\x8b":
            yield "gzip", _bounded(gzip.GzipFile(fileobj=io.BytesIO(data)))
        elif data[:3] == b"BZh":
            yield "bzip2", _bounded(bz2.BZ2File(io.BytesIO(data)))
        elif data[:6] == b"\xfd7zXZ\x00":
            yield "xz", lzma.LZMADecompressor().decompress(data, MAX_BYTES)
        elif data[:2] in (b"x\x01", b"x\x9c", b"x\xda", b"x\x5e"):
            yield "zlib", zlib.decompressobj().decompress(data, MAX_BYTES)
        elif data[:4] == b"PK\x03\x04":
            yield from _zip(data)
        elif data[257:262] == b"ustar":
            yield from _tar(data)
        elif data[:4] == b"PACK":
            yield from _objects(data)
        elif data[:16] == b"SQLite format 3\0":
            yield from _tables(data)
    except _BROKEN:
        return


def _objects(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield every object of a git pack, whether anything refers to it or not."""
    left = MAX_BYTES
    pack = PackData("pack", SHA1, file=io.BytesIO(data), size=len(data))
    for entry in PackInflater.for_pack_data(pack):
        text = entry.as_raw_string()
        left -= len(text)
        if left < 0:
            return
        yield f"object {entry.id.decode()}", text


def _tables(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield every table of a SQLite file as rows of JSON; the file's own code is not trusted, and its time is bounded."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data[:18] + b"\x01\x01" + data[20:])
        database.execute("PRAGMA trusted_schema=OFF")
        deadline = time.monotonic() + _TABLE_SEC
        database.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
        names = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        for (name,) in names:
            quoted = '"' + str(name).replace('"', '""') + '"'
            rows = database.execute(f"SELECT * FROM {quoted} LIMIT {_ROWS}").fetchall()
            yield (
                f"table {name}",
                "\n".join(json.dumps(row, default=repr, ensure_ascii=False) for row in rows).encode(),
            )
    finally:
        database.close()


def _bounded(file: io.IOBase) -> bytes:
    return file.read(MAX_BYTES)  # type: ignore[no-any-return]


def _zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            yield f"member {info.filename}", info.filename.encode() + b"\n"
            if info.file_size <= MAX_BYTES and not info.is_dir():
                yield info.filename, archive.read(info)


def _tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for info in archive:
            yield f"member {info.name}", info.name.encode("utf-8", "surrogateescape") + b"\n"
            file = archive.extractfile(info) if info.isreg() and info.size <= MAX_BYTES else None
            if file:
                yield info.name, file.read()
