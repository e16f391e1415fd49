"""Exchanges a finished folder with the one that it replaces, so that a kill leaves the old or the new one."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

_AT_FDCWD = -100
_EXCHANGE = 2


def install(new: Path, folder: Path) -> None:
    """Put the folder `new` in the place of `folder`, and delete what was there.

    Linux exchanges the two in one step (renameat2). Elsewhere there are two renames, and `recover` mends what a
    kill between them left.

    Raises:
        OSError: it can't be done; `folder` is as it was.
    """
    if not os.path.lexists(folder):
        new.rename(folder)
        return
    if not _exchange(new, folder):
        aside = _aside(folder)
        remove(aside)
        folder.rename(aside)
        new.rename(folder)
        remove(aside)
    remove(new)


def recover(folder: Path) -> None:
    """Put back the old folder where a kill left none, and delete what was left over otherwise.

    Raises:
        OSError: it can't be done.
    """
    aside = _aside(folder)
    if os.path.lexists(aside) and not os.path.lexists(folder):
        aside.rename(folder)
    remove(aside)


def remove(path: Path) -> None:
    """Delete a folder or a link if it is there.

    Raises:
        OSError: it can't be deleted.
    """
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False where the system can't."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _EXCHANGE) == 0)
