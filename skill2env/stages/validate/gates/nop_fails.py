"""Holds when doing nothing earns nothing: reward 0, every check failed, and no guard failed."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.models.trial import Status
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject

NAME = "nop_fails"
VERSION = "1"


def check(subject: Subject) -> GateResult:
    """Judge the untouched world."""
    trial = subject.trials.nop()
    verdict = trial.verdict
    figures = {"nop_partial_reward": verdict.partial_reward}
    if verdict.status is Status.NO_VERDICT:
        message = "the tests can't be run over the untouched world; mend tests/test_outputs.py"
        return GateResult(gate=NAME, passed=False, message=message, evidence=verdict.reason)
    earned = [result.name for result in verdict.checks if result.kind == "check" and result.passed]
    broken = [result.name for result in verdict.checks if result.kind == "guard" and not result.passed]
    if earned or broken or verdict.status is not Status.FAIL:
        told = [f"doing nothing passes {', '.join(earned)}"] if earned else []
        told += [f"the untouched world breaks the guard {', '.join(broken)}"] if broken else []
        message = (
            "; ".join(told or [f"doing nothing ends as {verdict.status}"]) + "; make each check need the work"
        )
        return GateResult(gate=NAME, passed=False, message=message, evidence=describe(trial), figures=figures)
    return GateResult(gate=NAME, passed=True, message="doing nothing earns nothing", figures=figures)
