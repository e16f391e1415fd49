"""Scripted policies: how often each does a task right, by level, and which of the task's own scripts it then plays.

No model is asked. A policy draws a number per attempt, the same for all levels of a blueprint and for all policies: whoever
does the hard task right would have done the easy one right, and the strong do right whatever the weak do. So the tables of
policies can be compared without noise, and what they measure is known beforehand.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from skill2env.models.blueprint import Script
from skill2env.models.task import Task


@dataclass(frozen=True)
class Policy:
    """One scripted policy."""

    name: str
    right: dict[str, float]
    """Probability of doing a task right, by its level."""

    @property
    def model(self) -> str:
        """What it is called in tables: that it is scripted comes first."""
        return f"scripted-{self.name}"


POLICIES = (
    Policy("weak", {"easy": 0.45, "medium": 0.2, "hard": 0.05}),
    Policy("middling", {"easy": 0.8, "medium": 0.55, "hard": 0.3}),
    Policy("strong", {"easy": 0.97, "medium": 0.9, "hard": 0.75}),
)


def chosen(policy: Policy, task: Task, attempt: int) -> Script | None:
    """Return the script that a policy plays in an attempt; None where it would err, and the level has no mistake: it does nothing."""
    blueprint = task.blueprint
    chance = random.Random(_seed(f"{blueprint.blueprint_id}/{task.seed}/{attempt}"))
    right = chance.random() < policy.right[task.level]
    solutions = [script for script in blueprint.scripts if script.role != "mistake"]
    mistakes = [script for script in blueprint.scripts if task.level in script.fails_at]
    options = sorted(solutions if right else mistakes, key=lambda script: script.name)
    return options[chance.randrange(len(options))] if options else None


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
