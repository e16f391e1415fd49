"""A container's writable layer, read where it lies on this host: what the engine takes a third of a second to tell.

Only for the overlay driver and a reader who may look (root on the engine's own host); everyone else asks the engine.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skill2env.sandbox.protocol import Kind, TooMany

MAX_ENTRIES = 100_000
_OPAQUE = "trusted.overlay.opaque"
_BLOCK = 512
_VANISHED = (FileNotFoundError, NotADirectoryError)
"""What is deleted, or made something else, between being listed and being looked at."""


def writable_layer(inspected: dict[str, Any]) -> Path | None:
    """Return the folder of a container's own layer, from what the engine says of it; None where it can't be read here."""
    driver = inspected.get("GraphDriver") or {}
    upper = (driver.get("Data") or {}).get("UpperDir")
    if driver.get("Name") != "overlay2" or not upper:
        return None
    folder = Path(upper)
    return folder if os.access(folder, os.R_OK | os.X_OK) and os.geteuid() == 0 else None


def kind_in(layer: Path, path: str) -> tuple[bool, Kind | None]:
    """Return whether the layer decides about a path, and then what stands there, None for nothing.

    A path that the layer does not mention is as the image has it, unless a folder above it was deleted or made anew.

    Raises:
        OSError: the layer can't be read.
    """
    place = layer
    for part in Path(path).parts[1:]:
        hidden = _is_opaque(place)
        place = place / part
        try:
            found = place.lstat()
        except FileNotFoundError:
            return hidden, None
        if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
            return True, None
        kind = _kind(found.st_mode)
        if kind != "dir":
            return True, kind if place == layer / path.lstrip("/") else None
    return True, "dir"


def untouched_in(layer: Path, path: str) -> bool:
    """Return whether the layer says nothing about a path, what is below it, or whether the way to it was made anew.

    Raises:
        OSError: the layer can't be read.
    """
    place = layer
    for part in Path(path).parts[1:]:
        if _is_opaque(place):
            return False
        place = place / part
        try:
            found = place.lstat()
        except FileNotFoundError:
            return True
        if not stat.S_ISDIR(found.st_mode):
            return False
    return False


def changes_in(layer: Path) -> tuple[str, ...]:
    """Return the absolute paths that the layer creates, changes or deletes, sorted.

    Bytes that are no UTF-8 are replaced, as the engine does it.

    Raises:
        TooMany: more than `MAX_ENTRIES`, or a path that is too long to be listed.
    """
    return tuple(sorted("/" + os.fsencode(entry).decode("utf-8", "replace") for entry, _ in _walk(layer)))


def without_init(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return changed paths without the engine's own: the place on which it mounts the init process, and the way there."""
    kept = [path for path in paths if not path.endswith("/sbin/docker-init")]
    way = ("/usr", "/usr/sbin", "/sbin")
    return tuple(
        path
        for path in kept
        if path not in way or any(other.startswith(f"{path}/") and other not in way for other in kept)
    )


def bytes_in(layer: Path) -> int:
    """Return the bytes on disk that the layer takes.

    Raises:
        TooMany: it has more than `MAX_ENTRIES` entries, or a path that is too long.
    """
    return sum(size for _, size in _walk(layer))


def fingerprint_of(layer: Path) -> str:
    """Return the sha256 (hex) over every entry's path, kind, mode, size, inode and time of its last change.

    Raises:
        TooMany: it has more than `MAX_ENTRIES` entries.
    """
    digest = hashlib.sha256()
    for path, found in sorted(_entries(layer), key=lambda entry: entry[0]):
        size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
        digest.update(
            f"{path}\0{found.st_mode} {size} {found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}\n".encode(
                "utf-8", "surrogateescape"
            )
        )
    return digest.hexdigest()


def marks_in(layer: Path) -> dict[str, str]:
    """Return time of change (seconds since 1970) and owner of each regular file and link of a layer, by its path.

    Raises:
        TooMany: it has more than `MAX_ENTRIES` entries.
    """
    return {
        path: f"{int(found.st_mtime)} {found.st_uid}:{found.st_gid}"
        for path, found in _entries(layer)
        if stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)
    }


def mark_on(file: Path | int, mark: str) -> bytes | None:
    """Return what the overlay driver has noted on a file or folder."""
    try:
        return os.getxattr(file, mark)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.ENOTSUP):
            return None
        raise


def free_bytes(folder: Path) -> int:
    """Return how many bytes may still be written on the disk of a folder; more than enough where that can't be told."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return sys.maxsize
    return disk.f_bavail * disk.f_frsize


def _walk(layer: Path) -> Iterator[tuple[str, int]]:
    for path, found in _entries(layer):
        yield path, found.st_blocks * _BLOCK


def _entries(layer: Path) -> Iterator[tuple[str, os.stat_result]]:
    count = 0
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(layer / folder))
        except _VANISHED:
            continue
        except OSError as error:
            raise TooMany(f"a changed path can't be listed ({error.strerror})") from error
        for entry in entries:
            count += 1
            if count > MAX_ENTRIES:
                raise TooMany("more paths were changed than can be listed")
            relative = f"{folder}/{entry.name}" if folder else entry.name
            try:
                found = entry.stat(follow_symlinks=False)
            except _VANISHED:
                continue
            except OSError as error:
                raise TooMany(f"a changed path can't be listed ({error.strerror})") from error
            yield relative, found
            if stat.S_ISDIR(found.st_mode):
                waiting.append(relative)


def _is_opaque(folder: Path) -> bool:
    return mark_on(folder, _OPAQUE) == b"y"


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "dir"
    return "link" if stat.S_ISLNK(mode) else "other"
