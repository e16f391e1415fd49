"""Holds when the reference earns 1 in every one of k runs, in surroundings that must not matter."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.gates.evidence import describe
from skill2env.stages.validate.subject import Subject
from skill2env.trial.perturbation import perturbations

NAME = "oracle_passes"
VERSION = "1"


def check(subject: Subject) -> GateResult:
    """Run the reference k times."""
    reference = subject.blueprint.reference
    rounds = enumerate(perturbations(subject.params.oracle_runs), 1)
    trials = [subject.trials.script(reference, around, run) for run, around in rounds]
    failed = [trial for trial in trials if trial.verdict.reward < 1]
    figures = {
        "oracle_runs": len(trials),
        "oracle_passes": len(trials) - len(failed),
        "oracle_sec": round(sum(trial.timing.agent for trial in trials) / len(trials), 3),
    }
    if not failed:
        return GateResult(
            gate=NAME,
            passed=True,
            message=f"the reference earned 1 in {len(trials)} of {len(trials)} runs",
            figures=figures,
        )
    where = ", ".join(sorted({trial.perturbation for trial in failed}))
    hint = (
        "it depends on its surroundings"
        if len(failed) < len(trials)
        else "solution and tests disagree with the truth"
    )
    message = f"the reference failed in {len(failed)} of {len(trials)} runs ({where}): {hint}"
    return GateResult(gate=NAME, passed=False, message=message, evidence=describe(failed[0]), figures=figures)
