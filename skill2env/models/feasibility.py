"""Whether a skill can be practised in an offline container, and why."""

from __future__ import annotations

from typing import Literal

from skill2env.models.base import Record

Verdict = Literal[
    "practicable",
    "needs_stand_in",
    "external_account",
    "gui_or_hardware",
    "agent_host",
    "prose_only",
    "stub",
    "harmful",
]


class Evidence(Record):
    """One signal that was found in a skill, and what it counts."""

    signal: str
    """Name of the signal; docs/feasibility.md has them all."""
    toward: Verdict
    """The verdict that it speaks for: `practicable`, or the strongest reason against it."""
    points: float
    """What it adds to the score of that reason against `practicable`, or takes from it."""
    lines: tuple[int, ...]
    """Lines of SKILL.md where it was seen, at most five; empty where it is about the skill as a whole."""
    seen: tuple[str, ...]
    """What was seen, at most five."""


class Feasibility(Record):
    """The verdict on one skill."""

    verdict: Verdict
    """`practicable` in an offline container; else the strongest reason why not."""
    reason: str
    """One sentence that says why."""
    stand_ins: tuple[str, ...]
    """Services that a task would have to bring along, the most named first; only with `needs_stand_in`."""
    shares: tuple[tuple[Verdict, float], ...]
    """How likely each verdict is by the weights, from 0 to 1; `practicable` has to have half."""
    evidence: tuple[Evidence, ...]
    """The signals, those with the most points first."""
    toolchain: str
    """Toolchain of `dockerfiles/` that fits best, or the name of the one that would have to be added."""
    packages: tuple[str, ...]
    """Packages that it would need, as `ecosystem:name`."""
    edits: tuple[str, ...]
    """What an author could change so that the verdict would be `practicable`; empty where it is."""
