"""Build contexts: what is sent to the engine so that it builds an image."""

from __future__ import annotations

import contextlib
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO

SPOOL_BYTES = 8 * 1024 * 1024
"""A context up to this size stays in memory."""


@contextlib.contextmanager
def as_tar(context: Path | IO[bytes], epoch: int) -> Iterator[IO[bytes]]:
    """A folder as a tar of names, modes and bytes alone; a file that already is a tar goes through.

    Owners are root and all times are `epoch` (seconds since 1970): who checked the folder out, and
    when, does not reach the image.
    """
    if not isinstance(context, Path):
        yield context
        return
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        with tarfile.open(fileobj=spool, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(context.rglob("*")):
                member = archive.gettarinfo(path, str(path.relative_to(context)))
                _add(archive, member, path, epoch)
        spool.seek(0)
        yield spool


def tar_of(files: Mapping[str, bytes], epoch: int) -> IO[bytes]:
    """A tar of these files, by name, with root as owner and `epoch` as their time."""
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), epoch
            archive.addfile(member, BytesIO(data))
    buffer.seek(0)
    return buffer


def _add(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, epoch: int) -> None:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = epoch
    if member.isfile():
        with path.open("rb") as file:
            archive.addfile(member, file)
    else:
        archive.addfile(member)
