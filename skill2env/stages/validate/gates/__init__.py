"""The gates, in the order in which they are run and shown: one module each, with `NAME`, `VERSION` and `check`."""

from __future__ import annotations

from typing import Protocol

from skill2env.models.report import GateResult
from skill2env.stages.validate.gates import (
    ablations_fail,
    alternatives_pass,
    attacks_fail,
    builds,
    deterministic,
    hardcode_fails,
    headroom,
    mistakes_fail,
    mutants_fail,
    no_leak,
    nop_fails,
    offline,
    oracle_passes,
    rubric_holds,
    shortcuts_fail,
    stated,
    tests_lint,
)
from skill2env.stages.validate.subject import Subject


class Gate(Protocol):
    """A gate is a module that has these."""

    NAME: str
    """Name of the gate."""
    VERSION: str
    """Raised when the gate's answers would change."""

    def check(self, subject: Subject) -> GateResult:
        """Return what the gate says of a task; raises EngineError where the infrastructure failed."""


GATES: tuple[Gate, ...] = (
    tests_lint,
    stated,
    deterministic,
    builds,
    no_leak,
    nop_fails,
    oracle_passes,
    alternatives_pass,
    mistakes_fail,
    shortcuts_fail,
    hardcode_fails,
    ablations_fail,
    mutants_fail,
    rubric_holds,
    attacks_fail,
    offline,
    headroom,
)
