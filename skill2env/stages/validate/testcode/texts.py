"""The literals of a test module, and what methods of texts make of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from skill2env.stages.validate.testcode.words import words

_PLACE = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%]|\{[^{}]*\}")
_PURE = words(
    "lower upper title casefold capitalize strip lstrip rstrip removeprefix removesuffix replace swapcase"
)
_MANY = ("split", "rsplit", "splitlines", "partition", "rpartition")
_SAME = (
    "encode",
    "decode",
    "copy",
    "elements",
    "union",
    "intersection",
    "difference",
    "symmetric_difference",
)
_LONG = 2000
"""Characters above which a text is not worked on: one that grows by itself would never end."""
_DROPPED = words(
    "sum index find count isoformat total_seconds hexdigest findall finditer match fullmatch search sub subn"
)


@dataclass(frozen=True, order=True)
class Leaf:
    """One literal."""

    line: int
    value: str
    """The text; a number as Python writes it."""
    number: bool = False
    fragment: bool = False
    """Whether it is a part of a longer text that is put together."""

    @staticmethod
    def fits(node: ast.Constant) -> bool:
        """Return whether a constant is a text or a number."""
        return isinstance(node.value, (str, bytes, int, float)) and not isinstance(node.value, bool)

    @staticmethod
    def of(node: ast.Constant) -> Leaf:
        """Return the leaf of a text or a number; bytes are read as UTF-8, or else as Latin-1."""
        value = node.value
        if isinstance(value, bytes):
            return Leaf(node.lineno, _text(value))
        return Leaf(node.lineno, str(value), number=not isinstance(value, str))

    def part(self) -> Leaf:
        """Return the same as a part of a longer text."""
        return replace(self, fragment=True)


Atom = str | Leaf
"""A kind, or a literal."""
Atoms = frozenset[Atom]
NONE: Atoms = frozenset()


def combined(
    operator: ast.operator, left: Iterable[str | Leaf], right: Iterable[str | Leaf]
) -> frozenset[str | Leaf]:
    """Return what an operation makes of the atoms of its sides."""
    if isinstance(operator, ast.Add):
        return frozenset(_joined(atom) for atom in (*left, *right))
    if isinstance(operator, ast.Mod):
        return frozenset(part for atom in left for part in _template(atom)) | _kinds(right) | _texts(right)
    if isinstance(operator, (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)):
        return frozenset((*_kinds(left), *_kinds(right), *_texts(left), *_texts(right)))
    return frozenset((*left, *right))


def method(name: str, receiver: Iterable[str | Leaf], constants: list[Any]) -> frozenset[str | Leaf]:
    """Return what a method makes of its receiver's atoms; what it makes of unknown arguments keeps the texts as parts."""
    if name in _DROPPED:
        return _kinds(receiver)
    made: set[str | Leaf] = set()
    for atom in receiver:
        if isinstance(atom, str):
            made.add(atom)
        elif name == "format":
            made |= set(_template(atom))
        elif name in _SAME or atom.number:
            made.add(atom)
        elif name in (*_PURE, *_MANY):
            made |= set(_called(atom, name, constants))
        else:
            made.add(atom.part())
    return frozenset(made)


def _called(leaf: Leaf, name: str, constants: list[Any]) -> list[Leaf]:
    """Return what a method of texts gives for a literal."""
    if len(leaf.value) > _LONG or any(
        isinstance(value, (str, bytes)) and len(value) > _LONG for value in constants
    ):
        return [leaf.part()]
    plain = [_text(value) if isinstance(value, bytes) else value for value in constants]
    try:
        given = getattr(leaf.value, name)(*plain)
    except (TypeError, ValueError):
        return [leaf.part()]
    return [replace(leaf, value=value) for value in ([given] if isinstance(given, str) else given)]


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _joined(atom: str | Leaf) -> str | Leaf:
    return atom.part() if isinstance(atom, Leaf) and not atom.number else atom


def _template(atom: str | Leaf) -> list[str | Leaf]:
    """Return the texts between the places of a template."""
    if isinstance(atom, str) or atom.number:
        return [atom]
    return [replace(atom, value=part, fragment=True) for part in _PLACE.split(atom.value) if part]


def _kinds(atoms: Iterable[str | Leaf]) -> frozenset[str | Leaf]:
    return frozenset(atom for atom in atoms if isinstance(atom, str))


def _texts(atoms: Iterable[str | Leaf]) -> frozenset[str | Leaf]:
    return frozenset(atom for atom in atoms if isinstance(atom, Leaf) and not atom.number)
