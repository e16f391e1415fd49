"""Holds when world and truth come out the same twice, the second time in other surroundings."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.subject import Subject

NAME = "deterministic"
VERSION = "1"
_SHOWN = 10


def check(subject: Subject) -> GateResult:
    """Compare the executions of `world.py`."""
    first, *others = subject.task.world_runs
    for other in others:
        if (other.tree_sha256, other.truth_sha256) == (first.tree_sha256, first.truth_sha256):
            continue
        before, after = dict(first.paths), dict(other.paths)
        changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        what = ", ".join(changed[:_SHOWN]) or "the truth, the public facts or a hidden file"
        return GateResult(
            gate=NAME,
            passed=False,
            message="world.py makes something else when it is run again; use world.rng, sort what has no order, and fix dates",
            evidence=f"differs: {what}",
        )
    runs = len(subject.task.world_runs)
    return GateResult(
        gate=NAME, passed=True, message=f"{runs} executions made the same bytes", figures={"world_runs": runs}
    )
