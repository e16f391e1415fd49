"""Holds when the tests do nothing that makes a verdict unsafe, unsteady or empty: see docs/validate.md for the list."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.linting import lint
from skill2env.stages.validate.subject import Subject

NAME = "tests_lint"
VERSION = "1"
_SHOWN = 40


def check(subject: Subject) -> GateResult:
    """Read the tests' text; nothing is run."""
    return judged(subject.blueprint.tests)


def judged(tests: str) -> GateResult:
    """Return what the gate says of the text of `tests/test_outputs.py`."""
    try:
        faults = [str(fault) for fault in lint(tests)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        faults = [f"tests/test_outputs.py:{getattr(error, 'lineno', None) or 1}: it can't be read: {error}"]
    figures = {"lint_findings": len(faults)}
    if not faults:
        return GateResult(
            gate=NAME, passed=True, message="the tests keep to the fixtures and can fail", figures=figures
        )
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return GateResult(
        gate=NAME,
        passed=False,
        message=f"{faults[0]}{more}",
        evidence="\n".join(faults[:_SHOWN]),
        figures=figures,
    )
