"""Each field of each table's entry against what was planted."""

import pytest


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "reconciliation.json")


@pytest.fixture
def tables(report, truth):
    found = report["tables"]
    assert sorted(found) == sorted(truth["tables"])
    return found


@pytest.mark.check(group="counts")
def test_row_counts(tables, truth, near):
    for name, facts in truth["tables"].items():
        assert near(tables[name]["source_rows"], facts["source_rows"], 0) and near(tables[name]["target_rows"], facts["target_rows"], 0), name


@pytest.mark.check(weight=2, group="identity")
def test_keys(tables, truth):
    for name, facts in truth["tables"].items():
        assert tables[name]["key"] == facts["key"], name


@pytest.mark.check(group="rows")
def test_missing_rows(tables, truth):
    for name, facts in truth["tables"].items():
        rows = tables[name]["missing"]
        assert (rows if rows is None else sorted(rows)) == facts["missing"], name


@pytest.mark.check(group="rows")
def test_extra_rows(tables, truth):
    for name, facts in truth["tables"].items():
        rows = tables[name]["extra"]
        assert (rows if rows is None else sorted(rows)) == facts["extra"], name


@pytest.mark.check(weight=3, group="values")
def test_mismatched_values(tables, truth):
    for name, facts in truth["tables"].items():
        rows = tables[name]["mismatches"]
        assert (rows if rows is None else sorted([row["key"], row["column"]] for row in rows)) == facts["mismatches"], name


@pytest.mark.check(group="schema")
def test_drift(tables, truth):
    for name, facts in truth["tables"].items():
        assert sorted([entry["column"], entry["kind"]] for entry in tables[name]["drift"]) == facts["drift"], name


@pytest.mark.check(group="verdict")
def test_results(tables, truth):
    for name, facts in truth["tables"].items():
        assert tables[name]["result"] == facts["result"], name


@pytest.mark.check(group="verdict")
def test_summary(report, truth, near):
    summary = report["summary"]
    assert near(summary["passed"], truth["passed"], 0) and near(summary["failed"], truth["failed"], 0) and near(summary["skipped"], truth["skipped"], 0)


@pytest.mark.guard
def test_extracts_are_untouched(output, digest, truth):
    folder = output("/srv/extracts")
    assert {str(path.relative_to(folder)): digest(path) for path in folder.rglob("*") if path.is_file()} == truth["inputs"]
