"""What the model author intends: workflows of a skill that can be practised, or why there is none."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from skill2env.models.base import Record
from skill2env.models.blueprint import Line, Persona, Slug, SnakeCase, Source

Text = Annotated[str, Field(min_length=10, max_length=1200)]


class Slip(Record):
    """What an inexperienced solver gets wrong."""

    what: Text
    """The slip, and why it tempts."""
    source: Source
    """The lines of the skill that warn of it."""


class Workflow(Record):
    """One kind of work that a skill teaches and that a container can hold."""

    name: Slug
    """Name of the blueprint to be."""
    title: Line
    """What the task is, in one line."""
    workflow: Line
    """Which capability of the skill it exercises."""
    archetype: SnakeCase
    """Kind of work; an open vocabulary."""
    verifier_pattern: SnakeCase
    """How it can be graded; an open vocabulary."""
    toolchain: SnakeCase
    """Image family that it needs."""
    persona: Persona
    """Who asks, and how."""
    scenario: Text
    """Who needs what, and why."""
    world: Text
    """The files that the agent finds."""
    facts: Annotated[tuple[Line, ...], Field(min_length=1, max_length=20)]
    """What is planted and later asked for."""
    slips: Annotated[tuple[Slip, ...], Field(min_length=2, max_length=8)]
    """What goes wrong without the skill."""
    levels: dict[Literal["easy", "medium", "hard"], Text]
    """What must be judged at each level."""


class Plan(Record):
    """What can be practised of one skill."""

    workflows: Annotated[tuple[Workflow, ...], Field(max_length=6)]
    """The best first; empty where nothing can be practised."""
    none_reason: Literal[
        "", "external_account", "needs_service", "gui_or_hardware", "prose_only", "stub", "harmful", "taste"
    ]
    """Why nothing can be practised; empty where something can."""
    explanation: Annotated[str, Field(max_length=1200)]
    """Where nothing can be practised: what in the skill says so, and what would change it."""

    @model_validator(mode="after")
    def _either(self) -> Self:
        if bool(self.workflows) == bool(self.none_reason):
            raise ValueError("give workflows, or the reason why there are none, and not both")
        if self.none_reason and len(self.explanation) < 10:
            raise ValueError("explain why there are none")
        names = [workflow.name for workflow in self.workflows]
        if len(set(names)) != len(names):
            raise ValueError("two workflows have the same name")
        return self


class Reopening(Record):
    """One time that the author had the frozen verifier opened again."""

    file: str
    """The file that is said to be wrong."""
    quote: str
    """What stands there."""
    error: str
    """Why it is wrong in fact."""


class BlindVerdict(Record):
    """What came of somebody solving the task from its instruction alone."""

    task_id: str
    """The task that was tried."""
    solved: bool
    """Whether it earned 1."""
    fault: Literal["", "tests_too_narrow", "instruction_incomplete", "solver_wrong"]
    """Who was to blame where it did not; empty where it did."""
    explanation: str
    """Why, with what was quoted as evidence."""


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
    blind: tuple[BlindVerdict, ...] = ()
    """Blind attempts."""
    input_tokens: int = 0
    """Tokens read, planning's share and the blind check's included."""
    output_tokens: int = 0
    """Tokens written."""
    money: float | None = None
    """US dollars; None where the model has no price."""
    seconds: float = 0.0
    """Wall seconds of the completions."""
