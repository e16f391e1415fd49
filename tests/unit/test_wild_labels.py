"""The labels of wild skills: known verdicts and roles, each skill once, and none of their text."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

from skill2env.models.feasibility import Verdict
from skill2env.models.skill import Role

WILD = Path(__file__).parents[1] / "wild"


def rows(name: str) -> list[dict[str, str]]:
    with (WILD / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_labels_are_many_and_well_formed() -> None:
    found = rows("labels.csv")
    assert list(found[0]) == ["repository", "path", "commit", "split", "verdict", "reason"]
    assert len(found) >= 200
    assert len({(row["repository"], row["path"]) for row in found}) == len(found)
    assert {row["verdict"] for row in found} <= set(get_args(Verdict))
    assert {row["split"] for row in found} == {"development", "held"}
    assert all(len(row["commit"]) == 40 and 5 < len(row["reason"]) < 100 for row in found)


def test_blocks_are_many_and_well_formed() -> None:
    found = rows("blocks.csv")
    assert list(found[0]) == ["repository", "path", "commit", "line", "split", "role", "programs"]
    assert len(found) >= 100
    assert {row["role"] for row in found} <= set(get_args(Role))
    assert all(int(row["line"]) > 0 for row in found)
