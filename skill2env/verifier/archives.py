"""Reads delivered archives member by member; nothing is ever unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

from .readers import fail, read_bytes

MAX_UNPACKED_BYTES = 64 << 20
MAX_MEMBERS = 5000
_COMPRESSED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_MEMBERS * 2048


def read_archive(path: Path | str) -> dict[str, bytes]:
    """Return the regular files in a tar (any compression) or zip, by member name; nothing is unpacked to disk.

    Links, devices, names that are absolute or climb, duplicate names and archives above 64 MB unpacked fail.
    """
    data = read_bytes(path)
    try:
        members = _zip(data) if zipfile.is_zipfile(io.BytesIO(data)) else _tar(data)
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,
        EOFError,
        ValueError,
    ) as error:
        fail(f"{path} is not a readable archive: {error}")
    except (RuntimeError, LookupError, struct.error, OverflowError, MemoryError) as error:
        fail(f"{path} can't be read: {error}")
    return members


def _plain_tar(data: bytes) -> bytes:
    """Return a tar without its compression; what would unpack to more than an archive may have is not unpacked."""
    for magic, opener in _COMPRESSED:
        if data.startswith(magic):
            with opener(io.BytesIO(data)) as file:
                data = file.read(_TAR_BYTES + 1)
            break
    if len(data) > _TAR_BYTES:
        raise ValueError("it is too big")
    return data


def _tar(data: bytes) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    left = MAX_UNPACKED_BYTES
    with tarfile.open(fileobj=io.BytesIO(_plain_tar(data)), mode="r:") as tar:
        for info in tar:
            if info.isdir():
                continue
            left -= info.size
            name = _member(info.name, members, left)
            if info.size < 0 or not info.isreg() or info.issparse():
                raise ValueError(f"{info.name!r} is no regular file")
            file = tar.extractfile(info)
            members[name] = file.read() if file else b""
    return members


def _zip(data: bytes) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    left = MAX_UNPACKED_BYTES
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            left -= info.file_size
            name = _member(info.filename, members, left)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise ValueError(f"{info.filename!r} is no regular file")
            with archive.open(info) as file:
                members[name] = file.read(info.file_size + 1)
    return members


def _member(name: str, members: dict[str, bytes], left: int) -> str:
    plain = name.removeprefix("./")
    if plain.startswith("/") or ".." in plain.split("/"):
        raise ValueError(f"{name!r} is absolute or climbs out")
    if plain in members:
        raise ValueError(f"{name!r} stands twice")
    if left < 0 or len(members) >= MAX_MEMBERS:
        raise ValueError("it is too big")
    return plain
