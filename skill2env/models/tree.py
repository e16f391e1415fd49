"""A tree of files as a value, its content id, and the one normalised tar that holds it."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from skill2env.models.archive import Archive, BadArchive, Entry

EPOCH = 1767225600
"""Modification time of everything that the project makes: 2026-01-01T00:00:00Z."""
_GLOBAL = "pax_global_header"
"""Name of the entry in which `git archive` tells the commit."""


class BadTree(ValueError):
    """An archive or a path that is no plain tree of files, folders and links."""


@dataclass(frozen=True)
class Node:
    """One file, folder or symbolic link."""

    kind: Literal["file", "dir", "link"]
    data: bytes = b""
    """Content of a file, target of a link (UTF-8)."""
    mode: int = 0o644
    """Permission bits."""


Tree = dict[str, Node]
"""Relative POSIX path to node; folders that hold something need no entry of their own."""


def text_file(text: str, mode: int = 0o644) -> Node:
    """Return a file node of a text in UTF-8."""
    return Node("file", text.encode("utf-8", "surrogatepass"), mode)


def tree_id(tree: Mapping[str, Node]) -> str:
    """Return the sha256 (hex) over sorted relative paths, kinds, modes and content hashes."""
    digest = hashlib.sha256()
    for path in sorted(tree):
        node = tree[path]
        content = hashlib.sha256(node.data).hexdigest()
        digest.update(f"{path}\0{node.kind}\0{node.mode:o}\0{content}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def checked_path(name: str) -> str:
    """Return a relative path without `./`.

    Raises:
        BadTree: it is absolute, climbs, or has control characters.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or not all(part.isprintable() for part in parts):
        raise BadTree(f"the path {name!r} is absolute, climbs out, or holds control characters")
    return "/".join(parts)


def pack(tree: Mapping[str, Node]) -> bytes:
    """Return the tree as a tar: sorted, owned by root, dated `EPOCH`; the same tree gives the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(tree):
            node = tree[path]
            info = tarfile.TarInfo(path)
            info.mtime = EPOCH
            info.mode = node.mode
            if node.kind == "file":
                info.size = len(node.data)
                archive.addfile(info, io.BytesIO(node.data))
            else:
                info.type = tarfile.DIRTYPE if node.kind == "dir" else tarfile.SYMTYPE
                info.linkname = node.data.decode() if node.kind == "link" else ""
                archive.addfile(info)
    return buffer.getvalue()


def pack_gz(tree: Mapping[str, Node]) -> bytes:
    """Return `pack` compressed; the same tree gives the same bytes."""
    return gzip.compress(pack(tree), compresslevel=6, mtime=0)


def unpack(data: bytes, max_bytes: int = 256 << 20, max_entries: int = 20_000) -> Tree:
    """Return the tree in a tar, plain or compressed with gzip.

    Raises:
        BadTree: it is no tar, too big, or holds anything but files, folders and symbolic links with plain names.
    """
    tree: Tree = {}
    total = 0
    try:
        archive = Archive(io.BytesIO(_plain(data, 2 * max_bytes)).read)
        for seen, entry in enumerate(archive.entries(), 1):
            if entry.kind == "other" and entry.name == _GLOBAL:
                continue
            path = checked_path(entry.name)
            total += entry.size if entry.kind == "file" else 0
            if total > max_bytes or seen > max_entries:
                raise BadTree(f"more than {max_bytes >> 20} MB or {max_entries} entries")
            if path:
                tree[path] = _node(archive, entry)
    except (BadArchive, zlib.error, EOFError, OSError, UnicodeError) as error:
        raise BadTree(f"not a readable tar ({error})") from error
    return tree


def _plain(data: bytes, limit: int) -> bytes:
    """Return a tar without its gzip; one that would grow beyond the limit is refused before it does."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        plain = file.read(limit + 1)
    if len(plain) > limit:
        raise BadTree(f"more than {limit >> 20} MB unpacked")
    return plain


def _node(archive: Archive, entry: Entry) -> Node:
    if entry.kind == "file":
        return Node("file", b"".join(archive.content()), entry.mode & 0o777)
    if entry.kind == "dir":
        return Node("dir", mode=entry.mode & 0o777)
    if entry.target:
        return Node("link", entry.target.encode(), 0o777)
    raise BadTree(f"{entry.name!r} is no file, folder or symbolic link")


def below(tree: Mapping[str, Node], folder: str) -> Tree:
    """Return the part of a tree below a folder, with paths relative to it."""
    prefix = folder.rstrip("/") + "/"
    return {path[len(prefix) :]: node for path, node in tree.items() if path.startswith(prefix)}


def within(tree: Mapping[str, Node], path: str) -> Tree:
    """Return what of a tree is at a path or below it; paths stay as they are."""
    path = path.strip("/")
    return {name: node for name, node in tree.items() if name == path or name.startswith(f"{path}/")}


def placed(tree: Mapping[str, Node], folder: str) -> Tree:
    """Return the tree moved below a folder."""
    return {f"{folder.rstrip('/')}/{path}": node for path, node in tree.items()}


def merged(trees: Iterable[Mapping[str, Node]]) -> Tree:
    """Return several trees as one; later ones win."""
    result: Tree = {}
    for tree in trees:
        result.update(tree)
    return result
