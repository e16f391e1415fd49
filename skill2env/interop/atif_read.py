"""Reads other people's ATIF documents (versions 1.0 to 1.8): what was said, done and seen, and what it cost.

The format's rules are those of Harbor's own models (`harbor/models/trajectories`, 0.26).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from skill2env.interop.atif import storable
from skill2env.models.base import canonical_json
from skill2env.models.chat import Message, Tokens, ToolCall
from skill2env.models.trial import StepRecord, Turn

_COMMANDS = ("command", "cmd", "keystrokes")
"""Arguments in which the field's agents have what they run in a shell."""
MAX_SEEN_CHARS = 64 << 20
"""Of all calls together; a result that names no call counts for each call of its step, and so can stand for any amount."""
MAX_LEVELS = 100
"""Lists and objects within each other in the arguments of a call; whoever writes them out again has a stack too."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Part(BaseModel):
    """A part of a message: text, or something that is not text and is not read."""

    type: str
    text: str | None = None


class Agent(_Strict):
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class Call(_Strict):
    """A call of a tool."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class Result(_Strict):
    """What came of a call."""

    source_call_id: str | None = None
    content: str | list[Part] | None = None
    subagent_trajectory_ref: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class Observation(_Strict):
    """What the agent saw."""

    results: list[Result]


class Metrics(_Strict):
    """What a step cost."""

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    extra: dict[str, Any] | None = None


class Step(_Strict):
    """One message, with what was done in it."""

    step_id: int = Field(ge=1)
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: str | list[Part]
    reasoning_content: str | None = None
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = Field(default=None, ge=0)
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _agents_alone(self) -> Self:
        agents = (
            self.model_name,
            self.reasoning_effort,
            self.reasoning_content,
            self.tool_calls,
            self.metrics,
        )
        if self.source != "agent" and any(value is not None for value in agents):
            raise ValueError("only an agent's step has calls, reasoning, a model or metrics")
        if self.llm_call_count == 0 and (self.metrics or self.reasoning_content is not None):
            raise ValueError("a step without a model's call has no metrics and no reasoning")
        calls = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation else ():
            if result.source_call_id is not None and result.source_call_id not in calls:
                raise ValueError(
                    f"an observation answers {result.source_call_id!r}, which its step does not call"
                )
        return self


class Document(_Strict):
    """A whole trajectory."""

    schema_version: Literal[
        "ATIF-v1.0",
        "ATIF-v1.1",
        "ATIF-v1.2",
        "ATIF-v1.3",
        "ATIF-v1.4",
        "ATIF-v1.5",
        "ATIF-v1.6",
        "ATIF-v1.7",
        "ATIF-v1.8",
    ]
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent
    steps: list[Step] = Field(min_length=1)
    notes: str | None = None
    final_metrics: dict[str, Any] | None = None
    continued_trajectory_ref: str | None = None
    extra: dict[str, Any] | None = None
    subagent_trajectories: list[dict[str, Any]] | None = None

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("step ids do not count from 1")
        return self


@dataclass(frozen=True)
class Read:
    """What a document says."""

    steps: tuple[StepRecord, ...]
    """Every call, in order; exit codes are unknown."""
    messages: tuple[Message, ...]
    """The conversation."""
    turns: tuple[Turn, ...]
    """What each of the agent's steps cost."""


def read_steps(document: Document) -> Read:
    """Return what a document says; steps that were copied from an earlier one are left out.

    Raises:
        ValueError: arguments of a call hold NaN, an infinity or too many levels, or its results are more than can be kept.
    """
    left = MAX_SEEN_CHARS
    steps: list[StepRecord] = []
    messages: list[Message] = []
    turns: list[Turn] = []
    for step in document.steps:
        if step.is_copied_context:
            continue
        said = _text(step.message)
        if step.source != "agent":
            messages.append(Message(role=step.source, text=said))
            continue
        turns.append(_turn(step.metrics or Metrics()))
        calls = step.tool_calls or []
        messages.append(Message(role="assistant", text=said, calls=tuple(map(_call, calls))))
        for number, call in enumerate(calls):
            seen = _seen(step.observation, call.tool_call_id)
            left -= len(seen)
            if left < 0:
                raise ValueError(f"what its calls have seen is more than {MAX_SEEN_CHARS:,} characters")
            messages.append(Message(role="tool", text=seen, call_id=call.tool_call_id))
            steps.append(_record(said if number == 0 else "", call, seen))
        if not calls and (seen := _seen(step.observation, None)):
            messages.append(Message(role="user", text=seen))
    return Read(tuple(steps), tuple(messages), tuple(turns))


def _call(call: Call) -> ToolCall:
    if _levels([call.arguments]) > MAX_LEVELS:
        raise ValueError(f"the arguments of {call.tool_call_id[:80]!r} have more than {MAX_LEVELS} levels")
    return ToolCall(id=call.tool_call_id, name=call.function_name, arguments=canonical_json(call.arguments))


def _levels(values: list[Any]) -> int:
    """Return how deep values are nested; one more than `MAX_LEVELS` stands for everything beyond."""
    levels = 0
    while values and levels <= MAX_LEVELS:
        inner = [part for value in values if isinstance(value, list) for part in value]
        inner += [part for value in values if isinstance(value, dict) for part in value.values()]
        values, levels = inner, levels + 1
    return levels


def _record(why: str, call: Call, seen: str) -> StepRecord:
    commands = [call.arguments[name] for name in _COMMANDS if isinstance(call.arguments.get(name), str)]
    command = commands[0] if commands else f"{call.function_name} {canonical_json(call.arguments)}"
    size = len(seen.encode("utf-8", "replace"))
    return StepRecord(why=why, command=command, output=seen, output_bytes=size, exit_code=None, seconds=0)


def _seen(observation: Observation | None, call_id: str | None) -> str:
    """Return what was seen of a call; of the whole step where the results do not say of which call they are."""
    results = observation.results if observation else []
    own = [result for result in results if result.source_call_id in (call_id, None)]
    return "\n".join(_text(result.content) for result in own)


def _turn(metrics: Metrics) -> Turn:
    tokens = Tokens(
        input=metrics.prompt_tokens or 0,
        cached=metrics.cached_tokens or 0,
        output=metrics.completion_tokens or 0,
    )
    return Turn(tokens=tokens, money=metrics.cost_usd)


def _text(content: str | list[Part] | None) -> str:
    if isinstance(content, str):
        return storable(content)
    return storable("\n".join(part.text or f"[{part.type}]" for part in content or ()))
