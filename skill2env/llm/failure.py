"""A request that came to nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from skill2env.models.chat import Tokens


@dataclass
class Failure(Exception):
    """One request that gave no completion."""

    why: str
    """What happened, to follow `<model>: `; it may hold words of the endpoint, without keys."""
    again: bool
    """Whether the same request may succeed later."""
    for_all: bool = False
    """Whether every other request to the model would fail likewise."""
    wait_sec: float | None = None
    """Seconds that the endpoint asks to wait."""
    tokens: Tokens = field(default_factory=Tokens)
    """What the endpoint counted before it failed."""
    tries: int = 1
    """How many requests ended like this or otherwise badly."""

    def __str__(self) -> str:
        """Return why."""
        return self.why
