"""One authoring session: a model at the desk, until the blueprint is accepted, given up, or the budget is spent."""

from __future__ import annotations

from dataclasses import dataclass, field

from skill2env.authoring.desk import Desk
from skill2env.authoring.tools import TOOLS, call
from skill2env.llm.client import Model
from skill2env.models.chat import Ask, Completion, Message, Sampling, Tokens

_SILENCES = 3
_NUDGE = "Call a tool: go on, `submit`, or `give_up` with the reason."
_CUT = "Your message was cut off at the limit of its length, and its calls were not made. Write less at once."


@dataclass(frozen=True)
class Bounds:
    """What a session may use."""

    turns: int
    """Completions."""
    tokens: int
    """Tokens read and written."""


@dataclass
class Spent:
    """What completions cost."""

    turns: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    money: float | None = 0.0
    seconds: float = 0.0

    def add(self, completion: Completion) -> None:
        """Count a completion; money is unknown as soon as that of one is."""
        self.turns += 1
        self.tokens += completion.tokens
        self.seconds += completion.seconds
        known = self.money is not None and completion.money is not None
        self.money = (self.money or 0.0) + (completion.money or 0.0) if known else None

    def plus(self, other: Spent) -> Spent:
        """Return the sum; money is unknown where one of the two is."""
        known = self.money is not None and other.money is not None
        money = (self.money or 0.0) + (other.money or 0.0) if known else None
        return Spent(
            self.turns + other.turns, self.tokens + other.tokens, money, self.seconds + other.seconds
        )

    def shared(self, among: int) -> Spent:
        """Return one of several equal shares; tokens are rounded down."""
        tokens = Tokens(**{name: count // among for name, count in self.tokens.model_dump().items()})
        money = None if self.money is None else self.money / among
        return Spent(self.turns, tokens, money, self.seconds / among)


def hold(
    desk: Desk,
    model: Model,
    name: str,
    opening: tuple[Message, ...],
    bounds: Bounds,
    sampling: Sampling,
    spent: Spent,
) -> str:
    """Let a model work at the desk, and return why it ended without a blueprint; empty where it has one.

    Args:
        desk: where it works.
        model: who answers.
        name: the model's name in requests.
        opening: system text and what is to be done.
        bounds: what it may use.
        sampling: how completions are drawn.
        spent: is added to.

    Raises:
        EngineError: the infrastructure failed.
        ModelError: the endpoint failed.
        BudgetSpent, MissingRecord: nothing more may be asked.
    """
    messages = list(opening)
    silences = 0
    while True:
        if reason := _over(desk, bounds, spent):
            return reason
        completion = model.complete(Ask(model=name, messages=tuple(messages), tools=TOOLS, sampling=sampling))
        spent.add(completion)
        messages.append(completion.message())
        if completion.finish == "refused":
            return "the model declined to go on"
        results = _results(desk, completion)
        if desk.accepted:
            return ""
        if desk.given_up:
            return f"the author gave up: {desk.given_up}"
        silences = 0 if results else silences + 1
        if silences > _SILENCES:
            return f"the author called no tool {silences} times in a row"
        messages += results or [Message(role="user", text=_NUDGE)]


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
    if spent.turns >= bounds.turns:
        return f"the session's {bounds.turns} turns are spent"
    used = spent.tokens.input + spent.tokens.output
    if used >= bounds.tokens:
        return f"the session's {bounds.tokens} tokens are spent: {used} were used"
    return ""
