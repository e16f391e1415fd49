"""The delivered program on hidden days: in order, shuffled, delivered again and again, and moved to another month."""

import json

import pytest

FIELDS = ("user", "start", "end", "events", "revenue", "day")


@pytest.fixture
def sessionise(workspace, hidden, run):
    def on(name):
        result = run(["python3", workspace / "sessionise.py"], stdin=hidden(name).read_text(encoding="utf-8"), timeout=10)
        assert not result.timed_out and result.code == 0, result.err[-500:]
        rows = [json.loads(line) for line in result.out.splitlines() if line.strip()]
        assert all(isinstance(row.get("events"), int) and not isinstance(row.get("events"), bool) for row in rows)
        return rows

    return on


def shape(rows, fields):
    return sorted(tuple(str(row.get(field)) for field in fields) for row in rows)


@pytest.mark.check(weight=2, group="sessions")
def test_sessions_begin_and_end_where_the_contract_says(sessionise, truth):
    assert shape(sessionise("ordered.jsonl"), FIELDS[:4]) == shape(truth["sessions"], FIELDS[:4])


@pytest.mark.check(group="values")
def test_revenue_and_day_of_each_session(sessionise, truth):
    assert shape(sessionise("ordered.jsonl"), FIELDS) == shape(truth["sessions"], FIELDS)


@pytest.mark.check(group="invariants")
def test_order_of_the_feed_does_not_matter(sessionise, truth):
    assert shape(sessionise("shuffled.jsonl"), FIELDS) == shape(truth["sessions"], FIELDS)


@pytest.mark.check(group="invariants")
def test_redelivery_does_not_matter(sessionise, truth):
    assert shape(sessionise("repeated.jsonl"), FIELDS) == shape(truth["sessions"], FIELDS)


@pytest.mark.check(group="invariants")
def test_another_month_gives_the_same_sessions_later(sessionise, truth):
    assert shape(sessionise("shifted.jsonl"), FIELDS) == shape(truth["shifted"], FIELDS)


@pytest.mark.guard
def test_an_empty_feed_gives_no_sessions(workspace, run):
    result = run(["python3", workspace / "sessionise.py"], stdin="", timeout=10)
    assert result.code == 0 and not result.out.strip()
