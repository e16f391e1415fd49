"""Holds when the reference earns 1 in every one of k runs, in surroundings that must not matter."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.models.trial import Trial
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject
from skill2env.trial.perturbation import PLAIN, parts, perturbations

NAME = "oracle_passes"
VERSION = "2"


def check(subject: Subject) -> GateResult:
    """Run the reference k times."""
    trials = subject.oracle
    failed = [trial for trial in trials if trial.verdict.reward < 1]
    figures = {
        "oracle_runs": len(trials),
        "oracle_passes": len(trials) - len(failed),
        "oracle_sec": round(sum(trial.timing.agent for trial in trials) / len(trials), 3),
    }
    if not failed:
        message = f"the reference earned 1 in {len(trials)} of {len(trials)} runs"
        return GateResult(gate=NAME, passed=True, message=message, figures=figures)
    where = ", ".join(sorted({trial.perturbation for trial in failed}))
    hint, evidence = "solution and tests disagree with the truth", describe(failed[0])
    if len(failed) < len(trials):
        guilty = _guilty(subject, failed[0])
        alone = (
            f"it depends on the {guilty.perturbation}" if guilty else "no part of that alone makes it fail"
        )
        hint = f"it depends on its surroundings: {alone}"
        evidence = describe(guilty or failed[0])
    message = f"the reference failed in {len(failed)} of {len(trials)} runs ({where}): {hint}"
    return GateResult(gate=NAME, passed=False, message=message, evidence=evidence, figures=figures)


def _guilty(subject: Subject, failed: Trial) -> Trial | None:
    """Return the first failing trial in which only a part of the surroundings was different."""
    sets = {around.name: around for around in perturbations(subject.params.oracle_runs)}
    around = sets[failed.perturbation]
    trials = (
        subject.trials.script(subject.blueprint.reference, part, 1)
        for part in parts(around)
        if around != PLAIN
    )
    return next((trial for trial in trials if trial.verdict.reward < 1), None)
