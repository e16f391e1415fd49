"""Tables of words, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text that blanks divide."""
    return frozenset(text.split())
