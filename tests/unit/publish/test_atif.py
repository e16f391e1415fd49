"""ATIF documents keep the format's rules, which the models here state independently."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from unit.publish.made import LONG, World, scripts, task, trial

from skill2env.interop.atif import call_id, document, observed
from skill2env.models import chat
from skill2env.models.chat import Message, Tokens
from skill2env.models.trial import ModelPart, StepRecord, Trial, Turn


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Agent(Strict):
    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class ToolCall(Strict):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]


class Result(Strict):
    source_call_id: str
    content: str


class Observation(Strict):
    results: list[Result]


class Metrics(Strict):
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float | None = None


class Step(Strict):
    step_id: Annotated[int, Field(ge=1)]
    source: Literal["system", "user", "agent"]
    message: str
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    llm_call_count: int | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _rules(self) -> Self:
        calls = {call.tool_call_id for call in self.tool_calls or ()}
        if self.source != "agent" and calls:
            raise ValueError("only agents call tools")
        if self.metrics and (self.source != "agent" or self.llm_call_count == 0):
            raise ValueError("only a model's call has metrics")
        if self.observation and {result.source_call_id for result in self.observation.results} != calls:
            raise ValueError("observations answer the calls of their own step")
        return self


class FinalMetrics(Strict):
    total_prompt_tokens: int
    total_completion_tokens: int
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int


class Trajectory(Strict):
    schema_version: Literal["ATIF-v1.8"]
    session_id: str
    trajectory_id: str
    agent: Agent
    steps: Annotated[list[Step], Field(min_length=1)]
    notes: str | None = None
    final_metrics: FinalMetrics
    extra: dict[str, Any]

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("step ids count from 1")
        return self


@pytest.fixture
def made() -> dict[str, Any]:
    world = World()
    one = task("alpha", "easy", 1, world)
    return document(trial(one, scripts()[0], world), "alpha/reference", one.instruction, 400)


def test_a_document_keeps_the_rules(made: dict[str, Any]) -> None:
    read = Trajectory.model_validate_json(json.dumps(made))
    assert [(step.source, step.message) for step in read.steps] == [
        ("user", "Please look into alpha--break-in--easy-s1.\n"),
        ("agent", "Look first."),
        ("agent", ""),
    ]
    assert read.steps[1].tool_calls == [
        ToolCall(tool_call_id="call00001", function_name="bash", arguments={"command": "ls"})
    ]
    assert read.steps[2].observation == Observation(
        results=[Result(source_call_id="call00002", content="pid 1.0\n[exit code 1]")]
    )
    assert {step.llm_call_count for step in read.steps[1:]} == {0}
    assert read.final_metrics.total_steps == 3


def test_the_models_above_refuse_what_is_no_document(made: dict[str, Any]) -> None:
    made["steps"][1]["observation"]["results"][0]["source_call_id"] = "call00009"
    with pytest.raises(ValidationError, match="answer the calls"):
        Trajectory.model_validate_json(json.dumps(made))


def spoken(*messages: Message, role: str = "model") -> Trial:
    """Return the trial of a model that said such things, each of its messages for 10 + 2 tokens and 0.5 dollars."""
    world = World()
    one = task("alpha", "easy", 1, world)
    said = sum(message.role == "assistant" for message in messages)
    turn = Turn(tokens=Tokens(input=10, cached=4, output=2), money=0.5, seconds=1.5, finish="tools")
    part = ModelPart(
        model="e/m", condition="mounted", attempt=2, finish="done", turns=(turn,) * said, messages=messages
    )
    return trial(one, scripts()[0], world).model_copy(update={"model": part, "role": role, "agent": "e/m"})


def called(number: int, arguments: str = '{"command": "ls"}') -> chat.ToolCall:
    return chat.ToolCall(id=call_id(number), name="bash", arguments=arguments)


SAID = (
    Message(role="system", text="You act."),
    Message(role="user", text="Do it."),
    Message(role="assistant", text="Look.", calls=(called(1), called(2, "{"))),
    Message(role="tool", text="one\n", call_id=call_id(1)),
    Message(role="tool", text="no JSON", call_id=call_id(2)),
    Message(role="assistant", text="Done."),
    Message(role="user", text="You called no tool."),
    Message(role="assistant", text="Yes, done."),
)


def test_a_models_document_keeps_the_rules_and_says_what_it_cost() -> None:
    written = document(spoken(*SAID), "alpha/model", "Do it.", 400)
    read = Trajectory.model_validate_json(json.dumps(written))
    assert [step.source for step in read.steps] == ["system", "user", "agent", "agent", "user", "agent"]
    assert read.steps[2].tool_calls is not None and read.steps[2].observation is not None
    assert [call.arguments for call in read.steps[2].tool_calls] == [{"command": "ls"}, {"malformed": "{"}]
    assert [result.content for result in read.steps[2].observation.results] == ["one\n", "no JSON"]
    assert read.steps[2].metrics == Metrics(
        prompt_tokens=10, completion_tokens=2, cached_tokens=4, cost_usd=0.5
    )
    totals = FinalMetrics(
        total_prompt_tokens=30,
        total_completion_tokens=6,
        total_cached_tokens=12,
        total_cost_usd=1.5,
        total_steps=6,
    )
    assert read.final_metrics == totals
    assert (read.agent.name, read.agent.model_name, read.notes) == ("skill2env-agent", "e/m", None)


def test_calls_that_the_end_left_without_an_answer_are_told() -> None:
    written = document(spoken(*SAID[:4]), "alpha/model", "Do it.", 400)
    results = Trajectory.model_validate_json(json.dumps(written)).steps[2].observation
    assert results is not None
    assert [result.content for result in results.results] == ["one\n", "[the command did not end]"]


def test_an_agent_that_ran_elsewhere_keeps_its_name() -> None:
    written = document(spoken(*SAID, role="external"), "x", "Do it.", 400)
    assert written["agent"]["name"] == "e/m"
    assert "tool_definitions" not in written["agent"]
    assert document(spoken(role="external"), "x", "Do it.", 400)["steps"] == [
        {"step_id": 1, "source": "user", "message": "Do it."}
    ]


def step(output: str, size: int | None = None, exit_code: int | None = 0) -> StepRecord:
    return StepRecord(
        why="",
        command="x",
        output=output,
        output_bytes=len(output) if size is None else size,
        exit_code=exit_code,
        seconds=0,
    )


def test_a_long_output_loses_its_middle() -> None:
    shown = observed(step(LONG), 200)
    assert shown.startswith("first line\nxxx")
    assert shown.endswith("xxx\nlast line\n")
    assert f"\n[... {len(LONG) - 200} characters left out ...]\n" in shown
    assert len(shown) - len(f"\n[... {len(LONG) - 200} characters left out ...]\n") == 200


def test_what_was_never_recorded_is_counted_too() -> None:
    assert "[... 1000800 characters left out ...]" in observed(step("y" * 1000, 1_001_000), 200)


@pytest.mark.parametrize(
    ("output", "exit_code", "shown"),
    [
        ("fine\n", 0, "fine\n"),
        ("", 3, "[exit code 3]"),
        ("no newline", 1, "no newline\n[exit code 1]"),
        ("hangs\n", None, "hangs\n[the command did not end]"),
    ],
)
def test_a_bad_end_is_told(output: str, exit_code: int | None, shown: str) -> None:
    assert observed(step(output, exit_code=exit_code), 200) == shown


def test_call_ids_suit_every_template() -> None:
    assert {len(call_id(number)) for number in (1, 99, 99_999)} == {9}
    assert call_id(7).isalnum()
