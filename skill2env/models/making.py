"""How a model came to write a blueprint, and what that cost."""

from __future__ import annotations

from skill2env.models.base import Record


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
    """Tokens read: planning's share and the session."""
    output_tokens: int = 0
    """Tokens written, by the same."""
    money: float | None = None
    """US dollars for the same; null where a model has no price."""
    seconds: float = 0.0
    """Wall seconds of the completions."""
