"""A real model on this machine proves the wire. It is far too small to plan or to write: nothing of that is asserted."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import pytest
import requests
from absent import absent
from pydantic import Field
from small_model.model_setup import Missing, serving, set_up

from skill2env.llm.client import Client
from skill2env.models.base import Record
from skill2env.models.chat import Ask, Message, Sampling, Tool
from skill2env.params import LlmParams
from skill2env.store.results import ResultStore

pytestmark = pytest.mark.slow
MODEL = "local/smollm2-135m"
GREEDY = Sampling(temperature=0, max_tokens=48)
BOUND_SEC = 60
"""For everything that the model says here."""


class Workflow(Record):
    """One workflow, as a plan has it, but short."""

    title: Annotated[str, Field(max_length=30)]
    level: Literal["easy", "medium", "hard"]
    facts: Annotated[tuple[Annotated[str, Field(max_length=20)], ...], Field(min_length=1, max_length=2)]


LOOK = Tool(
    name="read_file",
    description="Read a file and return its text.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the model answers; that it can't be had is a failure in CI."""
    try:
        set_up()
        with serving() as at:
            yield at
    except Missing as missing:
        absent(str(missing))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the records are, for all tests here."""
    return tmp_path_factory.mktemp("records")


@contextmanager
def _client(folder: Path, address: str, replay_only: bool = False) -> Iterator[Client]:
    endpoint = {
        "protocol": "openai",
        "url": f"{address}/v1",
        "concurrency": 1,
        "tries": 1,
        "total_sec": BOUND_SEC,
    }
    params = {
        "endpoints": {"local": endpoint},
        "prices": {MODEL: {"input": 0, "output": 0}},
        "replay_only": replay_only,
    }
    store = ResultStore(folder / "results.sqlite")
    with Client(LlmParams.model_validate(params), store, environ={}) as client:
        yield client
    store.close()


def _ask(text: str, **changed: object) -> Ask:
    messages = (Message(role="system", text="You are brief."), Message(role="user", text=text))
    return Ask.model_validate({"model": MODEL, "messages": messages, "sampling": GREEDY, **changed})


PLAN = _ask(
    "Name one workflow for sorting a CSV file, as JSON.", sampling=Sampling(temperature=0, max_tokens=160)
)
TALK = _ask("Say one sentence about the sea.")
WITH_TOOL = _ask("Read the file notes.txt.", tools=(LOOK,))


def test_a_request_by_schema_gives_a_record(address: str, folder: Path) -> None:
    with _client(folder, address) as client:
        workflow, completions = client.structured(PLAN, Workflow)
    assert json.loads(completions[0].text)["level"] == workflow.level
    assert len(completions) == 1 and completions[0].finish == "stop"


def test_free_text_has_its_usage_figures_and_its_bounds(address: str, folder: Path) -> None:
    with _client(folder, address) as client:
        began = time.monotonic()
        completion = client.complete(TALK)
        assert time.monotonic() - began < BOUND_SEC
    assert completion.text.strip() and completion.calls == ()
    assert 10 < completion.tokens.input < 200 and 0 < completion.tokens.output <= 48
    assert completion.finish == ("length" if completion.tokens.output == 48 else "stop")
    assert completion.money == 0 and completion.requests == 1 and completion.seconds > 0


def test_it_streams(address: str) -> None:
    body = {
        "messages": [{"role": "user", "content": "Tell me about the sea."}],
        "stream": True,
        "max_tokens": 16,
        "temperature": 0,
    }
    with requests.post(f"{address}/v1/chat/completions", json=body, stream=True, timeout=BOUND_SEC) as answer:
        pieces = [line for line in answer.iter_lines() if line.startswith(b"data: {")]
    assert len(pieces) > 5


def test_a_request_with_a_tool_ends_in_a_call_or_in_text(
    address: str, folder: Path, record_property: pytest.RecordProperty
) -> None:
    with _client(folder, address) as client:
        completion = client.complete(WITH_TOOL)
    record_property("ended", completion.finish)
    record_property("calls", [call.model_dump() for call in completion.calls])
    print(f"with a tool it ends in {completion.finish!r}: {completion.text or completion.calls}")
    assert completion.finish in ("stop", "length", "tools")
    assert bool(completion.calls) == (completion.finish == "tools") or completion.finish == "length"
    assert completion.text.strip() or completion.calls


def test_greedy_answers_repeat_and_what_is_recorded_is_not_asked(address: str, folder: Path) -> None:
    with _client(folder, address) as client:
        first, second = client.complete(TALK), client.complete(TALK.model_copy(update={"sample": 1}))
        requests_made = client.ledger.now().requests
        third = client.complete(TALK)
        assert client.ledger.now().requests == requests_made
    assert first.text == second.text
    assert third == first


def test_the_second_time_everything_comes_from_the_records(folder: Path, address: str) -> None:
    with _client(folder, address) as client:
        made = (client.structured(PLAN, Workflow)[0], client.complete(TALK), client.complete(WITH_TOOL))
    with _client(folder, "http://127.0.0.1:9", replay_only=True) as client:
        assert (
            client.structured(PLAN, Workflow)[0],
            client.complete(TALK),
            client.complete(WITH_TOOL),
        ) == made
        (row,) = client.ledger.rows()
    assert (row.outcome, row.spent.completions) == ("replayed", 3)
