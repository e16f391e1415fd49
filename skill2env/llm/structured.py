"""Answers by schema: what a model says is checked, and it may mend what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationError

from skill2env.errors import BadAnswer
from skill2env.models.base import Record
from skill2env.models.chat import Ask, Completion, Message

RecordT = TypeVar("RecordT", bound=Record)

MAX_REPAIRS = 2
"""How often a model is shown the faults of its answer (issue 4)."""
_MAX_FAULTS = 12
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n```\s*\Z", re.DOTALL)


def structured(
    complete: Callable[[Ask], Completion], ask: Ask, answer: type[RecordT]
) -> tuple[RecordT, tuple[Completion, ...]]:
    """Return the answer as a record, and the completions that it took, in their order.

    Raises:
        BadAnswer: the model declines, or its answer has faults also after the repairs.
    """
    ask = ask.model_copy(update={"output_schema": answer.model_json_schema()})
    made: tuple[Completion, ...] = ()
    faults: list[str] = []
    while len(made) <= MAX_REPAIRS:
        completion = complete(ask)
        made = (*made, completion)
        if completion.finish == "refused":
            raise BadAnswer(
                f"{ask.model}: the model or its endpoint declines: {_line(completion.text)}", made
            )
        record, faults = _checked(completion, answer)
        if record is not None:
            return record, made
        ask = ask.model_copy(update={"messages": (*ask.messages, *_repair(completion, faults))})
    told = f"{answer.__name__} in {len(made)} answers; the faults of the last: {'; '.join(faults)}"
    raise BadAnswer(f"{ask.model}: the model gives no valid {told}; ask another model, or ask for less", made)


def _checked(completion: Completion, answer: type[RecordT]) -> tuple[RecordT | None, list[str]]:
    if completion.calls:
        return None, ["a tool is called where the answer is due"]
    fenced = _FENCED.match(completion.text)
    try:
        return answer.model_validate_json(fenced[1] if fenced else completion.text), []
    except ValidationError as error:
        faults = [_fault(each["loc"], each["msg"]) for each in error.errors()[:_MAX_FAULTS]]
        if completion.finish == "length":
            faults.insert(0, "the answer is cut off at the limit of tokens; be shorter")
        return None, faults


def _fault(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, place))}: {message}" if place else message


def _repair(completion: Completion, faults: list[str]) -> tuple[Message, ...]:
    """Return the messages that show a model its answer and what is wrong with it."""
    refused = tuple(
        Message(role="tool", text="No tool can be called now.", call_id=call.id) for call in completion.calls
    )
    listed = "\n".join(f"- {fault}" for fault in faults)
    told = f"Your answer can't be used:\n{listed}\nAnswer again with the whole JSON object, mended, and nothing else."
    return (completion.message(), *refused, Message(role="user", text=told))


def _line(text: str) -> str:
    return " ".join(text.split())[:200] or "it gives no reason"
