"""What the model author intends: workflows of a skill that can be practised, or why there is none."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from skill2env.models.base import Record
from skill2env.models.blueprint import Persona
from skill2env.models.fields import Line, Slug, SnakeCase, Source

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
