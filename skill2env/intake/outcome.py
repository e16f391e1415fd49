"""What became of one skill of a source."""

from __future__ import annotations

from enum import StrEnum

from skill2env.models.base import Record
from skill2env.models.outcome import Finding


class Fate(StrEnum):
    """The answers that a skill of a source can get; each gets exactly one."""

    NEW = "new"
    """Taken into the corpus."""
    REFERENCE = "reference"
    """Put on record with its digest, not copied, as its licence asks."""
    UNCHANGED = "unchanged"
    """In the corpus, or on record, as it is at the source."""
    CHANGED = "changed"
    """Another at the source than in the corpus; left as it is."""
    UPDATED = "updated"
    """Another at the source than it was in the corpus; replaced."""
    COPY = "copy"
    """The same files as another skill."""
    NEAR_COPY = "near copy"
    """Almost the same text as others, of which there are enough."""
    OVER_CAP = "over cap"
    """One more of a repository or author than the parameters allow."""
    REFUSED = "refused"
    """A finding of severity error keeps it out."""
    GONE = "gone"
    """In the corpus, and no longer at the source."""


FAULTS = frozenset({Fate.CHANGED, Fate.REFUSED, Fate.GONE})
"""What somebody should look at; the command then ends with exit code 1."""


class Change(Record):
    """One file that differs between the corpus and the source."""

    file: str
    """Path in the skill."""
    what: str
    """`added`, `removed`, `changed`, or `mode` where only that differs."""
    lines_added: int = 0
    """Lines of text that are new."""
    lines_removed: int = 0
    """Lines of text that are gone."""


class Touched(Record):
    """One line reference of a blueprint that no longer says what it said."""

    blueprint: str
    """`<skill>/<blueprint>`."""
    reference: str
    """The reference as the blueprint has it."""
    now: str
    """Where the same lines are now; empty where they were changed."""


class Result(Record):
    """The answer for one skill."""

    path: str
    """Its folder in the source; empty for the top."""
    skill_id: str = ""
    """Its name in the corpus; empty where it is not there."""
    fate: Fate
    """What became of it."""
    licence: str = ""
    """SPDX expression, where it came to that."""
    sha256: str = ""
    """Content id of its files."""
    like: str = ""
    """The skill that it is a copy or near copy of, by its name in the corpus."""
    findings: tuple[Finding, ...] = ()
    """All findings."""
    changes: tuple[Change, ...] = ()
    """What differs, for `changed` and `updated`."""
    touched: tuple[Touched, ...] = ()
    """References of blueprints that the change touches."""
