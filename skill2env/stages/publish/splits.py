"""Splits: whole skills, and all near copies of one another, go to one split, by rank of a stable hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TRAIN, VALIDATION, TEST = "train", "validation", "test"
_FEWEST = 3


@dataclass(frozen=True)
class Candidate:
    """What decides where a skill goes."""

    cluster: str
    """The cluster of near copies that it belongs to; equal ones stay together."""
    gave_tasks: bool
    """Whether a task of it was accepted."""


def assign(skills: Mapping[str, Candidate], validation_share: float, test_share: float) -> dict[str, str]:
    """Return the split of every skill.

    Skills that gave tasks are shared out by themselves, so that the splits of `tasks` are not empty where there are three
    or more of them; each share above 0 then gets at least one.

    Args:
        skills: every skill, by id.
        validation_share: share of the skills for validation, 0 to 0.5.
        test_share: share of the skills for test, 0 to 0.5.
    """
    groups: dict[str, list[str]] = {}
    for skill, candidate in skills.items():
        groups.setdefault(candidate.cluster, []).append(skill)
    ranked = sorted(groups.values(), key=lambda group: _hash(min(group)))
    useful: list[list[str]] = []
    barren: list[list[str]] = []
    for group in ranked:
        (useful if any(skills[skill].gave_tasks for skill in group) else barren).append(group)
    strata = [useful, barren] if len(useful) >= _FEWEST else [ranked]
    splits: dict[str, str] = {}
    for stratum, groups_of in enumerate(strata):
        names = _shared_out(len(groups_of), validation_share, test_share, at_least=1 if stratum == 0 else 0)
        for group, split in zip(groups_of, names, strict=True):
            splits.update(dict.fromkeys(group, split))
    return splits


def _shared_out(count: int, validation_share: float, test_share: float, at_least: int) -> Iterable[str]:
    """Return the splits of `count` groups in the order of their rank; training always keeps one."""
    least = at_least if count >= _FEWEST else 0
    test = min(max(int(count * test_share + 0.5), least if test_share else 0), max(count - 1, 0))
    validation = max(int(count * validation_share + 0.5), least if validation_share else 0)
    validation = min(validation, max(count - test - 1, 0))
    return [TEST] * test + [VALIDATION] * validation + [TRAIN] * (count - test - validation)


def _hash(skill: str) -> str:
    return hashlib.sha256(f"split:{skill}".encode("utf-8", "surrogatepass")).hexdigest()
