"""A model with one shell tool as an agent: what it is told, the loop of its turns, and when that ends."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass

from skill2env.interop.atif import BASH, call_id, observed, storable
from skill2env.llm.client import Model
from skill2env.models.base import Record, content_id
from skill2env.models.blueprint import Step
from skill2env.models.chat import Ask, Completion, Message, Sampling, Tokens, Tool, ToolCall
from skill2env.models.trial import Condition, Finish, ModelPart, StepRecord, Turn

VERSION = "1"
"""Part of every attempt's key; raise it when a model is told other words, or its loop is another."""

_NUDGES = 1
"""How often in a row a message without a tool call is answered; the next one ends the attempt."""
_ASK_SEC = 3.0
"""How often the container is looked at while the model thinks."""
_GRACE_SEC = 3600
"""What the container lives longer than the model may think: the last completion may have begun just before the end."""

_NOT_DONE = (
    "You called no tool, so nothing was run. If the work is done, say so once more, without a call. If not, go on with the "
    "next command."
)
_CUT = (
    "Your message was cut off at its limit, so nothing was run. Go on with a shorter one that calls the tool."
)
_UNKNOWN = 'There is no tool "{name}"; nothing was run. The only tool is "bash".'
_MALFORMED = (
    'The arguments are not what the tool takes ({why}); nothing was run. Give one JSON object with the text "command", '
    'for instance {{"command": "ls -la"}}.'
)


class Bounds(Record):
    """What a model may use up in one attempt."""

    max_turns: int
    """Completions."""
    max_tokens: int
    """Tokens read and written in all turns together; looked at before each turn."""
    max_model_sec: float
    """Seconds of thinking in all turns together; looked at before each turn. The seconds in commands are counted apart, by the
    task's `agent_sec`."""
    output_chars: int
    """Characters of each command's output that the model sees."""
    max_turn_tokens: int = 8192
    """Tokens that one completion may have."""
    temperature: float | None = None
    """None leaves it to the endpoint."""

    @property
    def container_sec(self) -> float:
        """Wall seconds that the container waits for the model."""
        return self.max_model_sec + _GRACE_SEC


@dataclass(frozen=True)
class Told:
    """Who is asked, and what for."""

    model: str
    """Name of the model."""
    condition: Condition
    """What it has of the skill."""
    attempt: int
    """Number of the attempt, from 1."""
    opening: tuple[Message, ...]
    """System message and instruction."""
    scripted: bool = False
    """The model is a script."""

    def asked(self, bounds: Bounds, given_id: str) -> str:
        """Return the content id of all that the model is told and allowed; `given_id` is that of the files it is given."""
        opening = [message.model_dump(mode="json") for message in self.opening]
        return content_id(
            [VERSION, self.model, self.condition, opening, bounds.model_dump(), given_id, self.scripted]
        )


