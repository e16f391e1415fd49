"""The files that a delivered program left in its scratch folder, read without following anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .readers import MAX_BYTES, fail

MAX_SCRATCH_FILES = 1000
MAX_SCRATCH_DEPTH = 32


def files_left(folder: Path) -> dict[str, bytes]:
    """Return the regular files left in a scratch folder, within bounds; a link is never followed, not even on the way."""
    found: dict[str, bytes] = {}
    left = [MAX_BYTES]
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _read_below(handle, "", found, left, 0)
    finally:
        os.close(handle)
    return found


def _read_below(folder: int, place: str, found: dict[str, bytes], left: list[int], depth: int) -> None:
    for name in sorted(os.listdir(folder)):
        try:
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            continue
        try:
            kind = os.fstat(handle)
            if stat.S_ISDIR(kind.st_mode) and depth < MAX_SCRATCH_DEPTH:
                _read_below(handle, f"{place}{name}/", found, left, depth + 1)
            elif stat.S_ISREG(kind.st_mode):
                left[0] -= kind.st_size
                if left[0] < 0 or len(found) >= MAX_SCRATCH_FILES:
                    fail("the program left too many or too big files")
                with os.fdopen(os.dup(handle), "rb") as file:
                    found[f"{place}{name}"] = file.read(kind.st_size)
        finally:
            os.close(handle)
