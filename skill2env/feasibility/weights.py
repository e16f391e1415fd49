"""The weights of the measures, learned from labelled skills by `make weights`; docs/feasibility.md says how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import get_args

from skill2env.feasibility.measures import Measures, Place
from skill2env.models.feasibility import Verdict

Row = tuple[float, ...]
"""What one unit of a measure adds to each verdict's score against `practicable`, in the order of `Weights.verdicts`."""


@dataclass(frozen=True)
class Term:
    """One measure of a skill that counts."""

    name: str
    """Name of a signal or a size, or the word."""
    kind: str
    """`signals`, `sizes`, or the place of a word."""
    line: int
    """Where the word is first seen; 0 for what is no word, or has no line."""
    added: Row
    """What it adds to the scores."""


@dataclass(frozen=True)
class Weights:
    """All weights."""

    verdicts: tuple[Verdict, ...]
    """Those against practice that can be told apart by weights."""
    base: Row
    """Scores of a skill without any measure."""
    tables: dict[str, dict[str, Row]]
    """By kind of measure, then by name or word."""

    def terms(self, measures: Measures) -> Iterator[Term]:
        """Yield what counts of a skill's measures."""
        for kind, values in (("signals", measures.points), ("sizes", measures.sizes)):
            for name, value in values.items():
                if name in self.tables[kind]:
                    yield Term(name, kind, 0, tuple(value * weight for weight in self.tables[kind][name]))
        for place in get_args(Place):
            table = self.tables[place]
            known = {word: line for word, line in measures.words[place].items() if word in table}
            for word, line in known.items():
                share = len(known) ** -0.5
                yield Term(word, place, line, tuple(share * weight for weight in table[word]))


@cache
def load_weights() -> Weights:
    """Return the weights that are part of the package."""
    given = json.loads(files("skill2env.feasibility").joinpath("weights.json").read_text("utf-8"))
    tables = {
        kind: {name: tuple(row) for name, row in rows.items()} for kind, rows in given["weights"].items()
    }
    return Weights(tuple(given["verdicts"]), tuple(given["base"]), tables)
