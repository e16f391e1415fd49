"""Chooses the mutants of a task: of every file and every operator some, within a number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from skill2env.models.tree import Tree
from skill2env.mutation.formats import mutations
from skill2env.mutation.mutant import FATAL, Mutant, Operator, dice
from skill2env.mutation.repositories import mutate_repository, repositories
from skill2env.mutation.text import LINES

_ORDER = re.compile(
    r"\b(sorted|ascending|descending|alphabetical(ly)?|chronological(ly)?|oldest first|newest first|earliest first|latest first"
    r"|in (the )?order (of|in which)|ordered by|in that order|by \w+, then)\b",
    re.IGNORECASE,
)
_ANY_ORDER = re.compile(r"\b(any order|no particular order|order (does not|doesn't) matter)\b", re.IGNORECASE)
_EXACT_FORM = re.compile(
    r"\b(indent(ed|ation)?|formatting|white ?space|final newline|trailing newline|minimal diff)\b",
    re.IGNORECASE,
)
"""The instruction prescribes the form of what is written."""
_STAYS = re.compile(
    r"\b(byte for byte|byte-for-byte|(very )?same bytes|verbatim|stays? as|remains? as|leave .* as)\b",
    re.IGNORECASE,
)
"""The instruction wants something to stay as it is: files that are edited may have no other form, new ones may."""
_TURNS = 8
_MORE_TURNS = 4
_ALIKE = 4
"""Mutants that are made to confirm a survivor."""
_GUARDED: tuple[Operator, ...] = ("drop", "perturb")
"""What is done to files of an untouched output."""
_UNTOUCHED = 2
"""Files of each untouched output of which mutants are made."""


def mutants(
    outputs: Tree, declared: tuple[str, ...], world: Tree, instruction: str, most: int
) -> tuple[Mutant, ...]:
    """Return at most `most` mutants of the right outputs that must be refused, and all that mean the same.

    The choice depends on the outputs alone. `declared` are the absolute paths of the outputs: one of which the work touches
    nothing is only declared so that it can be guarded, and changes to it must be refused too. Mutants that mean the same are
    only made of files that the work made or changed, and only where the instruction does not prescribe their form.
    """
    ordered = _in_order(instruction)
    repos = repositories(outputs)
    found: list[Mutant] = []
    for root, _ in repos:
        found += mutate_repository(outputs, root, dice("repository", root))
    for path in _worth_changing(outputs, declared, world, tuple(folder for _, folder in repos)):
        touched = path not in world or world[path].data != outputs[path].data
        rng = dice(path, str(len(outputs[path].data)))
        changes = mutations(path, outputs[path].data, rng, ordered)
        if not touched:
            first = {change.operator: change for change in reversed(changes)}
            changes = [first[operator] for operator in _GUARDED if operator in first]
        elif _EXACT_FORM.search(instruction) or (path in world and _STAYS.search(instruction)):
            changes = [change for change in changes if change.operator != "same"]
        elif _STAYS.search(instruction):
            changes = [change for change in changes if change.field != LINES]
        found += [Mutant(path, change) for change in changes]
    data = [mutant for mutant in found if mutant.change.operator not in ("program", "same")]
    programs = [mutant for mutant in found if mutant.change.operator == "program"]
    same = [mutant for mutant in found if mutant.change.operator == "same"]
    return (*_spread(data, most), *_spread(programs, most // 3), *same[:most])


def alike(mutant: Mutant, outputs: Tree, world: Tree, instruction: str) -> tuple[Mutant, ...]:
    """Return other mutants of the same kind, for instance of the same field of the same file.

    Where the work left the file alone, they are of files beside it. A survivor may be one of the few changes that mean the
    same; if those like it survive too, nobody looks there.
    """
    path = mutant.path
    touched = path not in world or world[path].data != outputs[path].data
    beside = [
        other
        for other, node in sorted(outputs.items())
        if node.kind == "file" and other.rpartition("/")[0] == path.rpartition("/")[0] and other in world
    ]
    found: dict[bytes | None, Mutant] = {}
    for turn in range(_TURNS):
        for other in [path] if touched else beside:
            rng = dice("alike", other, str(turn))
            for change in mutations(other, outputs[other].data, rng, _in_order(instruction)):
                same_kind = change.operator == mutant.change.operator and change.field == mutant.change.field
                if same_kind and (other, change.data) != (path, mutant.change.data):
                    found.setdefault(change.data, Mutant(other, change))
    return tuple(found.values())[:_ALIKE]


def _in_order(instruction: str) -> bool:
    return bool(_ORDER.search(instruction)) and not _ANY_ORDER.search(instruction)


def _worth_changing(
    outputs: Tree, declared: tuple[str, ...], world: Tree, repos: tuple[str, ...]
) -> list[str]:
    """Return the files that the work made or changed, and a few of each output of which it touches none; no repositories."""
    files = [
        path for path, node in sorted(outputs.items()) if node.kind == "file" and not path.startswith(repos)
    ]
    touched = [path for path in files if path not in world or world[path].data != outputs[path].data]
    untouched: dict[str, list[str]] = defaultdict(list)
    for path in files:
        output = next((output for output in declared if f"/{path}/".startswith(f"{output}/")), "")
        untouched[output].append(path)
    for path in touched:
        for output in [output for output in untouched if path in untouched[output]]:
            del untouched[output]
    rng = dice("untouched", *files)
    guarded = [
        path for group in untouched.values() for path in rng.sample(group, min(len(group), _UNTOUCHED))
    ]
    return [*guarded, *touched]


def _spread(found: Iterable[Mutant], most: int) -> list[Mutant]:
    """Return at most `most`, taking turns among operators, and within an operator among files; the fatal ones first.

    Slightly wrong values have five turns: they are what tests that look too loosely let through.
    """
    piles: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in found:
        piles[mutant.change.operator][mutant.path].append(mutant)
    operators = sorted(piles, key=lambda operator: (operator not in FATAL, operator))
    queues = {operator: _in_turn(list(piles[operator].values())) for operator in operators}
    chosen: list[Mutant] = []
    while len(chosen) < most and any(queues.values()):
        for operator in [*operators, *(["perturb"] * _MORE_TURNS if "perturb" in queues else [])]:
            if queues[operator] and len(chosen) < most:
                chosen.append(queues[operator].pop(0))
    return chosen


def _in_turn(piles: list[list[Mutant]]) -> list[Mutant]:
    longest = max(map(len, piles), default=0)
    return [pile[index] for index in range(longest) for pile in piles if index < len(pile)]
