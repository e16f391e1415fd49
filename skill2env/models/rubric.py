"""Criteria of a rubric, and what settles them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from skill2env.models.base import Record
from skill2env.models.fields import Line, Regex, Slug, Source


class Order(Record):
    """One command pattern before another."""

    first: Regex
    """Must be seen first."""
    then: Regex
    """Must not be seen before `first`."""


class AtMost(Record):
    """A bound on how often a pattern is used."""

    pattern: Regex
    """What is counted in the commands."""
    times: Annotated[int, Field(ge=0)]
    """The highest count that is allowed."""


class Evidence(Record):
    """What settles a criterion: exactly one of the keys."""

    used: Regex | None = None
    """A command matches."""
    never: Regex | None = None
    """No command matches."""
    before: Order | None = None
    """`first` matches before `then` does."""
    at_most: AtMost | None = None
    """The pattern matches at most `times` times."""
    never_writes: Annotated[str, Field(pattern=r"^/")] | None = None
    """No path matching this glob was created, changed or deleted."""
    judge: Annotated[str, Field(min_length=10)] | None = None
    """A question for a judge model; unanswered without one."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"give exactly one kind of evidence, not {len(given)}: {', '.join(given) or 'none'}"
            )
        return self

    @property
    def is_predicate(self) -> bool:
        """True where the trajectory alone settles it."""
        return self.judge is None


class Criterion(Record):
    """One behavioural criterion of the rubric."""

    id: Slug
    """Name, unique in the rubric."""
    kind: Literal["must_do", "must_avoid", "best_practice"]
    """What sort of advice it is."""
    text: Line
    """What an expert would do, in one sentence."""
    source: Source
    """The lines of the skill that teach it."""
    weight: Annotated[float, Field(gt=0, le=10)] = 1.0
    """How much it counts."""
    evidence: Evidence
    """What settles it."""
