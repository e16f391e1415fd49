"""Reads folders into trees, a stranger's by type and within bounds, following nothing; and writes trees into new folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from skill2env.models.skill import BundledFile
from skill2env.models.tree import BadTree, Node, Tree

MAX_DEPTH = 12


def read_folder(folder: Path, max_bytes: int = 20 << 20, max_entries: int = 500) -> Tree:
    """Return the files of a folder; empty folders are left out.

    Raises:
        BadTree: a link, a device, an odd name, or more bytes, entries or levels than allowed.
        OSError: the folder can't be read.
    """
    tree: Tree = {}
    total = 0
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        if len(Path(place).relative_to(folder).parts) > MAX_DEPTH:
            raise BadTree(f"more than {MAX_DEPTH} folders deep")
        for name in (*folders, *sorted(names)):
            path = Path(place, name)
            relative = path.relative_to(folder).as_posix()
            found = path.lstat()
            if not relative.isprintable():
                raise BadTree(f"the name {relative!r} holds characters that are not printable")
            if stat.S_ISDIR(found.st_mode):
                continue
            if not stat.S_ISREG(found.st_mode):
                raise BadTree(f"{relative} is no regular file or folder")
            total += found.st_size
            if total > max_bytes or len(tree) >= max_entries:
                raise BadTree(f"more than {max_bytes >> 20} MB or {max_entries} files")
            tree[relative] = Node("file", path.read_bytes(), 0o755 if found.st_mode & 0o100 else 0o644)
    return tree


def read_bundled(folder: Path, files: Iterable[BundledFile]) -> Tree:
    """Return the regular files of a skill's folder, as parse has listed them; links, and what has gone since, are left out."""
    tree: Tree = {}
    for file in files:
        if stat.S_ISREG(file.mode):
            with suppress(OSError):
                tree[file.path] = Node(
                    "file", read_regular(folder / file.path, file.size), stat.S_IMODE(file.mode)
                )
    return tree


def read_regular(place: Path, limit: int) -> bytes:
    """Return at most `limit` bytes of a regular file, opened without following a link or blocking on a pipe.

    Raises:
        OSError: the file is gone, a link, special, or can't be opened.
    """
    with open_regular(place) as stream:
        return stream.read(limit)


@contextmanager
def open_regular(place: Path) -> Iterator[BinaryIO]:
    """Give a regular file to read from, opened without following a link or blocking on a pipe.

    Raises:
        OSError: the file is gone, a link, special, or can't be opened.
    """
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file")
        yield stream


def write_folder(tree: Tree, folder: Path) -> None:
    """Write a tree below a folder that does not exist yet, and nothing outside of it.

    Raises:
        BadTree: something lies below a link or a file; nothing was written.
        FileExistsError: the folder exists.
        OSError: it can't be written.
    """
    _need_folders(tree)
    folder.mkdir(parents=True)
    for path in sorted(tree):
        node, target = tree[path], folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if node.kind == "dir":
            target.mkdir(exist_ok=True)
        elif node.kind == "link":
            target.symlink_to(node.data.decode())
        else:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(node.data)
            target.chmod(node.mode)
    for path, node in tree.items():
        if node.kind == "dir":
            (folder / path).chmod(node.mode)


def _need_folders(tree: Tree) -> None:
    """Refuse a tree that would be written through one of its own links: `a` leads to /etc, and `a/b` is a file."""
    for path in tree:
        at = path.find("/")
        while at >= 0:
            above = tree.get(path[:at])
            if above is not None and above.kind != "dir":
                raise BadTree(f"{path!r} lies below {path[:at]!r}, which is a {above.kind}")
            at = path.find("/", at + 1)
