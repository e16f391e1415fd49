"""Holds when the right outputs of another seed are wrong here: an answer must come from the world that is given."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.models.tree import Tree, within
from skill2env.stages.making.directory import Unfit
from skill2env.stages.making.worlds import WorldFault
from skill2env.stages.validate.subject import Other, Subject

NAME = "hardcode_fails"
VERSION = "2"


def check(subject: Subject) -> GateResult:
    """Judge the outputs of the same task with another seed."""
    if subject.blueprint.spec.seed_independent:
        message = "the blueprint says that right outputs do not depend on the seed; they are graded on hidden inputs"
        return GateResult(gate=NAME, passed=True, message=message)
    try:
        other = subject.other
    except (WorldFault, Unfit) as fault:
        message = f"the task can't be made with another seed: {fault}"
        return GateResult(gate=NAME, passed=False, message=message)
    if other is None:
        message = "there is no other seed to compare with; name one, or say seed_independent: true"
        return GateResult(gate=NAME, passed=False, message=message)
    if other.task.truth == subject.task.truth:
        message = (
            f"seed {other.task.seed} has the same truth, so an answer can be learnt by heart; let world.rng decide the facts, "
            "or say seed_independent: true and grade on hidden inputs"
        )
        return GateResult(gate=NAME, passed=False, message=message)
    verdict = subject.trials.judged(_brought(subject, other), fail_fast=False)
    figures = {"other_seed_partial_reward": round(verdict.partial_reward, 4)}
    if verdict.reward >= 1:
        message = (
            f"the right outputs of seed {other.task.seed} earn 1 here too; test for what differs, or say "
            "seed_independent: true and grade on hidden inputs"
        )
        return GateResult(gate=NAME, passed=False, message=message, figures=figures)
    part = f"{verdict.partial_reward:.2f} of the partial reward"
    message = f"the right outputs of seed {other.task.seed} earn {part}, and no reward"
    return GateResult(gate=NAME, passed=True, message=message, figures=figures)


def _brought(subject: Subject, other: Other) -> Tree:
    """Return what somebody would deliver who has the other seed's answers.

    Outputs that the work leaves alone are declared to be guarded only; they stay as they are in this task, or a guard would
    be all that tells the seeds apart.
    """
    brought = dict(other.outputs)
    for output in subject.blueprint.spec.outputs:
        mine, found = within(subject.right, output), within(subject.world, output)
        if mine and {name: node.data for name, node in mine.items()} == {
            name: node.data for name, node in found.items()
        }:
            brought = {
                name: node for name, node in brought.items() if name not in within(brought, output)
            } | mine
    return brought
