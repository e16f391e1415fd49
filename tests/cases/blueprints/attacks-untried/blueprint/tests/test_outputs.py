"""The four figures, and the export as it was."""

import json

import pytest


@pytest.fixture
def total(workspace, run):
    done = run(["jq", "-c", ".", workspace / "total.json"])
    assert done.code == 0, done.err
    return json.loads(done.out)


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
