"""Holds when right outputs with one thing changed are refused, and right outputs in other clothes are accepted.

Whether a changed program computes something else can't always be told: some of its lines are there for what never happens in
a test. Such mutants have a rate of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from skill2env.models.report import GateResult
from skill2env.models.trial import Verdict
from skill2env.mutation.mutant import FATAL, Mutant
from skill2env.mutation.plan import alike, mutants
from skill2env.params import ValidateParams
from skill2env.stages.validate.subject import Subject

NAME = "mutants_fail"
VERSION = "13"
_SHOWN = 40


@dataclass(frozen=True)
class _Judged:
    """What became of the mutants of one task."""

    subject: Subject
    wrong: tuple[tuple[Mutant, Verdict], ...]
    programs: tuple[tuple[Mutant, Verdict], ...]
    same: tuple[tuple[Mutant, Verdict], ...]

    @cached_property
    def survivors(self) -> tuple[Mutant, ...]:
        """Changed data that earns 1."""
        return tuple(mutant for mutant, verdict in self.wrong if verdict.reward >= 1)

    @cached_property
    def blind(self) -> tuple[Mutant, ...]:
        """Survivors of which at least half of those like them survive too."""
        return tuple(mutant for mutant in self.survivors if self._survives_again(mutant))

    @cached_property
    def living_programs(self) -> tuple[Mutant, ...]:
        """Changed programs that earn 1."""
        return tuple(mutant for mutant, verdict in self.programs if verdict.reward >= 1)

    @cached_property
    def refused(self) -> tuple[tuple[Mutant, Verdict], ...]:
        """What means the same and earns less than 1."""
        return tuple((mutant, verdict) for mutant, verdict in self.same if verdict.reward < 1)

    def _survives_again(self, mutant: Mutant) -> bool:
        subject = self.subject
        others = alike(mutant, subject.right, subject.world, subject.task.instruction)
        alive = sum(subject.trials.judged(other.within(subject.right)).reward >= 1 for other in others)
        return 2 * alive >= len(others)

    def figures(self) -> dict[str, float]:
        """Return the numbers that become columns."""
        figures: dict[str, float] = {
            "mutants": len(self.wrong),
            "mutants_killed": len(self.wrong) - len(self.survivors),
            "kill_rate": _rate(len(self.survivors), len(self.wrong)),
            "equivalents": len(self.same),
            "equivalents_accepted": len(self.same) - len(self.refused),
        }
        if self.programs:
            figures["program_mutants"] = len(self.programs)
            figures["program_kill_rate"] = _rate(len(self.living_programs), len(self.programs))
        return figures


def check(subject: Subject) -> GateResult:
    """Judge every mutant of the reference's outputs."""
    if subject.oracle[0].verdict.reward < 1:
        message = "the reference earns less than 1, so its outputs can't be mutated; see oracle_passes"
        return GateResult(gate=NAME, passed=False, message=message)
    judged = _judge(subject)
    told = list(_faults(judged, subject.params))
    figures = judged.figures()
    message = "; ".join(told) or (
        f"{figures['mutants_killed']} of {figures['mutants']} changed outputs are refused, "
        f"{len(judged.programs) - len(judged.living_programs)} of {len(judged.programs)} changed programs, and "
        f"{figures['equivalents_accepted']} of {figures['equivalents']} that mean the same accepted"
    )
    evidence = "\n".join(list(_evidence(judged))[:_SHOWN])
    return GateResult(gate=NAME, passed=not told, message=message, evidence=evidence, figures=figures)


def _judge(subject: Subject) -> _Judged:
    right, declared = subject.right, subject.blueprint.spec.outputs
    made = mutants(right, declared, subject.world, subject.task.instruction, subject.params.max_mutants)
    judged = tuple((mutant, subject.trials.judged(mutant.within(right))) for mutant in made)

    def of(*operators: str) -> tuple[tuple[Mutant, Verdict], ...]:
        return tuple(pair for pair in judged if pair[0].change.operator in operators)

    programs, same = of("program"), of("same")
    return _Judged(subject, tuple(pair for pair in judged if pair not in (*programs, *same)), programs, same)


def _faults(judged: _Judged, params: ValidateParams) -> Iterator[str]:
    """Yield a sentence for each way in which the tests are too wide or too narrow."""
    survivors, wrong = judged.survivors, len(judged.wrong)
    fatal = [mutant for mutant in survivors if mutant.change.operator in FATAL]
    if not wrong:
        yield "the reference delivers nothing that could be changed"
    elif fatal:
        yield f"{len(fatal)} survive that never may, such as {fatal[0]}; test for it"
    elif judged.blind:
        yield f"nobody looks where {judged.blind[0]} was changed: those like it survive too; test for it"
    elif _rate(len(survivors), wrong) < params.min_kill_rate:
        yield f"{len(survivors)} of {wrong} changed outputs still earn 1, such as {survivors[0]}; test for what was changed"
    living = judged.living_programs
    if _rate(len(living), len(judged.programs)) < params.min_program_kill_rate:
        yield (
            f"{len(living)} of {len(judged.programs)} changed programs still earn 1, such as {living[0]}; "
            "run what is delivered on inputs that tell the difference"
        )
    if judged.refused:
        yield f"the tests are too narrow: they refuse {judged.refused[0][0]}; compare what it means, not how it is written"


def _evidence(judged: _Judged) -> Iterator[str]:
    for mutant in judged.survivors:
        yield f"survives{', as those like it do' * (mutant in judged.blind)}: {mutant}"
    for mutant in judged.living_programs:
        yield f"survives: {mutant}"
    for mutant, verdict in judged.refused:
        failed = (result for result in verdict.checks if result.message not in ("", "not run"))
        told = "; ".join(f"{result.name}: {result.message}" for result in failed)
        yield f"refused although it means the same: {mutant}: {told}"


def _rate(survivors: int, tried: int) -> float:
    return round(1 - survivors / tried, 4) if tried else 1.0
