"""Opens what a file may hide: compressed data, archives and git objects, within bounds on size and depth."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

MAX_BYTES = 64 << 20
MAX_DEPTH = 3
_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
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
    except _BROKEN:
        return


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
