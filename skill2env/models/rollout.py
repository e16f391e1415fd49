"""Trajectories: trials with what the rubric says of them."""

from __future__ import annotations

from skill2env.models.base import Record
from skill2env.models.trial import CriterionResult, Trial


class Trajectory(Record):
    """One trial as it is published."""

    trial: Trial
    """The attempt, step by step, with its verdict."""
    rubric: tuple[CriterionResult, ...]
    """What each criterion's predicate says, and a judge model where one was asked."""


class Rollout(Record):
    """All trajectories of one task, passing and failing ones."""

    task_id: str
    """Which task."""
    task_content_id: str
    """Content id of the task directory."""
    delivered: tuple[str, ...]
    """Declared outputs that the reference leaves otherwise than doing nothing does; the others only guard something."""
    trajectories: tuple[Trajectory, ...]
    """The reference first, then alternatives and mistakes, then the attempts of models."""
