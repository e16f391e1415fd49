"""Holds when the reference's trajectory satisfies every criterion that has a predicate."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.subject import Subject
from skill2env.trial.rubric import SlowPattern, evaluate

NAME = "rubric_holds"
VERSION = "1"


def check(subject: Subject) -> GateResult:
    """Evaluate the rubric over the reference's first run."""
    try:
        results = evaluate(subject.blueprint.spec.rubric, subject.trials.script(subject.blueprint.reference))
    except SlowPattern as slow:
        return GateResult(gate=NAME, passed=False, message=str(slow))
    broken = {result.criterion_id for result in results if result.satisfied is False}
    figures = {"predicates": sum(result.satisfied is not None for result in results)}
    if broken:
        told = [
            f"{criterion.id}: {criterion.evidence.model_dump(exclude_none=True)} does not hold of the reference's commands"
            for criterion in subject.blueprint.spec.rubric
            if criterion.id in broken
        ]
        message = (
            f"the reference does not satisfy {', '.join(sorted(broken))}; mend the predicate, which sees the script's text "
            "and not what it expands to, or solve it as the rubric says"
        )
        return GateResult(gate=NAME, passed=False, message=message, evidence="\n".join(told), figures=figures)
    return GateResult(
        gate=NAME,
        passed=True,
        message=f"the reference satisfies {figures['predicates']} predicates",
        figures=figures,
    )
