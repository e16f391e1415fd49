"""Answers by schema: faults are shown to the model, twice at most, and nothing invalid gets in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llm.clients import asking, scripted
from llm.faults import BAD_CALL, CUT_JSON, PLAN, REFUSAL, TOOL, WRONG, Plan
from llm.server import Reply, in_turn

from skill2env.errors import BadAnswer

BOTH = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
TOLD = {"structure": "told"}


@BOTH
def test_a_valid_answer_is_a_record_and_one_completion(protocol: str, tmp_path: Path) -> None:
    with scripted(lambda _: PLAN, tmp_path, protocol, TOLD) as made:
        answer, completions = made.client.structured(asking("Plan."), Plan)
    assert answer == Plan(title="Sort", steps=("look", "sort"))
    assert [completion.text for completion in completions] == [PLAN.text]


def test_the_endpoint_gets_the_schema(tmp_path: Path) -> None:
    with scripted(lambda _: PLAN, tmp_path) as made:
        made.client.structured(asking("Plan."), Plan)
        schema = made.server.requests[0].schema
    assert schema is not None and set(schema["properties"]) == {"title", "steps"}


@BOTH
def test_the_model_sees_its_answer_and_all_its_faults(protocol: str, tmp_path: Path) -> None:
    with scripted(in_turn(WRONG, PLAN), tmp_path, protocol, TOLD) as made:
        answer, completions = made.client.structured(asking("Plan."), Plan)
        repair = made.server.requests[1].messages[-2:]
    assert answer.title == "Sort" and len(completions) == 2
    assert (repair[0].role, repair[0].text) == ("assistant", WRONG.text)
    assert repair[1].role == "user"
    for fault in (
        "- title: Input should be a valid string",
        "- steps: Field required",
        "- step: Extra inputs are not permitted",
    ):
        assert fault in repair[1].text


def test_what_was_cut_is_said_to_be_too_long(tmp_path: Path) -> None:
    with scripted(in_turn(CUT_JSON, PLAN), tmp_path) as made:
        made.client.structured(asking("Plan."), Plan)
        assert "cut off at the limit of tokens; be shorter" in made.server.requests[1].messages[-1].text


def test_after_two_repairs_it_ends_with_what_was_made(tmp_path: Path) -> None:
    texts = ["none", "[]", '{"title": "x"}', PLAN.text]
    with scripted(in_turn(*map(Reply, texts)), tmp_path) as made:
        with pytest.raises(BadAnswer, match="no valid Plan in 3 answers.*steps: Field required") as caught:
            made.client.structured(asking("Plan."), Plan)
        assert made.server.count == 3 == made.store.count("completion")
    assert [completion.text for completion in caught.value.completions] == texts[:3]
    assert caught.value.exit_code == 7


def test_a_refusal_is_not_repaired(tmp_path: Path) -> None:
    with scripted(lambda _: REFUSAL, tmp_path) as made:
        with pytest.raises(BadAnswer, match="declines: I can't help with that") as caught:
            made.client.structured(asking("Plan."), Plan)
        assert made.server.count == 1
    assert caught.value.completions[0].finish == "refused"


@BOTH
def test_a_call_where_the_answer_is_due_is_answered_and_repaired(protocol: str, tmp_path: Path) -> None:
    with scripted(in_turn(BAD_CALL, PLAN), tmp_path, protocol, TOLD) as made:
        answer, _ = made.client.structured(asking("Plan.", tools=(TOOL,)), Plan)
        messages = made.server.requests[1].messages
    assert answer.title == "Sort"
    assert [message.role for message in messages][-3:] == ["assistant", "tool", "user"]
    assert "a tool is called where the answer is due" in messages[-1].text


def test_a_fence_around_the_answer_is_no_fault(tmp_path: Path) -> None:
    with scripted(lambda _: Reply(f"```json\n{PLAN.text}\n```\n"), tmp_path) as made:
        assert made.client.structured(asking("Plan."), Plan)[0].title == "Sort"


def test_a_repaired_answer_is_replayed_with_its_repair(tmp_path: Path) -> None:
    with scripted(in_turn(WRONG, PLAN), tmp_path) as made:
        first = made.client.structured(asking("Plan."), Plan)
    with scripted(lambda _: Reply("!"), tmp_path, replay_only=True) as made:
        assert made.client.structured(asking("Plan."), Plan) == first
        assert made.server.count == 0


def test_a_purpose_counts_the_repairs(tmp_path: Path) -> None:
    with scripted(in_turn(WRONG, PLAN), tmp_path) as made:
        purpose = made.client.for_purpose("plan")
        purpose.structured(asking("Plan."), Plan)
        (row,) = made.client.ledger.rows()
    assert (row.purpose, row.spent.completions) == ("plan", 2)
    assert json.loads(row.model_dump_json())["spent"]["tokens"]["input"] == 200
