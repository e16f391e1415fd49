"""How much of a task's instruction stands word for word in other texts, as the decontamination of training data asks it.

The measure is the overlap of 13-word sequences. Brown et al., Language Models are Few-Shot Learners (2020), appendix C, look for
13 words in a row of which neither letter case nor punctuation counts, and those who train on such data have mostly done the same
since, so the figures can be compared with theirs. Fewer words than that meet in texts that have nothing to do with one another
("in the current directory and write the result to"); with more, one changed word in each sentence would hide a copy.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = 13
"""Words of a sequence; a text of fewer is one sequence of all of them."""
_UNSPACED = re.compile(r"([\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff])")
_WORD = re.compile(r"[^\W_]+")
_FACTOR = 0x9E3779B97F4A7C15
"""Odd, so that no word and no place in a sequence is lost modulo 2**64."""

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Overlap:
    """What of a text stands in one other text."""

    share: float
    """Share of its sequences, 0 to 1, that the item with most of them holds."""
    item: str | None = None
    """That item, the first of several; None where none holds any."""


def words(text: str) -> list[str]:
    """Return the words: runs of letters and digits in lower case; of Chinese, Japanese and Korean each character."""
    return _WORD.findall(_UNSPACED.sub(r" \1 ", unicodedata.normalize("NFC", text).lower()))


class Overlaps:
    """Texts, and for each the item that holds most of it.

    Memory grows with the texts alone, by 16 bytes for each of their sequences: an item is forgotten when it was looked at. Only
    words that a text has are told apart, since a sequence with any other word stands in no text. Sequences are compared by hashes
    of 8 bytes: among a million of them, a sequence that is none of them is taken for one once in 10**13 times.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take the texts by key; a text without a word has no sequence and overlaps with nothing."""
        self._words: dict[str, int] = {}
        self._keys = list(texts)
        self._best = [Overlap(0.0)] * len(self._keys)
        self._sizes = np.zeros(len(self._keys), np.int64)
        by_length: dict[int, list[tuple[int, Hashes]]] = {}
        for owner, text in enumerate(texts.values()):
            found = words(text)
            if not found:
                continue
            length = min(WORDS, len(found))
            values = [self._words.setdefault(word, _value(word)) for word in found]
            sequences = np.unique(_sequences(np.array(values, np.uint64), length))
            self._sizes[owner] = len(sequences)
            by_length.setdefault(length, []).append((owner, sequences))
        self._indices = {length: _index(parts) for length, parts in sorted(by_length.items())}

    def look(self, item: str, text: str) -> None:
        """Compare all texts with an item."""
        found = words(text)
        values = np.fromiter(map(self._words.get, found, repeat(0)), np.uint64, len(found))
        unknown = np.concatenate([[0], np.cumsum(values == 0)])
        owners = []
        for length, index in self._indices.items():
            if len(values) >= length:
                known = unknown[length:] == unknown[:-length]
                if known.any():
                    owners += _held(index, np.unique(_sequences(values, length)[known]))
        if owners:
            who, counts = np.unique(np.concatenate(owners), return_counts=True)
            for owner, share in zip(who.tolist(), (counts / self._sizes[who]).tolist(), strict=True):
                if share > self._best[owner].share:
                    self._best[owner] = Overlap(share, item)

    def found(self) -> dict[str, Overlap]:
        """Return what was found of each text, by key."""
        return dict(zip(self._keys, self._best, strict=True))


def _value(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1


def _sequences(values: Hashes, length: int) -> Hashes:
    """Return the hash of each sequence of so many words, a polynomial of their values modulo 2**64."""
    count = len(values) - length + 1
    hashes = np.zeros(count, np.uint64)
    for at in range(length):
        hashes *= np.uint64(_FACTOR)
        hashes += values[at : at + count]
    return hashes


def _index(parts: list[tuple[int, Hashes]]) -> tuple[Hashes, Any]:
    """Return all sequences, sorted, and whose each one is."""
    hashes = np.concatenate([sequences for _, sequences in parts])
    owners = np.concatenate([np.full(len(sequences), owner) for owner, sequences in parts])
    order = np.argsort(hashes, kind="stable")
    return hashes[order], owners[order]


def _held(index: tuple[Hashes, Any], sequences: Hashes) -> list[Any]:
    """Return whose each sequence of an item is, for those that are anybody's."""
    hashes, owners = index
    first = np.searchsorted(hashes, sequences, "left")
    there = hashes[np.minimum(first, len(hashes) - 1)] == sequences
    last = np.searchsorted(hashes, sequences[there], "right")
    return [owners[start:end] for start, end in zip(first[there], last, strict=True)]
