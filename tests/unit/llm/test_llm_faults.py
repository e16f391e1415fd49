"""Every fault of an endpoint ends bounded, is counted, and is recorded or not as it should be; the page says the same."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from llm.faults import BEGIN, BOUND_SEC, CASES, END, PAGE, PROTOCOLS, Case, measure
from llm.server import KEY


@dataclass(frozen=True)
class Told:
    """What must come of a fault: how it ends, HTTP requests, cents counted, completions recorded."""

    ends: str
    requests: int
    cents: int
    recorded: int


ANSWERED = "answered"
EXPECTED = {
    "none": Told(ANSWERED, 1, 20, 1),
    "429, Retry-After 1 (second), then well": Told(ANSWERED, 2, 20, 1),
    "429, Retry-After a date 2 seconds away, then well": Told(ANSWERED, 2, 20, 1),
    "429, Retry-After 3600, then well": Told(ANSWERED, 2, 20, 1),
    "429, then well": Told(ANSWERED, 2, 20, 1),
    "429 for ever": Told("ModelError: the endpoint limits the rate", 3, 0, 0),
    "429, quota exhausted": Told("EndpointUnusable: the quota or credit is exhausted", 1, 0, 0),
    "500, then well": Told(ANSWERED, 2, 20, 1),
    "500 for ever": Told("ModelError: the endpoint failed (HTTP 500): it does not work today", 3, 0, 0),
    "529, then well": Told(ANSWERED, 2, 20, 1),
    "400": Told("ModelError: the endpoint refuses the request (HTTP 400): max_tokens is too large", 1, 0, 0),
    "401, repeats the key": Told("EndpointUnusable: the endpoint refuses the key", 1, 0, 0),
    "no answer, for ever": Told("ModelError: no byte within idle_sec", 3, 0, 0),
    "reset in mid-stream, then well": Told(ANSWERED, 2, 20, 1),
    "reset in mid-stream, for ever": Told("ModelError: the connection broke", 3, 0, 0),
    "stream cut short, then well": Told(ANSWERED, 2, 20, 1),
    "stream cut short, for ever": Told("ModelError: the stream was cut short", 3, 0, 0),
    "error in mid-stream, then well": Told(ANSWERED, 2, 20, 1),
    "error in mid-stream, for ever": Told(
        "ModelError: the endpoint failed (in the stream): Overloaded", 3, 0, 0
    ),
    "a page of HTML, for ever": Told(
        "ModelError: the stream was cut short, or what came can't be read", 3, 0, 0
    ),
    "slow drip, for ever": Told("ModelError: no whole answer within total_sec (1.5 s)", 3, 0, 0),
    "empty answer, then well": Told(ANSWERED, 2, 40, 1),
    "empty answer, for ever": Told("ModelError: the answer is empty", 3, 60, 0),
    "cut JSON, then well": Told("answered by schema (Sort) after 1 repair", 2, 40, 2),
    "cut JSON, for ever": Told("BadAnswer: the model gives no valid Plan in 3 answers", 3, 60, 3),
    "wrong schema, then well": Told("answered by schema (Sort) after 1 repair", 2, 40, 2),
    "wrong schema, for ever": Told("BadAnswer: the model gives no valid Plan in 3 answers", 3, 60, 3),
    "refusal": Told("refused", 1, 20, 1),
    "refusal where a schema is asked for": Told("BadAnswer: the model or its endpoint declines", 1, 20, 1),
    "tool call with bad arguments": Told('answered, with the call as it came: {"path": no', 1, 20, 1),
}
BROKEN_STREAMS = ("reset", "stream", "error", "slow")
WAITS = {
    "429, Retry-After 1 (second), then well": 1.0,
    "429, Retry-After a date 2 seconds away, then well": 0.9,
}


def _expected_cents(case: Case, protocol: str) -> int:
    """Anthropic counts what it has read as a stream begins: 10 cents, and one for the first token it writes."""
    told = EXPECTED[case.fault]
    broken = told.requests - (told.ends == ANSWERED) if case.fault.startswith(BROKEN_STREAMS) else 0
    return told.cents + 11 * broken * (protocol == "anthropic")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault)
def test_a_fault_ends_as_the_table_says(case: Case, protocol: str) -> None:
    told, row = EXPECTED[case.fault], measure(case, protocol)
    assert row.happened.startswith(told.ends)
    assert (row.requests, row.counted, row.recorded) == (told.requests, told.requests, told.recorded)
    assert round(row.money * 100) == _expected_cents(case, protocol)
    assert WAITS.get(case.fault, 0) <= row.seconds < BOUND_SEC
    assert KEY not in row.happened
    lines = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    assert f"| {' | '.join(row.cells())} |" in lines.splitlines(), "run `make faults`"


def test_the_page_has_every_fault_and_no_other() -> None:
    lines = PAGE.read_text().split(BEGIN)[1].split(END)[0].strip().splitlines()[2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [
        case.fault for case in CASES for _ in PROTOCOLS
    ]
