"""The validation report of a task: what each gate saw."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from skill2env.models.base import Record


class GateResult(Record):
    """What one gate says of one task."""

    gate: str
    """Name of the gate."""
    passed: bool
    """Whether the gate holds."""
    message: str
    """One sentence: what was seen, or what to change."""
    evidence: str = ""
    """What was seen, as text (capped)."""
    figures: dict[str, Any] = Field(default_factory=dict)
    """Numbers of the gate, which become columns."""
    seconds: float = 0.0
    """Wall seconds that the gate took, without what an earlier gate had done for it."""


class ValidationReport(Record):
    """All gates of one task."""

    task_id: str
    """Which task."""
    task_content_id: str
    """Content id of the task directory."""
    gates: tuple[GateResult, ...]
    """Every gate, in order; all are run, also after one has failed."""
    wall_sec: float
    """Wall seconds of the task's validation."""
    container_sec: float
    """Wall seconds spent in starting, collecting from and removing containers."""
    work_sec: float
    """Wall seconds spent in solutions and tests themselves."""

    @property
    def accepted(self) -> bool:
        """True if every gate passed."""
        return all(gate.passed for gate in self.gates)
