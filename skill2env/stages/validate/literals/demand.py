"""What tests demand of outputs: one literal, and all of a module."""

from __future__ import annotations

from dataclasses import dataclass

from skill2env.stages.validate.testcode import Leaf


@dataclass(frozen=True, order=True)
class Demand:
    """One literal that outputs must hold."""

    line: int
    value: str
    noun: str
    """What it is: a key, a path, ..."""
    number: bool = False
    fragment: bool = False
    """Whether it is a part of a longer text."""
    any_case: bool = False
    """Whether the tests take it in any case."""
    others: tuple[str, ...] = ()
    """Other literals that the tests take in its place."""


@dataclass(frozen=True)
class Demands:
    """What a test module demands, and what it gives."""

    demands: tuple[Demand, ...]
    """Each value once for each noun, at its first line."""
    given: frozenset[str]
    """Texts that the tests hand to delivered programs; what comes back out of them is no surprise."""
    terms: frozenset[str]
    """Words of the languages in which outputs are read, such as HTML's tags."""


def value_of(leaf: Leaf, any_case: bool = False, others: tuple[str, ...] = ()) -> Demand:
    """Return the demand of a text or number as a value."""
    noun = "number" if leaf.number else "text"
    return Demand(leaf.line, leaf.value, noun, leaf.number, leaf.fragment, any_case, others)
