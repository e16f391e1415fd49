"""The four figures, as a hidden file has them, and the export as it was."""

import hashlib
import json
import random

import pytest


@pytest.fixture
def total(workspace, read_json):
    return read_json(workspace / "total.json")


@pytest.fixture
def figures(hidden):
    with hidden("figures.json").open(encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.check(weight=2, group="sum")
def test_total(total, figures):
    assert abs(total["total_cents"] - figures["total_cents"]) <= 0


@pytest.mark.check(group="count")
def test_receipts(total, figures):
    assert total["receipts"] == figures["receipts"]


@pytest.mark.check(group="ends")
@pytest.mark.parametrize("end", ["first", "last"])
def test_ends(total, figures, end):
    assert total[end] == figures[end]


@pytest.mark.guard
def test_the_lines_of_the_export_are_as_they_were(workspace, read_text, truth):
    lines = read_text(workspace / "till.csv").splitlines()
    random.Random(truth["seed"]).shuffle(lines)
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == truth["shuffled"]
