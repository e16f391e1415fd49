"""How a model came to write a blueprint, and what that cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skill2env.models.base import Record

Fault = Literal["tests_too_narrow", "instruction_incomplete", "solver_wrong"]
"""Whose fault it is that an attempt failed which had the request alone."""


class Quote(Record):
    """A passage that a ruling rests on."""

    source: Literal["instruction", "tests", "truth", "record", "outputs", "messages"]
    """Where it stands: in the request, the hidden tests, the planted facts, the record of the attempt, the outputs that it left,
    or what the failed tests said."""
    text: Annotated[str, Field(min_length=1, max_length=600)]
    """The passage, letter by letter."""


class Look(Record):
    """What came of one blind attempt: a model solved a task from its request alone."""

    level: Literal["easy", "medium", "hard"]
    """Level of the task."""
    verdict: Literal["passed", "undecided"] | Fault
    """`passed`, or whose fault it is that the attempt failed; `undecided` where nobody could show it with quotes."""
    explanation: str = ""
    """Why, in a few sentences; empty where it passed."""
    quotes: tuple[Quote, ...] = ()
    """What the verdict rests on; each was found where it is said to stand."""

    @property
    def against(self) -> bool:
        """Whether it speaks against the task: the attempt failed, and it was not shown that the solver was wrong."""
        return self.verdict not in ("passed", "solver_wrong")


class Reopening(Record):
    """One time that a model author had the frozen verifier opened again."""

    file: str
    """The file that is said to be wrong."""
    quote: str
    """What stands there."""
    error: str
    """Why it is wrong in fact."""


class Making(Record):
    """How a model came to write one blueprint, and what it cost."""

    model: str
    """The model that wrote it."""
    rounds: int
    """Times that the whole blueprint was handed in."""
    turns: int
    """Completions in the session."""
    reopened: tuple[Reopening, ...] = ()
    """Each reopening of the frozen verifier."""
    input_tokens: int = 0
    """Tokens read: planning's share, the session, and the blind attempts with what was said of them."""
    output_tokens: int = 0
    """Tokens written, by the same."""
    money: float | None = None
    """US dollars for the same; null where a model has no price."""
    seconds: float = 0.0
    """Wall seconds of the completions."""
    blind: tuple[Look, ...] = ()
    """Each blind attempt, in order, those of refused submissions included; empty where none was asked for."""
