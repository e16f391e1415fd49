"""Holds when right outputs with one thing changed are refused, and right outputs in other clothes are accepted."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.models.trial import Verdict
from skill2env.mutation.mutant import FATAL, Mutant
from skill2env.mutation.plan import alike, mutants
from skill2env.stages.validate.subject import Subject

NAME = "mutants_fail"
VERSION = "8"
_SHOWN = 40


def check(subject: Subject) -> GateResult:
    """Judge every mutant of the reference's outputs."""
    if subject.oracle[0].verdict.reward < 1:
        message = "the reference earns less than 1, so its outputs can't be mutated; see oracle_passes"
        return GateResult(gate=NAME, passed=False, message=message)
    right, params = subject.right, subject.params
    declared = subject.blueprint.spec.outputs
    made = mutants(right, declared, subject.world, subject.task.instruction, params.max_mutants)
    judged = [(mutant, subject.trials.judged(mutant.within(right))) for mutant in made]
    wrong = [(mutant, verdict) for mutant, verdict in judged if mutant.change.operator != "same"]
    same = [(mutant, verdict) for mutant, verdict in judged if mutant.change.operator == "same"]
    survivors = [mutant for mutant, verdict in wrong if verdict.reward >= 1]
    blind = [mutant for mutant in survivors if _survives_again(subject, mutant)]
    refused = [(mutant, verdict) for mutant, verdict in same if verdict.reward < 1]
    rate = 1 - len(survivors) / len(wrong) if wrong else 0.0
    figures = {
        "mutants": len(wrong),
        "mutants_killed": len(wrong) - len(survivors),
        "kill_rate": round(rate, 4),
        "equivalents": len(same),
        "equivalents_accepted": len(same) - len(refused),
    }
    evidence = [f"survives{', as those like it do' * (mutant in blind)}: {mutant}" for mutant in survivors]
    evidence += [
        f"refused although it means the same: {mutant}: "
        + "; ".join(
            f"{result.name}: {result.message}"
            for result in verdict.checks
            if result.message not in ("", "not run")
        )
        for mutant, verdict in refused
    ]
    told = [*_too_wide(len(wrong), survivors, blind, params.min_kill_rate), *_too_narrow(refused)]
    message = "; ".join(told) or (
        f"{len(wrong) - len(survivors)} of {len(wrong)} changed outputs are refused, "
        f"{len(same)} of {len(same)} that mean the same accepted"
    )
    return GateResult(
        gate=NAME,
        passed=not told,
        message=message,
        evidence="\n".join(evidence[:_SHOWN]),
        figures=figures,
    )


def _survives_again(subject: Subject, mutant: Mutant) -> bool:
    """Return whether those like a survivor survive too, at least half of them; programs differ too much to be alike."""
    if mutant.change.operator == "program":
        return False
    others = alike(mutant, subject.right, subject.world, subject.task.instruction)
    alive = sum(subject.trials.judged(other.within(subject.right)).reward >= 1 for other in others)
    return 2 * alive >= len(others)


def _too_wide(wrong_count: int, survivors: list[Mutant], blind: list[Mutant], least: float) -> list[str]:
    if not wrong_count:
        return ["the reference delivers nothing that could be changed"]
    fatal = [mutant for mutant in survivors if mutant.change.operator in FATAL]
    if fatal:
        return [f"{len(fatal)} survive that never may, such as {fatal[0]}; test for it"]
    if blind:
        return [f"nobody looks where {blind[0]} was changed: those like it survive too; test for it"]
    if 1 - len(survivors) / wrong_count < least:
        return [
            f"{len(survivors)} of {wrong_count} changed outputs still earn 1, such as {survivors[0]}; "
            "test for what was changed"
        ]
    return []


def _too_narrow(refused: list[tuple[Mutant, Verdict]]) -> list[str]:
    if not refused:
        return []
    return [
        f"the tests are too narrow: they refuse {refused[0][0]}; compare what it means, not how it is written"
    ]
