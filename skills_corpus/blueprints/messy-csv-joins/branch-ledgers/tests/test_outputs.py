"""This month's ledger column by column, and the program on exports it has never seen."""

import base64
import csv
import io
import json

import pytest

HEADER = ["doc_no", "customer_no", "customer", "booked_on", "amount"]


def rows_of(data):
    """The rows of a ledger in the format asked for: no BOM, no carriage return, the header first."""
    assert not data.startswith(b"\xef\xbb\xbf") and b"\r" not in data
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    assert rows[0] == HEADER
    return rows[1:]


@pytest.fixture
def ledger(workspace, read_bytes):
    return rows_of(read_bytes(workspace / "ledger.csv"))


@pytest.fixture
def expected(hidden):
    return json.loads(hidden("ledger.json").read_text(encoding="utf-8"))


@pytest.mark.check(weight=2, group="ledger")
def test_each_document_once_and_in_order(ledger, expected, truth):
    assert [row[0] for row in ledger] == [row[0] for row in expected]
    assert len(ledger) == truth["documents"]


@pytest.mark.check(group="ledger")
@pytest.mark.parametrize("column", ["customer_no", "customer", "booked_on", "amount"])
def test_cells_of_every_document(ledger, expected, column):
    n = HEADER.index(column)
    assert [[row[0], row[n]] for row in ledger] == [[row[0], row[n]] for row in expected]


@pytest.mark.check(group="ledger")
def test_sum_of_the_ledger(ledger, truth):
    assert sum(int(row[4].replace(".", "")) for row in ledger) == truth["sum_cents"]


@pytest.mark.check(weight=2, group="program")
@pytest.mark.parametrize("trial", ["next month", "next month, backwards"])
def test_program_on_other_exports(workspace, hidden, read_bytes, run, trial):
    case = json.loads(hidden("trials.json").read_text(encoding="utf-8"))[trial]
    read_bytes(workspace / "normalise")
    files = {name: base64.b64decode(data) for name, data in case["inputs"].items()}
    done = run([workspace / "normalise", "out.csv", *files], files=files, timeout=20)
    assert done.code == 0, done.err[-300:]
    assert rows_of(done.files["out.csv"]) == case["expected"]


@pytest.mark.guard
def test_exports_are_untouched(output, digest, truth):
    for path, expected in truth["digests"].items():
        assert digest(output(path)) == expected
