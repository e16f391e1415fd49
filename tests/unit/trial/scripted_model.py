"""A model that says what it is told to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from skill2env.models.chat import Ask, Completion, Tokens, ToolCall


def says(text: str = "", *commands: str, finish: str = "") -> Completion:
    """Return a completion that says something and calls the tool with each command."""
    calls = tuple(
        ToolCall(id=f"x{number}", name="bash", arguments=json.dumps({"command": command}))
        for number, command in enumerate(commands)
    )
    return Completion(
        text=text,
        calls=calls,
        finish=finish or ("tools" if calls else "stop"),  # type: ignore[arg-type]
        model="scripted-1",
        tokens=Tokens(input=100, output=10),
        money=0.25,
        seconds=2.0,
        requests=1,
    )


class ScriptedModel:
    """Answers with one completion after the other; the last one is repeated."""

    def __init__(self, *answers: Completion | Exception | Callable[[Ask], Completion]) -> None:
        self._answers: Sequence[Completion | Exception | Callable[[Ask], Completion]] = answers
        self.asked: list[Ask] = []

    def complete(self, ask: Ask) -> Completion:
        self.asked.append(ask)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else answer(ask)
