"""Holds when every literal that the tests demand of outputs is in the instruction or the world, or computed from them.

A key, a path, a column or a word that an agent is graded on and could not have known makes a task a guessing game.
"""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.literals import Demand, Known, explained, read_demands
from skill2env.stages.validate.literals.explained import hidden_values
from skill2env.stages.validate.subject import Subject

NAME = "stated"
VERSION = "1"
_FILE = "tests/test_outputs.py"
_SHOWN = 40


def check(subject: Subject) -> GateResult:
    """Look for every literal of the tests in what the agent can read."""
    task = subject.task
    planted = (task.truth, task.facts, *hidden_values(subject.images.tree))
    return judged(subject.blueprint.tests, Known(task.instruction, subject.world, planted))


def judged(tests: str, known: Known) -> GateResult:
    """Return what the gate says of the text of `tests/test_outputs.py` and of what can be known."""
    try:
        found = read_demands(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"{_FILE}:{getattr(error, 'lineno', None) or 1}: it can't be read: {error}"
        return GateResult(gate=NAME, passed=False, message=message)
    missing = [demand for demand in found.demands if not explained(demand, known, found.given, found.terms)]
    figures = {"literals": len(found.demands), "unexplained": len(missing)}
    if not missing:
        return GateResult(
            gate=NAME,
            passed=True,
            message=f"all of {len(found.demands)} literals of the tests are stated or computed",
            figures=figures,
        )
    told = [_told(demand) for demand in missing]
    more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
    return GateResult(
        gate=NAME,
        passed=False,
        message=f"{told[0]}{more}",
        evidence="\n".join(told[:_SHOWN]),
        figures=figures,
    )


def _told(demand: Demand) -> str:
    value = demand.value if demand.number else repr(demand.value)
    what = f"{_FILE}:{demand.line}: the tests demand the {demand.noun} {value}"
    return f"{what}, which neither the instruction nor the world names; say it in instruction.md"
