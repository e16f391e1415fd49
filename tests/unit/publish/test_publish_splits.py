"""Splits keep skills and clusters of near copies whole, fill up where they can, and do not depend on the order of the skills."""

from __future__ import annotations

from collections import Counter

import pytest

from skill2env.stages.publish.splits import Candidate, assign


def skills(useful: int, barren: int = 0) -> dict[str, Candidate]:
    names = [(f"skill-{number}", number < useful) for number in range(useful + barren)]
    return {name: Candidate(f"cluster-of-{name}", gave) for name, gave in names}


@pytest.mark.parametrize(
    ("useful", "validation", "test", "expected"),
    [
        (0, 0.1, 0.1, {}),
        (1, 0.1, 0.1, {"train": 1}),
        (2, 0.1, 0.1, {"train": 2}),
        (3, 0.1, 0.1, {"train": 1, "validation": 1, "test": 1}),
        (12, 0.1, 0.1, {"train": 10, "validation": 1, "test": 1}),
        (20, 0.1, 0.2, {"train": 14, "validation": 2, "test": 4}),
        (12, 0.0, 0.1, {"train": 11, "test": 1}),
        (12, 0.0, 0.0, {"train": 12}),
        (4, 0.5, 0.5, {"train": 1, "validation": 1, "test": 2}),
    ],
)
def test_shares(useful: int, validation: float, test: float, expected: dict[str, int]) -> None:
    assert Counter(assign(skills(useful), validation, test).values()) == expected


def test_skills_that_gave_tasks_fill_every_split() -> None:
    for barren in (0, 5, 50):
        made = skills(3, barren)
        splits = assign(made, 0.1, 0.1)
        assert {splits[name] for name in made if made[name].gave_tasks} == {"train", "validation", "test"}


def test_three_skills_fill_every_split_though_two_gave_tasks() -> None:
    assert set(assign(skills(2, 1), 0.1, 0.1).values()) == {"train", "validation", "test"}


def test_near_copies_stay_together() -> None:
    made = skills(12)
    made |= {f"copy-{number}": Candidate(f"cluster-of-skill-{number}", False) for number in range(12)}
    splits = assign(made, 0.3, 0.3)
    assert all(splits[f"copy-{number}"] == splits[f"skill-{number}"] for number in range(12))
    assert len(set(splits.values())) == 3


def test_the_order_does_not_matter() -> None:
    made = skills(9, 4)
    assert assign(dict(reversed(made.items())), 0.2, 0.2) == assign(made, 0.2, 0.2)
