"""Holds when no attack on the verifier earns anything: attempts at the reward without the work, or with a spoiled part of it."""

from __future__ import annotations

import hashlib

from skill2env.attacks import Attack, Target, attacks, suite_id, target_of
from skill2env.models.blueprint import LEVELS
from skill2env.models.report import GateResult
from skill2env.models.trial import Status
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject

NAME = "attacks_fail"
VERSION = f"1 {suite_id()[:12]}"


def check(subject: Subject) -> GateResult:
    """Run a sample of the attacks that fit the task and do not wait for the deadline."""
    wanted = subject.params.attacks_per_task
    if not wanted:
        figures = {"attacks_tried": 0, "attacks_succeeded": 0}
        message = "none was tried, since validate.attacks_per_task is 0"
        return GateResult(gate=NAME, passed=True, message=message, figures=figures)
    target = _target(subject)
    chosen = sample(subject, target, wanted)
    trials = [subject.trials.attack(attack.name, target.steps(attack.text)) for attack in chosen]
    earned = [trial for trial in trials if trial.verdict.reward > 0]
    broken = [trial for trial in trials if trial.verdict.status is Status.NO_VERDICT]
    figures = {"attacks_tried": len(trials), "attacks_succeeded": len(earned)}
    if earned or broken:
        first = (earned or broken)[0]
        title = next(attack.title for attack in chosen if attack.name == first.agent)
        fault = (
            "earns the reward: the tests trust what was delivered, or do not look at what it spoils"
            if earned
            else "ends without a verdict, and its failure would be dropped: tests must hold whatever is delivered"
        )
        message = f"the attack {first.agent} {fault}"
        evidence = f"{title}\n{describe(first)}"
        return GateResult(gate=NAME, passed=False, message=message, evidence=evidence, figures=figures)
    names = ", ".join(attack.name for attack in chosen)
    return GateResult(
        gate=NAME,
        passed=True,
        message=f"{len(trials)} of {len(trials)} earn nothing: {names}",
        figures=figures,
    )


def sample(subject: Subject, target: Target, wanted: int) -> list[Attack]:
    """Return the attacks for a task: the order is a blueprint's own, and its levels and seeds take turns in it."""
    task = subject.task
    fitting = [attack for attack in attacks().values() if "waits" not in attack.marks and target.fits(attack)]
    fitting.sort(
        key=lambda attack: hashlib.sha256(f"{task.blueprint.blueprint_id} {attack.name}".encode()).digest()
    )
    turn = LEVELS.index(task.level) + len(LEVELS) * (task.seed - 1)
    return [fitting[(turn * wanted + number) % len(fitting)] for number in range(min(wanted, len(fitting)))]


def _target(subject: Subject) -> Target:
    reference = subject.blueprint.reference
    solve = "\n".join(step.command for step in reference.steps)
    return target_of(subject.blueprint.spec.outputs, subject.right, subject.world, solve)
