"""Mutants of archives, member by member, and of bytes that nothing else reads."""

from __future__ import annotations

import gzip
import random

from skill2env.models.tree import BadTree, Node, Tree, pack, unpack
from skill2env.mutation.mutant import Change, Changes

_MAX_BYTES = 32 << 20
_TIMES = 2


def is_archive(data: bytes) -> bool:
    """Return whether it is a tar, plain or compressed with gzip, that holds something."""
    try:
        return bool(unpack(data, _MAX_BYTES))
    except (BadTree, ValueError):
        return False


def mutate_archive(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield archives in which a member is gone or different.

    Raises:
        ValueError: it is no archive.
    """
    tree = unpack(data, _MAX_BYTES)
    packed = data.startswith(b"\x1f\x8b")
    files = sorted(path for path, node in tree.items() if node.kind == "file")

    def again(changed: Tree) -> bytes:
        plain = pack(changed)
        return gzip.compress(plain, mtime=0) if packed else plain

    for path in rng.sample(files, min(len(files), _TIMES)):
        node = tree[path]
        yield Change(
            "drop", f"the member {path} is gone", again({p: n for p, n in tree.items() if p != path})
        )
        changed = Node("file", node.data + b"#\n", node.mode)
        yield Change("perturb", f"the member {path} has a line more", again({**tree, path: changed}))
        if node.data:
            yield Change(
                "zero", f"the member {path} is empty", again({**tree, path: Node("file", b"", node.mode)})
            )
    yield from mutate_bytes(data, rng, ordered)


def mutate_bytes(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield the same bytes with one in the middle changed."""
    if data:
        spot = len(data) // 2
        changed = bytes([data[spot] ^ 0xFF])
        yield Change("perturb", f"byte {spot} is another", data[:spot] + changed + data[spot + 1 :])
