"""What became of one item in one stage: accepted, rejected or errored, and the findings behind it."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, Literal, TypeVar

from skill2env.models.base import Record


class Severity(StrEnum):
    """How much a finding matters: an error rejects, a warning is repaired or tolerated, advice is taste."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Finding(Record):
    """One fault or remark about a file of an item."""

    code: str
    """Stable kebab-case code of the kind of finding."""
    severity: Severity
    """error, warning or advice."""
    message: str
    """One sentence: what is wrong and what to do."""
    file: str = ""
    """Path relative to the item's folder; empty where no file is meant."""
    line: int = 0
    """Line from 1; 0 where the finding has no line."""
    column: int = 0
    """Column from 1, in characters; 0 where the whole line or no line is meant."""

    def __str__(self) -> str:
        """Return `file:line:column: message [code]`, as an editor can follow it."""
        numbers = [str(number) for number in (self.line, self.column) if number]
        place = f"{':'.join([self.file, *numbers])}: " if self.file else ""
        return f"{place}{self.message} [{self.code}]"


RecordT = TypeVar("RecordT", bound=Record)


class Accepted(Record, Generic[RecordT]):
    """The item went through; `record` is what the next stage gets."""

    kind: Literal["accepted"] = "accepted"
    record: RecordT
    """The stage's result for this item."""


class Rejected(Record):
    """The item is unfit, for a named rule; nothing about it will change on a rerun."""

    kind: Literal["rejected"] = "rejected"
    rule: str
    """Name of the rule or gate that refused the item."""
    message: str
    """One sentence that says what to change."""
    findings: tuple[Finding, ...] = ()
    """All findings, not the first only."""
    evidence: str = ""
    """What was seen, as text (capped)."""


class Errored(Record):
    """The infrastructure failed the item; it is tried again on the next run and is never a rejection."""

    kind: Literal["errored"] = "errored"
    message: str
    """One sentence: what failed."""
