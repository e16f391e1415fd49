"""Near copies: texts that share most of their word sequences, found by MinHash and gathered into clusters.

Broder, On the resemblance and containment of documents (1997); Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from datasketch import MinHash, MinHashLSH

PERMUTATIONS = 128
"""Gives an estimate of the similarity with a standard error of at most 0.045."""
WORDS = 5
"""Words of a sequence; a character of a script without spaces counts as a word."""
MAX_CHARS = 200_000
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]|[^\W_]+")


@lru_cache(maxsize=4096)
def sketch(text: str) -> MinHash:
    """Return the MinHash of a text's word sequences; letter case, punctuation and white space don't count."""
    words = _WORD.findall(text[:MAX_CHARS].lower())
    sequences = {" ".join(words[at : at + WORDS]) for at in range(max(1, len(words) - WORDS + 1))}
    made = MinHash(num_perm=PERMUTATIONS, seed=1)
    made.update_batch([one.encode("utf-8", "surrogatepass") for one in sorted(sequences)])
    return made


class Near:
    """Texts by key, and which of them are near copies of one another."""

    def __init__(self, similarity: float) -> None:
        """Begin with none; from this Jaccard similarity of their word sequences two texts are near copies."""
        self._similarity = similarity
        self._index = MinHashLSH(threshold=similarity, num_perm=PERMUTATIONS)
        self._sketches: dict[str, MinHash] = {}
        self._first: dict[str, str] = {}

    def add(self, key: str, text: str) -> str:
        """Take a text in and return the key that its cluster began with, its own where it is like no other.

        A text that is near to two clusters joins them.
        """
        made = sketch(text)
        others = [
            one for one in self._index.query(made) if self._sketches[one].jaccard(made) >= self._similarity
        ]
        firsts = sorted({self.first(one) for one in others}, key=list(self._first).index)
        self._first[key] = firsts[0] if firsts else key
        for other in firsts[1:]:
            self._first[other] = firsts[0]
        if not any(self._sketches[one] == made for one in others):
            self._index.insert(key, made)
            self._sketches[key] = made
        return self._first[key]

    def first(self, key: str) -> str:
        """Return the key that a text's cluster began with."""
        while self._first[key] != key:
            key = self._first[key]
        return key


def clusters(texts: Mapping[str, str] | Iterable[tuple[str, str]], similarity: float) -> dict[str, str]:
    """Return for every key the smallest key of its cluster; the order of the texts does not matter."""
    near = Near(similarity)
    for key, text in sorted(texts.items() if isinstance(texts, Mapping) else texts):
        near.add(key, text)
    groups: dict[str, list[str]] = {}
    for key in near._first:
        groups.setdefault(near.first(key), []).append(key)
    return {key: min(group) for group in groups.values() for key in group}
