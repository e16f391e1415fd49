"""The new prices, the bytes around them, and the rows that could not be used."""

import csv
import io

import pytest


def table(data):
    """Records by article number, as a CSV parser sees them."""
    rows = [row for row in csv.reader(io.StringIO(data.decode("cp1252"), newline=""), delimiter=";") if row]
    return {row[0]: row for row in rows[1:]}


@pytest.fixture
def edited(workspace, read_bytes):
    return read_bytes(workspace / "articles.csv")


@pytest.mark.check(weight=2, group="prices")
def test_new_prices(edited, truth):
    records = table(edited)
    assert {number: records[number][3] for number in truth["changes"]} == {number: cells[0] for number, cells in truth["changes"].items()}


@pytest.mark.check(group="prices")
def test_days_from_which_they_are_valid(edited, truth):
    records = table(edited)
    assert {number: records[number][5] for number in truth["changes"]} == {number: cells[1] for number, cells in truth["changes"].items()}


@pytest.mark.check(weight=2, group="bytes")
def test_whole_file_byte_for_byte(edited, hidden, read_bytes):
    wanted = read_bytes(hidden("articles.csv"))
    assert edited.split(b"\r\n") == wanted.split(b"\r\n")


@pytest.mark.check(weight=2, group="open")
def test_rows_that_could_not_be_used(workspace, read_csv, truth):
    rows = read_csv(workspace / "open.csv")
    assert [[row["line"], row["article_no"], row["reason"]] for row in rows] == truth["open"]


@pytest.mark.guard
def test_records_that_the_list_does_not_change_are_still_there(edited, hidden, read_bytes, truth):
    wanted = read_bytes(hidden("articles.csv"))
    changed = {number.encode() for number in truth["changes"]}
    kept = [line for line in wanted.split(b"\r\n") if line.split(b";")[0].strip(b'"') not in changed]
    assert len(kept) == truth["kept"] + 2
    assert set(kept) <= set(edited.split(b"\r\n"))


@pytest.mark.guard
def test_inbox_is_untouched(workspace, digest, truth):
    for name, expected in truth["inbox"].items():
        assert digest(workspace / "inbox" / name) == expected
