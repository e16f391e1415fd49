"""Counts what is published, while it is written, into figures that do not vary from run to run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from skill2env.models.rows import SftRow, SkillRow, TrajectoryRow
from skill2env.models.task_row import TaskRow
from skill2env.models.trial import Status

_KINDS = ("level", "toolchain", "archetype", "verifier_pattern")


@dataclass
class Tally:
    """Sums over the rows."""

    skills: int = 0
    skills_with_tasks: int = 0
    blueprints: int = 0
    tasks: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in _KINDS})
    """Tasks by value of each column in `_KINDS`."""
    licences: Counter[str] = field(default_factory=Counter)
    """Tasks by licence."""
    trajectories: Counter[str] = field(default_factory=Counter)
    """Trajectories by status."""
    roles: dict[str, Counter[str]] = field(default_factory=dict)
    """Trajectories by status, for each role."""
    sources: Counter[str] = field(default_factory=Counter)
    """Trajectories by who acted."""
    reward: float = 0.0
    partial_reward: float = 0.0
    steps: int = 0
    conversations: int = 0
    assistants: set[str] = field(default_factory=set)
    """`assistant_sha256` of all conversations."""

    def skill(self, row: SkillRow) -> None:
        """Count a skill."""
        self.skills += 1
        self.skills_with_tasks += row.tasks_accepted > 0
        self.blueprints += row.blueprints

    def task(self, row: TaskRow) -> None:
        """Count a task."""
        self.tasks += 1
        self.licences[row.licence] += 1
        for kind, counter in self.kinds.items():
            counter[getattr(row, kind)] += 1

    def trajectory(self, row: TrajectoryRow) -> None:
        """Count a trajectory."""
        self.trajectories[row.status] += 1
        self.sources[row.source] += 1
        self.roles.setdefault(row.role, Counter())[row.status] += 1
        self.reward += row.reward or 0.0
        self.partial_reward += row.partial_reward or 0.0
        self.steps += row.steps

    def conversation(self, row: SftRow) -> None:
        """Count a conversation to train on."""
        self.conversations += 1
        self.assistants.add(row.assistant_sha256)

    def figures(self) -> dict[str, Any]:
        """Return the figures, JSON-able, in an order that does not vary."""
        total = self.trajectories.total()
        judged = total - self.trajectories[Status.NO_VERDICT]
        passing = self.trajectories[Status.PASS]
        return {
            "skills": self.skills,
            "skills_with_tasks": self.skills_with_tasks,
            "blueprints": self.blueprints,
            "accepted_tasks": self.tasks,
            "trajectories": total,
            "passing_trajectories": passing,
            "failing_trajectories": judged - passing,
            "no_verdict_trajectories": total - judged,
            "sft_rows": self.conversations,
            "sft_distinct_assistants": len(self.assistants),
            "reward_mean": _mean(self.reward, judged),
            "partial_reward_mean": _mean(self.partial_reward, judged),
            "steps_mean": _mean(self.steps, total),
            "trajectories_by_source": _sorted(self.sources),
            "trajectories_by_role": {role: _sorted(found) for role, found in sorted(self.roles.items())},
            **{f"tasks_by_{kind}": _sorted(found) for kind, found in self.kinds.items()},
        }


def _mean(total: float, count: int) -> float | None:
    return round(total / count, 4) if count else None


def _sorted(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items()))
