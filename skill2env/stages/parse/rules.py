"""The rules by which a skill is refused; to refuse another kind of skill, add a row to `RULES`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from skill2env.models.outcome import Rejected
from skill2env.stages.parse.codes import Findings
from skill2env.stages.parse.tree import LARGE_CODES, UNSAFE_CODES


@dataclass(frozen=True)
class Reading:
    """What a rule may look at."""

    findings: Findings
    name: str = ""
    description: str = ""


class Rule(NamedTuple):
    """One reason to refuse a skill: it applies when one of the codes was found."""

    name: str
    message: str
    """One sentence that says what to change."""
    codes: tuple[str, ...]


RULES = (
    Rule(
        "unsafe-tree",
        "The folder holds something that a skill may not hold, such as a link out of it or an odd file name; "
        "take it away.",
        UNSAFE_CODES,
    ),
    Rule("too-large", "The folder is larger than a skill may be; bundle less.", LARGE_CODES),
    Rule(
        "no-skill-file",
        "The folder has no SKILL.md; add one with name, description and instructions.",
        ("skill-file-missing",),
    ),
    Rule("not-text", "SKILL.md is not text; write it as UTF-8 text.", ("binary-file",)),
    Rule(
        "unreadable-frontmatter",
        "The frontmatter is too large or too deeply nested to be given to a YAML reader; shorten it.",
        ("frontmatter-too-large", "frontmatter-too-deep"),
    ),
    Rule(
        "no-frontmatter-values",
        "There is no usable name and description, and the text gives none either; write `name` and "
        "`description` between two lines `---`.",
        (),
    ),
    Rule(
        "provenance-mismatch",
        "The provenance file can't be read or describes another state of the folder; correct the file, put a "
        "change that is wanted on record with `skill2env provenance`, or take the skill anew.",
        ("provenance-unreadable", "provenance-hash-differs"),
    ),
)
"""In order: the first that applies names the rejection; the findings of all others are reported with it."""


def refuse(reading: Reading) -> Rejected | None:
    """Return the rejection by the first rule that applies, with all findings, or None."""
    for rule in RULES:
        if reading.findings.has(*rule.codes) or (not rule.codes and _valueless(reading)):
            return Rejected(rule=rule.name, message=rule.message, findings=reading.findings.all())
    return None


def _valueless(reading: Reading) -> bool:
    return not (reading.name.strip() and reading.description.strip())
