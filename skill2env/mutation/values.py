"""Mutants of values as JSON has them: the one set of operators behind JSON, JSON Lines, YAML and tables."""

from __future__ import annotations

import copy
import json
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from skill2env.mutation.mutant import Operator, short

Place = tuple[Any, ...]
"""Keys and indices from the root to a value."""


@dataclass(frozen=True)
class Changed:
    """A changed value."""

    operator: Operator
    what: str
    new: Any
    """The new value of the whole."""
    field: str
    """The place without indices: the same for all records."""


_PER_OPERATOR = 3
_PERTURBED = 8
"""Fields of which a slightly wrong value is tried."""
_LEAVES = 20_000
_WORDS_OF_PROSE = 5
_LONGER = 0.3
"""Share of perturbed texts that grow, which tests for a part of a text let through."""


def changed_values(document: Any, rng: random.Random, ordered: bool) -> Iterator[Changed]:
    """Yield a few changed values for each operator, at places that the generator picks.

    What only differs in the order of a list is left out, unless it is `reorder`, which is only tried where the order is
    known to matter.
    """
    places = list(_walk(document, ()))[:_LEAVES]
    leaves = [(place, value) for place, value in places if not isinstance(value, (dict, list))]
    boxes = [(place, value) for place, value in places if isinstance(value, (dict, list)) and value]
    tables: dict[Operator, list[tuple[Place, Any]]] = {
        "null": [(p, None) for p, v in leaves if v is not None],
        "nan": [(p, math.nan) for p, v in leaves if _is_number(v)],
        "zero": [(p, _zero(v)) for p, v in leaves if _zero(v) != v],
        "retype": [(p, _retyped(v)) for p, v in leaves if v is not None],
        "negate": [
            (p, (not v) if isinstance(v, bool) else -v)
            for p, v in leaves
            if isinstance(v, bool) or (_is_number(v) and v)
        ],
        "perturb": [(p, perturbed(v, rng)) for p, v in leaves if _is_number(v) or _is_word(v)],
        "empty": [(p, type(v)()) for p, v in boxes],
        "truncate": [(p, v[: len(v) // 2]) for p, v in boxes if isinstance(v, list) and len(v) > 1],
        "duplicate": [(p, [*v, copy.deepcopy(rng.choice(v))]) for p, v in boxes if isinstance(v, list)],
        "reorder": [(p, v[::-1]) for p, v in boxes if ordered and isinstance(v, list) and v != v[::-1]],
    }
    same = _unordered(document)
    for operator, choices in tables.items():
        for place, value in _picked(choices, rng, _PERTURBED if operator == "perturb" else _PER_OPERATOR):
            new = _with(document, place, value)
            if operator == "reorder" or _unordered(new) != same:
                yield Changed(operator, f"{_where(place)} becomes {short(value)}", new, _field(place))
    yield from _dropped(document, boxes, rng)
    yield from _swapped(document, leaves, rng, same)


def perturbed(value: Any, rng: random.Random) -> Any:
    """Return another value near by, further away than any sensible tolerance: text with another letter, or one more."""
    if isinstance(value, str):
        if rng.random() < _LONGER:
            return value + "x"
        spots = [index for index, char in enumerate(value) if char.isalnum()]
        if not spots:
            return value + "x"
        spot = rng.choice(spots)
        char = value[spot]
        new = (
            str((int(char) + 1) % 10)
            if char.isdecimal() and char.isascii()
            else ("x" if char != "x" else "y")
        )
        return value[:spot] + new + value[spot + 1 :]
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, value + 1, value - 1, value * 10 + 7])
    return rng.choice([value * 1.1 + 1.0, value * 10 + 7.5])


def _walk(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    yield place, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from _walk(item, (*place, key))


def _picked(choices: list[tuple[Place, Any]], rng: random.Random, most: int) -> list[tuple[Place, Any]]:
    """Return a few choices, of as many different fields as there are."""
    by_field: dict[str, list[tuple[Place, Any]]] = defaultdict(list)
    for choice in choices:
        by_field[_field(choice[0])].append(choice)
    fields = sorted(by_field)
    rng.shuffle(fields)
    return [rng.choice(by_field[field]) for field in fields[:most]]


def _dropped(document: Any, boxes: list[tuple[Place, Any]], rng: random.Random) -> Iterator[Changed]:
    keys = [
        ((*place, key), None)
        for place, box in boxes
        for key in (box if isinstance(box, dict) else range(len(box)))
    ]
    for place, _ in _picked(keys, rng, _PER_OPERATOR):
        new = copy.deepcopy(document)
        del _at(new, place[:-1])[place[-1]]
        yield Changed("drop", f"{_where(place)} is gone", new, _field(place))


def _swapped(
    document: Any, leaves: list[tuple[Place, Any]], rng: random.Random, same: str
) -> Iterator[Changed]:
    """Swap two values of one field between records, or of two fields of one record; never two items of a plain list."""
    groups: dict[tuple[str, str], list[tuple[Place, Any]]] = defaultdict(list)
    for place, value in leaves:
        if place and isinstance(place[-1], str):
            groups[_field(place), type(value).__name__].append((place, value))
    for place, value in leaves:
        if len(place) == 1 and isinstance(place[0], str):
            groups["", type(value).__name__].append((place, value))
    candidates = [group for group in groups.values() if len({repr(value) for _, value in group}) > 1]
    rng.shuffle(candidates)
    for group in candidates[:_PER_OPERATOR]:
        first = rng.choice(group)
        second = rng.choice([choice for choice in group if choice[1] != first[1]] or [first])
        new = _with(_with(document, first[0], second[1]), second[0], first[1])
        if _unordered(new) != same:
            what = f"{_where(first[0])} and {_where(second[0])} change places"
            yield Changed("swap", what, new, _field(first[0]))


def _at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document


def _with(document: Any, place: Place, value: Any) -> Any:
    if not place:
        return value
    new = copy.deepcopy(document)
    _at(new, place[:-1])[place[-1]] = value
    return new


def _unordered(value: Any) -> str:
    """Return a text that is the same for all orders of a list's items."""

    def sort(inner: Any) -> Any:
        if isinstance(inner, dict):
            return {str(key): sort(item) for key, item in inner.items()}
        if isinstance(inner, list):
            return sorted((sort(item) for item in inner), key=repr)
        return inner

    return json.dumps(sort(value), sort_keys=True, default=str)


def _field(place: Place) -> str:
    return "/".join("*" if isinstance(key, int) else str(key) for key in place)


def _where(place: Place) -> str:
    return ".".join(map(str, place)) or "the whole"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_word(value: Any) -> bool:
    """Return whether a value is text of which every character can be wrong, rather than free prose."""
    return isinstance(value, str) and value.strip() != "" and len(value.split()) < _WORDS_OF_PROSE


def _zero(value: Any) -> Any:
    return "" if isinstance(value, str) else 0 if _is_number(value) else value


_RETYPED: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (bool, lambda value: "true" if value else "false"),
    (str, lambda value: [value]),
)


def _retyped(value: Any) -> Any:
    return next((change(value) for kind, change in _RETYPED if isinstance(value, kind)), str(value))
