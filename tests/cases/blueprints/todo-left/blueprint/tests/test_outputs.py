"""The four figures, and the export as it was."""

import pytest


@pytest.fixture
def total(workspace, read_json):
    return read_json(workspace / "total.json")


@pytest.mark.check(weight=2, group="sum")
def test_total(total, truth):
    assert total["total_cents"] == truth["total_cents"]


@pytest.mark.check(group="count")
def test_receipts(total, truth):
    assert total["receipts"] == truth["receipts"]


@pytest.mark.check(group="ends")
@pytest.mark.parametrize("end", ["first", "last"])
def test_ends(total, truth, end):
    assert total[end] == truth[end]


@pytest.mark.guard
def test_export_is_untouched(workspace, digest, truth):
    assert digest(workspace / "till.csv") == truth["export"]


# TODO(skill2env): say what else must stay as it was
