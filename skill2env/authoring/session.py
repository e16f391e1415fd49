"""One authoring session: a model at the desk, until the blueprint is accepted, given up, or the budget is spent."""

from __future__ import annotations

from dataclasses import dataclass

from skill2env.authoring.desk import Desk
from skill2env.authoring.tools import TOOLS, call
from skill2env.llm.client import Model
from skill2env.llm.ledger import spent_on
from skill2env.models.chat import Ask, Completion, Message, Sampling, Spent

_SILENCES = 3
_NUDGE = "Call a tool: go on, `submit`, or `give_up` with the reason."
_CUT = "Your message was cut off at the limit of its length, and its calls were not made. Write less at once."


@dataclass(frozen=True)
class Bounds:
    """What a session may use."""

    turns: int
    """Completions."""
    tokens: int
    """Tokens read and written, those of blind attempts included."""


@dataclass(frozen=True)
class Held:
    """How a session ended."""

    reason: str
    """Why there is no blueprint; empty where there is one."""
    spent: Spent
    """What its own completions have cost; what the bench has asked of models is apart."""


def hold(
    desk: Desk, model: Model, name: str, opening: tuple[Message, ...], bounds: Bounds, sampling: Sampling
) -> Held:
    """Let a model work at the desk until it has a blueprint, gives up, or has spent what it may.

    Args:
        desk: where it works.
        model: who answers.
        name: the model's name in requests.
        opening: system text and what is to be done.
        bounds: what it may use.
        sampling: how completions are drawn.

    Raises:
        EngineError: the infrastructure failed.
        ModelError: the endpoint failed.
        BudgetSpent, MissingRecord: nothing more may be asked.
    """
    messages = list(opening)
    spent, silences = Spent(), 0
    while True:
        if reason := _over(desk, bounds, spent):
            return Held(reason, spent)
        completion = model.complete(Ask(model=name, messages=tuple(messages), tools=TOOLS, sampling=sampling))
        spent += spent_on(completion)
        messages.append(completion.message())
        results = _results(desk, completion)
        silences = 0 if results else silences + 1
        if desk.accepted:
            return Held("", spent)
        if reason := _ended(desk, completion, silences):
            return Held(reason, spent)
        messages += results or [Message(role="user", text=_NUDGE)]


def _ended(desk: Desk, completion: Completion, silences: int) -> str:
    """Return why the author itself has ended the session; empty where it has not."""
    if completion.finish == "refused":
        return "the model declined to go on"
    if desk.given_up:
        return f"the author gave up: {desk.given_up}"
    return f"the author called no tool {silences} times in a row" if silences > _SILENCES else ""


def _results(desk: Desk, completion: Completion) -> list[Message]:
    """Return the results of the calls, in their order; after the end nothing more is done."""
    results = []
    for asked in completion.calls:
        ended = desk.accepted or desk.given_up
        cut = completion.finish == "length"
        text = "error: the session is over" if ended else f"error: {_CUT}" if cut else call(desk, asked)
        results.append(Message(role="tool", text=text, call_id=asked.id))
    return results


def _over(desk: Desk, bounds: Bounds, spent: Spent) -> str:
    if desk.submissions >= desk.rounds:
        return f"{desk.submissions} submissions were refused, and no more are allowed"
    if spent.completions >= bounds.turns:
        return f"the session's {bounds.turns} turns are spent"
    tokens = (spent + desk.spent).tokens
    used = tokens.input + tokens.output
    if used >= bounds.tokens:
        return f"the session's {bounds.tokens} tokens are spent: {used} were used"
    return ""
