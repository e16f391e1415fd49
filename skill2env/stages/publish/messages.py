"""A passing trial, of a script or a model, as a conversation in the form that chat templates take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skill2env.interop.atif import BASH, answered, arguments_of, call_id, observed
from skill2env.models.base import content_id
from skill2env.models.trial import ModelPart, StepRecord

SYSTEM = (
    "You are working in a Linux container without network access. Use the bash tool to look around and to do the work; "
    "the shell keeps its folder and variables from call to call. When everything is done, say so without calling a tool."
)
TOOLS: tuple[dict[str, Any], ...] = (BASH,)


def conversation(
    instruction: str, steps: Sequence[StepRecord], outputs: Sequence[str], limit: int
) -> tuple[dict[str, Any], ...]:
    """Return the messages; arguments are an object rather than a text, since templates serialise them themselves.

    Args:
        instruction: what the user asks.
        steps: what was done, in order.
        outputs: paths of what was delivered.
        limit: characters of each output that are shown.
    """
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": instruction},
    ]
    for number, step in enumerate(steps, 1):
        call = {"name": "bash", "arguments": {"command": step.command}}
        calls = [{"id": call_id(number), "type": "function", "function": call}]
        messages.append({"role": "assistant", "content": step.why, "tool_calls": calls})
        messages.append(
            {
                "role": "tool",
                "tool_call_id": call_id(number),
                "name": "bash",
                "content": observed(step, limit),
            }
        )
    messages.append({"role": "assistant", "content": closing(outputs)})
    return tuple(messages)


def model_conversation(part: ModelPart) -> tuple[dict[str, Any], ...]:
    """Return a model's messages as it wrote and read them.

    It ends with the words with which the model said that it is done: the question whether it really is, which the loop asks of
    everybody, and the answer to it are left out.
    """
    messages: list[dict[str, Any]] = []
    for message, calls in answered(part.messages):
        called = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call)},
            }
            for call, _ in calls
        ]
        messages.append(
            {
                "role": message.role,
                "content": message.text,
                **({"tool_calls": called} if called else {}),
            }
        )
        messages += [
            {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": text}
            for call, text in calls
        ]
    words = [message["role"] == "assistant" and "tool_calls" not in message for message in messages]
    return tuple(messages[:-2] if words[-3:] == [True, False, True] else messages)


def assistant_sha256(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the sha256 of all that the assistant says and does in a conversation, whatever it is told."""
    return content_id([message for message in messages if message["role"] == "assistant"])


def closing(outputs: Sequence[str]) -> str:
    """Return the assistant's last words: that the work is done, and where it is, as far as that is known."""
    if not outputs:
        return "Done. Everything that you asked for is in place."
    *others, last = outputs
    return (
        f"Done. The result is in {', '.join(others)} and {last}."
        if others
        else f"Done. The result is in {last}."
    )
