"""Holds when no part of the reference can be left out: what is not done must not be paid for.

Each step is dropped, and each suffix. A drop that leaves the outputs as they are proves nothing and is not counted; where it
is a single step, it is reported as dead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skill2env.models.report import GateResult
from skill2env.models.tree import Tree
from skill2env.models.trial import Status
from skill2env.stages.validate.subject import Subject

NAME = "ablations_fail"
VERSION = "1"


@dataclass(frozen=True)
class _Drop:
    """One part of the reference left out."""

    what: str
    step: int | None
    """Index, where it is a single step that others follow."""
    same: bool
    """The outputs are as with it."""
    reward: float = 0.0


def check(subject: Subject) -> GateResult:
    """Drop each step and each suffix."""
    reference = subject.oracle[0]
    if reference.verdict.reward < 1:
        message = (
            "the reference earns less than 1, so nothing can be learnt from its parts; see oracle_passes"
        )
        return GateResult(gate=NAME, passed=False, message=message)
    steps = subject.blueprint.reference.steps
    drops = [*_suffixes(subject), *_single_steps(subject)]
    counted = [drop for drop in drops if not drop.same]
    paid = [drop for drop in counted if drop.reward >= 1]
    dead = [drop.step + 1 for drop in drops if drop.same and drop.step is not None]
    figures = {"drops": len(counted), "drops_failed": len(counted) - len(paid), "dead_steps": len(dead)}
    told = f"; dropping step {', '.join(map(str, dead))} changes no output" if dead else ""
    if paid:
        message = f"without {paid[0].what} the reference leaves other outputs and still earns 1; test for what is missing"
        evidence = "\n".join(f"without {drop.what}: reward {drop.reward:g}" for drop in paid)
        return GateResult(gate=NAME, passed=False, message=message, evidence=evidence, figures=figures)
    if not counted:
        message = f"none of the {len(steps)} steps changes an output when it is left out; split the reference at its `#>` lines"
        return GateResult(gate=NAME, passed=False, message=message, figures=figures)
    message = f"{len(counted)} of {len(counted)} parts left out earn less than 1{told}"
    return GateResult(gate=NAME, passed=True, message=message, figures=figures)


def _suffixes(subject: Subject) -> Iterator[_Drop]:
    """Judge what lies there after each step but the last."""
    count = len(subject.blueprint.reference.steps)
    for done, sha256 in enumerate(subject.oracle[0].prefixes or (), 1):
        what = f"steps {done + 1} to {count}" if count - done > 1 else f"step {count}"
        outputs: Tree | None = subject.trials.outputs(sha256) if sha256 else None
        if outputs is not None and subject.is_right(outputs):
            yield _Drop(what, None, same=True)
        else:
            reward = 0.0 if outputs is None else subject.trials.judged(outputs).reward
            yield _Drop(what, None, same=False, reward=reward)


def _single_steps(subject: Subject) -> Iterator[_Drop]:
    """Run the reference without each step but the last, unless the step left no trace at all."""
    reference = subject.blueprint.reference
    idle = subject.oracle[0].idle_steps or ()
    for index in range(len(reference.steps) - 1):
        what = f"step {index + 1}"
        if index in idle:
            yield _Drop(what, index, same=True)
            continue
        steps = (*reference.steps[:index], *reference.steps[index + 1 :])
        trial = subject.trials.ablation(f"{reference.name}-without-{index + 1}", steps)
        same = trial.verdict.status is not Status.AGENT_FAULT and subject.is_right(
            subject.trials.outputs(trial.outputs_sha256)
        )
        yield _Drop(what, index, same, trial.verdict.reward)
