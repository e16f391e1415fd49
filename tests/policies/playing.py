"""A scripted model that plays a script through the agent loop, step by step, as calls of the tool."""

from __future__ import annotations

import json

from skill2env.models.blueprint import Script
from skill2env.models.chat import Ask, Completion, Tokens, ToolCall


class Playing:
    """Answers the n-th request with the n-th step, and every one after the last with the words that it is done."""

    def __init__(self, name: str, script: Script | None) -> None:
        self._name = name
        self._steps = script.steps if script else ()

    def complete(self, ask: Ask) -> Completion:
        number = sum(message.role == "assistant" for message in ask.messages)
        step = self._steps[number] if number < len(self._steps) else None
        call = (
            ToolCall(id="call", name="bash", arguments=json.dumps({"command": step.command}))
            if step
            else None
        )
        return Completion(
            text=step.why if step else "Done.",
            calls=(call,) if call else (),
            finish="tools" if call else "stop",
            model=self._name,
            tokens=Tokens(),
            money=0.0,
            seconds=0.0,
            requests=0,
        )
