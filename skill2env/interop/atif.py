"""A trial as an ATIF v1.8 document (Harbor's Agent Trajectory Interchange Format), and an agent's one tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from skill2env.models.chat import Message, Tokens, ToolCall
from skill2env.models.trial import ModelPart, StepRecord, Trial, Turn

SCHEMA_VERSION = "ATIF-v1.8"
SCRIPT = "skill2env-script"
AGENT = "skill2env-agent"
_SCRIPT_NOTES = "The actions are those of a script that was really executed; no model was asked."

_UNANSWERED = "[the command did not end]"

BASH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run commands in a bash shell and return what they print; folder and variables persist between calls.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string", "description": "The commands to run."}},
            "required": ["command"],
        },
    },
}
"""The one tool that an agent has, as chat templates and ATIF describe tools."""


def call_id(number: int) -> str:
    """Return the id of the n-th tool call: nine letters and digits, which every chat template accepts."""
    return f"call{number:05d}"


def observed(step: StepRecord, limit: int) -> str:
    """Return what an agent sees of a step: its output, the middle of a long one left out, and a bad end.

    Args:
        step: the step as it was recorded.
        limit: characters of the output that are shown; bytes that were not even recorded count as left out.
    """
    text = step.output
    if len(text) > limit:
        unrecorded = max(0, step.output_bytes - len(text.encode("utf-8", "replace")))
        left_out = len(text) - limit + unrecorded
        tail = limit // 2
        text = f"{text[: limit - tail]}\n[... {left_out} characters left out ...]\n{text[len(text) - tail :]}"
    if step.exit_code is None:
        return _with_line(text, _UNANSWERED)
    return _with_line(text, f"[exit code {step.exit_code}]") if step.exit_code else text


def storable(text: str) -> str:
    """Return a text that every file can hold: without NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments as an object; what is none stands under `malformed`."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {"malformed": call.arguments}
    return arguments if isinstance(arguments, dict) else {"malformed": call.arguments}


def document(trial: Trial, trajectory_id: str, instruction: str, limit: int) -> dict[str, Any]:
    """Return a trial as an ATIF document.

    Of a script: the instruction as the user's step, then a step for each step of the script. Of a model: a step for each of its
    messages and for what it was told, with tokens and cost.

    Args:
        trial: the attempt.
        trajectory_id: name of the document.
        instruction: what the agent was asked.
        limit: characters of each output that are shown of a script's steps.
    """
    if trial.model is not None:
        steps = list(_said(trial.model))
        agent, metrics = _model_agent(trial, trial.model), _totals(trial.model)
    else:
        steps = [{"step_id": 1, "source": "user", "message": instruction}]
        steps += [_step(number, step, limit) for number, step in enumerate(trial.steps, 1)]
        extra = {"script": trial.agent, "role": trial.role, "source": "scripted"}
        agent = {"name": SCRIPT, "version": "1", "tool_definitions": [BASH], "extra": extra}
        metrics = {"total_prompt_tokens": 0, "total_completion_tokens": 0, "total_cost_usd": 0.0}
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": trajectory_id,
        "trajectory_id": trajectory_id,
        "agent": agent,
        "steps": steps or [{"step_id": 1, "source": "user", "message": instruction}],
        **({} if trial.model and not trial.model.scripted else {"notes": _SCRIPT_NOTES}),
        "final_metrics": {**metrics, "total_steps": max(len(steps), 1)},
        "extra": {
            "task_id": trial.task_id,
            "task_content_id": trial.task_content_id,
            "perturbation": trial.perturbation,
            "status": str(trial.verdict.status),
        },
    }


def _model_agent(trial: Trial, part: ModelPart) -> dict[str, Any]:
    outside = trial.role == "external"
    told = {"condition": part.condition, "attempt": part.attempt, "finish": part.finish}
    return {
        "name": trial.agent if outside else AGENT,
        "version": "unknown" if outside else "1",
        "model_name": part.model,
        **({} if outside else {"tool_definitions": [BASH]}),
        "extra": {"role": trial.role, "source": source_of(trial), **told},
    }


def source_of(trial: Trial) -> str:
    """Return who acted: `scripted`, `model` or `external`."""
    if trial.role == "external":
        return "external"
    return "model" if trial.model and not trial.model.scripted else "scripted"


def answered(messages: Sequence[Message]) -> Iterator[tuple[Message, list[tuple[ToolCall, str]]]]:
    """Yield every message that is no result, with its calls and what came of each, also where the end came before an answer."""
    given: dict[str, list[str]] = {}
    for message in messages:
        if message.role == "tool":
            given.setdefault(message.call_id, []).append(message.text)
    for message in messages:
        if message.role != "tool":
            found = [(call, given.get(call.id) or [_UNANSWERED]) for call in message.calls]
            yield message, [(call, texts.pop(0) if len(texts) > 1 else texts[0]) for call, texts in found]


def _said(part: ModelPart) -> Iterator[dict[str, Any]]:
    turns = iter(part.turns)
    for number, (message, calls) in enumerate(answered(part.messages), 1):
        step = {"step_id": number, "message": message.text}
        if message.role != "assistant":
            yield {**step, "source": message.role}
            continue
        turn = next(turns, Turn())
        yield {
            **step,
            "source": "agent",
            **_called(calls),
            "metrics": _metrics(turn.tokens, turn.money),
            "llm_call_count": 1,
            "extra": {"seconds": turn.seconds, "finish": turn.finish},
        }


def _called(calls: list[tuple[ToolCall, str]]) -> dict[str, Any]:
    if not calls:
        return {}
    return {
        "tool_calls": [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": arguments_of(call)}
            for call, _ in calls
        ],
        "observation": {"results": [{"source_call_id": call.id, "content": text} for call, text in calls]},
    }


def _metrics(tokens: Tokens, money: float | None, prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {
        f"{prefix}prompt_tokens": tokens.input,
        f"{prefix}completion_tokens": tokens.output,
        f"{prefix}cached_tokens": tokens.cached,
    }
    return found if money is None else {**found, f"{prefix}cost_usd": money}


def _totals(part: ModelPart) -> dict[str, Any]:
    return _metrics(part.tokens, part.money, "total_")


def _step(number: int, step: StepRecord, limit: int) -> dict[str, Any]:
    call = call_id(number)
    return {
        "step_id": number + 1,
        "source": "agent",
        "message": step.why,
        "tool_calls": [
            {"tool_call_id": call, "function_name": "bash", "arguments": {"command": step.command}}
        ],
        "observation": {"results": [{"source_call_id": call, "content": observed(step, limit)}]},
        "llm_call_count": 0,
        "extra": {"exit_code": step.exit_code, "seconds": step.seconds, "output_bytes": step.output_bytes},
    }


def _with_line(text: str, line: str) -> str:
    return f"{text}\n{line}" if text and not text.endswith("\n") else f"{text}{line}"
