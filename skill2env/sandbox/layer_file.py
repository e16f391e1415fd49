"""One file that was written into a container's layer, read where it lies: the engine starts a process for each that it tells."""

from __future__ import annotations

import errno
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

from skill2env.sandbox.layer import mark_on

_ELSEWHERE = "trusted.overlay.metacopy"
"""On a file whose bytes are not in this layer: only its mode, owner or times were changed."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 16


def file_in(layer: Path, path: str) -> int | None:
    """Return a descriptor to read a regular file that lies whole in the layer, or None where there is no such file.

    Whoever runs in the container may change the way to it at any moment: each folder is opened from the one before, and
    nothing is followed.

    Raises:
        OSError: the layer can't be read.
    """
    *folders, name = Path(path).parts[1:] or ("",)
    if ".." in (*folders, name):
        return None
    try:
        place = os.open(layer, _FOLDER)
        try:
            for folder in folders:
                above, place = place, os.open(folder, _FOLDER, dir_fd=place)
                os.close(above)
            # Opening a device does something.
            if not stat.S_ISREG(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):
                return None
            handle = os.open(name, _FILE, dir_fd=place)
        finally:
            os.close(place)
    except OSError as error:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)) or error.errno == errno.ELOOP:
            return None
        raise
    if stat.S_ISREG(os.fstat(handle).st_mode) and mark_on(handle, _ELSEWHERE) is None:
        return handle
    os.close(handle)
    return None


def archive_of(handle: int, name: str) -> Iterator[bytes]:
    """Yield the tar of one open file as the engine would, and close it; it breaks off where the file becomes shorter.

    Raises:
        OSError: it can't be read.
    """
    with os.fdopen(handle, "rb", buffering=0) as file:
        found = os.fstat(handle)
        header = tarfile.TarInfo(name)
        header.size, header.mode = found.st_size, stat.S_IMODE(found.st_mode)
        yield header.tobuf(tarfile.PAX_FORMAT, errors="surrogateescape")
        left = found.st_size
        while left:
            piece = file.read(min(left, _CHUNK))
            if not piece:
                return
            left -= len(piece)
            yield piece
    yield bytes(-found.st_size % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE)
