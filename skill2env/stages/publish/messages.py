"""A passing trial as a conversation in the form that chat templates take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skill2env.interop.atif import BASH, call_id, observed
from skill2env.models.trial import StepRecord

SYSTEM = (
    "You are working in a Linux container without network access. Use the bash tool to look around and to do the work; "
    "the shell keeps its folder and variables from call to call. When everything is done, say so without calling a tool."
)
TOOLS: tuple[dict[str, Any], ...] = (BASH,)


def conversation(instruction: str, steps: Sequence[StepRecord], outputs: Sequence[str], limit: int) -> tuple[dict[str, Any], ...]:
    """Return the messages; arguments are an object rather than a text, since templates serialise them themselves.

    Args:
        instruction: what the user asks.
        steps: what was done, in order.
        outputs: paths that the user asked for.
        limit: characters of each output that are shown.
    """
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": instruction}]
    for number, step in enumerate(steps, 1):
        call = {"name": "bash", "arguments": {"command": step.command}}
        calls = [{"id": call_id(number), "type": "function", "function": call}]
        messages.append({"role": "assistant", "content": step.why, "tool_calls": calls})
        messages.append(
            {"role": "tool", "tool_call_id": call_id(number), "name": "bash", "content": observed(step, limit)}
        )
    messages.append({"role": "assistant", "content": closing(outputs)})
    return tuple(messages)


def closing(outputs: Sequence[str]) -> str:
    """Return the assistant's last words: that the work is done, and where it is."""
    *others, last = outputs
    return f"Done. The result is in {', '.join(others)} and {last}." if others else f"Done. The result is in {last}."
