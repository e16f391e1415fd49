"""Holds when every alternative earns 1: a verifier that accepts one way only is too narrow."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject

NAME = "alternatives_pass"
VERSION = "1"


def check(subject: Subject) -> GateResult:
    """Run every alternative."""
    trials = [
        subject.trials.script(script) for script in subject.blueprint.scripts if script.role == "alternative"
    ]
    failed = [trial for trial in trials if trial.verdict.reward < 1]
    figures = {"alternatives": len(trials), "alternatives_passed": len(trials) - len(failed)}
    if failed:
        names = ", ".join(trial.agent for trial in failed)
        message = f"the alternative {names} earns less than 1: it is wrong, or the tests are too narrow"
        evidence = "\n".join(describe(trial) for trial in failed)
        return GateResult(gate=NAME, passed=False, message=message, evidence=evidence, figures=figures)
    return GateResult(
        gate=NAME, passed=True, message=f"{len(trials)} of {len(trials)} earn 1", figures=figures
    )