class Shelled:
    """The policy of a model with a shell: asks it turn by turn, and hands its tool calls out one by one, in order."""

    def __init__(self, model: Model, told: Told, bounds: Bounds) -> None:
        """Begin the conversation."""
        self._model = model
        self._told = told
        self._bounds = bounds
        self._messages = list(told.opening)
        self._turns: list[Turn] = []
        self._calls: deque[ToolCall] = deque()
        self._open: ToolCall | None = None
        self._why = ""
        self._numbered = 0
        self._silent = 0
        self._finish: Finish = "stopped"

    def account(self) -> ModelPart:
        """Return the conversation so far, and what it cost."""
        told = self._told
        return ModelPart(
            model=told.model,
            condition=told.condition,
            attempt=told.attempt,
            finish=self._finish,
            turns=tuple(self._turns),
            messages=tuple(self._messages),
            scripted=told.scripted,
        )

    def next(self, seen: StepRecord | None, enough: Callable[[], bool]) -> Step | None:
        """Return the model's next command, or None when it is done or may not go on.

        Raises:
            Whatever the model raises: its failure is none of the agent's doing.
        """
        if seen is not None and self._open is not None:
            self._answer(self._open, observed(seen, self._bounds.output_chars))
            self._open = None
        while True:
            while self._calls:
                call = self._calls.popleft()
                command, fault = _command(call)
                if fault:
                    self._answer(call, fault)
                    continue
                self._open = call
                why, self._why = self._why, ""
                return Step(why=why, command=command)
            if not self._turn(enough):
                return None

    def _answer(self, call: ToolCall, text: str) -> None:
        self._messages.append(Message(role="tool", text=text, call_id=call.id))

    def _turn(self, enough: Callable[[], bool]) -> bool:
        """Ask for the next message, and return whether there is something to do after it."""
        if spent := self._spent():
            self._finish = spent
            return False
        completion = self._ask(enough)
        if completion is None:
            return False
        self._turns.append(
            Turn(
                tokens=completion.tokens,
                money=completion.money,
                seconds=completion.seconds,
                finish=completion.finish,
            )
        )
        refused = completion.finish == "refused"
        calls = () if refused else tuple(self._renamed(call) for call in completion.calls)
        self._why = storable(completion.text)
        self._messages.append(Message(role="assistant", text=self._why, calls=calls))
        if refused:
            self._finish = "refused"
            return False
        self._calls.extend(calls)
        return bool(calls) or self._nudged(cut=completion.finish == "length")

    def _nudged(self, cut: bool) -> bool:
        """Answer a message without a call, and return whether the model is asked again."""
        if self._silent >= _NUDGES and not cut:
            self._finish = "done"
            return False
        self._silent += 1
        self._messages.append(Message(role="user", text=_CUT if cut else _NOT_DONE))
        return True

    def _renamed(self, call: ToolCall) -> ToolCall:
        """Return a call under a number of our own: endpoints give random ids, and some give one twice."""
        self._numbered += 1
        self._silent = 0
        return ToolCall(
            id=call_id(self._numbered), name=storable(call.name), arguments=storable(call.arguments)
        )

    def _spent(self) -> Finish | None:
        """Return which bound is reached, or None."""
        tokens = sum((turn.tokens for turn in self._turns), Tokens())
        if len(self._turns) >= self._bounds.max_turns:
            return "turns"
        if tokens.input + tokens.output >= self._bounds.max_tokens:
            return "tokens"
        if sum(turn.seconds for turn in self._turns) >= self._bounds.max_model_sec:
            return "time"
        return None

    def _ask(self, enough: Callable[[], bool]) -> Completion | None:
        """Return the model's answer, or None where the agent's container went too far meanwhile."""
        ask = Ask(
            model=self._told.model,
            messages=tuple(self._messages),
            tools=(TOOL,),
            sampling=Sampling(temperature=self._bounds.temperature, max_tokens=self._bounds.max_turn_tokens),
            sample=self._told.attempt - 1,
        )
        pool = ThreadPoolExecutor(1, "model")
        try:
            answer = pool.submit(copy_context().run, self._model.complete, ask)
            while not wait((answer,), _ASK_SEC).done:
                if enough():
                    return None
            return answer.result()
        finally:
            pool.shutdown(wait=False)


def _command(call: ToolCall) -> tuple[str, str]:
    """Return the command of a call, or an empty text and what is wrong with the call."""
    if call.name != TOOL.name:
        return "", _UNKNOWN.format(name=call.name[:80])
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError) as error:
        return "", _MALFORMED.format(why=f"no JSON: {str(error)[:80]}")
    if not isinstance(arguments, dict) or not isinstance(arguments.get("command"), str):
        return "", _MALFORMED.format(why='no object with a text "command"')
    if unknown := sorted(set(arguments) - {"command"}):
        return "", _MALFORMED.format(why=f"unknown: {', '.join(unknown)[:80]}")
    command = storable(arguments["command"])
    return (command, "") if command.strip() else ("", _MALFORMED.format(why="an empty command"))


TOOL = Tool(
    name=BASH["function"]["name"],
    description=BASH["function"]["description"],
    parameters=BASH["function"]["parameters"],
)
"""The one tool."""
