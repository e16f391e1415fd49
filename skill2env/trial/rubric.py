"""Evaluates a rubric's predicates over what an agent did; no model is needed, and none is assumed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import regex

from skill2env.models.rubric import Criterion, Evidence
from skill2env.models.trial import CriterionResult, Trial

SEARCH_SEC = 5.0
"""Seconds that one pattern may take on one trajectory; patterns come from strangers."""


class SlowPattern(ValueError):
    """A pattern took too long; it backtracks without end on this trajectory."""


def evaluate(rubric: Sequence[Criterion], trial: Trial) -> tuple[CriterionResult, ...]:
    """Return for each criterion whether the trial satisfies it; None where only a judge could say, or too little is on record.

    Raises:
        SlowPattern: a regular expression took more than `SEARCH_SEC`.
    """
    return tuple(_result(criterion, trial) for criterion in rubric)


def _result(criterion: Criterion, trial: Trial) -> CriterionResult:
    evidence = criterion.evidence
    satisfied = _holds(evidence, trial) if _known(evidence, trial) else None
    return CriterionResult(
        criterion_id=criterion.id,
        kind=criterion.kind,
        weight=criterion.weight,
        satisfied=satisfied,
        by="nobody" if satisfied is None else "predicate",
    )


def _known(evidence: Evidence, trial: Trial) -> bool:
    """Return whether a trial's record can settle a predicate: of one that ran elsewhere, changed paths are never known."""
    return trial.role != "external" or (bool(trial.steps) and evidence.never_writes is None)


def _holds(evidence: Evidence, trial: Trial) -> bool | None:
    commands = [step.command for step in trial.steps]
    if evidence.used is not None:
        return _first(evidence.used, commands) is not None
    if evidence.never is not None:
        return _first(evidence.never, commands) is None
    if evidence.before is not None:
        first, then = _first(evidence.before.first, commands), _first(evidence.before.then, commands)
        return first is not None and (then is None or first < then)
    if evidence.at_most is not None:
        return sum(1 for _ in _matches(evidence.at_most.pattern, commands)) <= evidence.at_most.times
    if evidence.never_writes is not None:
        changed = trial.changed_paths or ()
        return not any(fnmatchcase(path, evidence.never_writes) for path in changed)
    return None


def _first(pattern: str, commands: Sequence[str]) -> tuple[int, int] | None:
    return next(_matches(pattern, commands), None)


def _matches(pattern: str, commands: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield step and offset of each match."""
    deadline = time.monotonic() + SEARCH_SEC
    for index, command in enumerate(commands):
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            for match in regex.finditer(pattern, command, flags=regex.MULTILINE, timeout=left):
                yield index, match.start()
        except TimeoutError:
            raise SlowPattern(
                f"the pattern {pattern!r} takes too long; write it without nested repetition"
            ) from None
