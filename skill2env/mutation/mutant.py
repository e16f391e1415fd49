"""A mutant: right outputs with one thing changed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from skill2env.models.tree import Node, Tree

Operator = Literal[
    "drop",
    "swap",
    "negate",
    "zero",
    "retype",
    "perturb",
    "duplicate",
    "reorder",
    "truncate",
    "empty",
    "null",
    "nan",
    "program",
    "same",
]
"""What was done; `program` changes what a delivered program does, `same` means the same as before."""

FATAL: tuple[Operator, ...] = ("empty", "null", "nan", "zero", "swap", "retype")
"""Operators of which no mutant may survive (docs/strength.md)."""


@dataclass(frozen=True)
class Change:
    """New content for one file, and in words what is new about it."""

    operator: Operator
    what: str
    data: bytes | None
    """The file's new content; None where the file is gone."""
    field: str = ""
    """What was changed, as all records have it: a field, a table's column; empty where the file knows no fields."""


Changes = Iterator[Change]


@dataclass(frozen=True)
class Mutant:
    """Outputs with one file changed."""

    path: str
    """The changed file, relative to the root."""
    change: Change

    def within(self, outputs: Tree) -> Tree:
        """Return the outputs with the change made."""
        changed = dict(outputs)
        if self.change.data is None:
            del changed[self.path]
        else:
            changed[self.path] = Node("file", self.change.data, outputs[self.path].mode)
        return changed

    def __str__(self) -> str:
        """Return operator, file and change in one line."""
        return f"{self.change.operator}: /{self.path}: {self.change.what}"


def dice(*seed: str) -> random.Random:
    """Return a generator that depends on nothing but the words given."""
    return random.Random(hashlib.sha256("\0".join(seed).encode("utf-8", "surrogatepass")).digest())


def short(value: object) -> str:
    """Return a value in at most 40 characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
