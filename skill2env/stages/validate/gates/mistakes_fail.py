"""Holds when every mistake that is declared for the level earns less than 1; otherwise the verifier is too wide."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.models.trial import Status, Trial
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject

NAME = "mistakes_fail"
VERSION = "2"
_UNJUDGED = (Status.AGENT_FAULT, Status.NO_VERDICT)


def check(subject: Subject) -> GateResult:
    """Run the mistakes that must fail at the task's level."""
    level = subject.task.level
    scripts = [script for script in subject.blueprint.scripts if level in script.fails_at]
    trials = [subject.trials.script(script) for script in scripts]
    passed = [trial for trial in trials if trial.verdict.reward >= 1]
    broken = [trial for trial in trials if trial.verdict.status in _UNJUDGED]
    figures = {"mistakes": len(trials), "mistakes_caught": len(trials) - len(passed)}
    if passed:
        names = ", ".join(trial.agent for trial in passed)
        message = f"the mistake {names} earns 1 at level {level}: test for what it gets wrong, or plant what tempts to it"
        return GateResult(
            gate=NAME, passed=False, message=message, evidence=describe(passed[0]), figures=figures
        )
    if broken:
        names = ", ".join(trial.agent for trial in broken)
        message = f"the mistake {names} never ends in outputs that can be judged; make it a whole attempt that goes wrong"
        return GateResult(
            gate=NAME, passed=False, message=message, evidence=describe(broken[0]), figures=figures
        )
    told = "; ".join(f"{trial.agent} fails {_failed(trial)}" for trial in trials)
    message = f"{len(trials)} of {len(trials)} earn less than 1" + (f": {told}" if told else "")
    return GateResult(gate=NAME, passed=True, message=message, figures=figures)


def _failed(trial: Trial) -> str:
    """Return the names of the checks and guards that a trial failed; whether it is the slip that they see is for a reader."""
    names = dict.fromkeys(check.name.split("[")[0] for check in trial.verdict.checks if not check.passed)
    return ", ".join(names)
