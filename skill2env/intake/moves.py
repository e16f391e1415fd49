"""Follows skills that moved within their source: one is gone, and the same or almost the same text is at one new place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from skill2env.near import sketch


class Text(NamedTuple):
    """What a skill is known by."""

    sha256: str
    """Content id of its files."""
    text: str
    """Its SKILL.md; empty where there is none to compare."""


def moves(gone: Mapping[str, Text], new: Mapping[str, Text], similarity: float) -> dict[str, str]:
    """Return the new places to which skills moved.

    Of places with the very files of a skill the first is meant; a near copy counts where it is like no other skill that is gone,
    and no other new place is like that skill.

    Args:
        gone: the skills that are no longer where they were, by name.
        new: what is at places that are not on record, by path.
        similarity: Jaccard similarity of word sequences from which two texts are near copies.

    Returns:
        Path to name.
    """
    by_digest = {gone[name].sha256: name for name in sorted(gone, reverse=True)}
    first = {
        by_digest[one.sha256]: path
        for path, one in sorted(new.items(), reverse=True)
        if one.sha256 in by_digest
    }
    equal = {path: name for name, path in first.items()}
    left = {name: one for name, one in gone.items() if name not in first and one.text}
    near = {
        path: [
            name for name, other in left.items() if sketch(one.text).jaccard(sketch(other.text)) >= similarity
        ]
        for path, one in new.items()
        if one.sha256 not in by_digest and one.text
    }
    wanted = Counter(name for names in near.values() for name in names)
    return equal | {
        path: names[0] for path, names in near.items() if len(names) == 1 and wanted[names[0]] == 1
    }
