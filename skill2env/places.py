"""Where in blueprint.yaml an author begins to look, for refusals of a task that come of what stands there."""

from __future__ import annotations

import re
from typing import Any

from skill2env.models.outcome import Finding, Rejected
from skill2env.stages.draft import located
from skill2env.stages.draft.read import YAML

_PARTS = {"toolchain": "toolchain", "rubric_holds": "rubric", "headroom": "limits"}
"""The key that a rule or a gate is about."""
_WORD = re.compile(r"[\w-]+")


def placed(refusal: Rejected, text: str) -> Rejected:
    """Return a refusal in which each finding that is about a key of blueprint.yaml has its line.

    Args:
        refusal: what became of a task.
        text: the blueprint.yaml of its blueprint, which was accepted.
    """
    if not any(finding.code in _PARTS for finding in refusal.findings):
        return refusal
    value, lines, _ = located.load(text, YAML)
    findings = (
        finding.model_copy(update={"file": YAML, "line": _line(finding, value, lines)})
        if finding.code in _PARTS
        else finding
        for finding in refusal.findings
    )
    return refusal.model_copy(update={"findings": tuple(findings)})


def _line(finding: Finding, value: Any, lines: dict[located.Path, int]) -> int:
    """Return the line of the first criterion or limit that the finding's first clause names, else that of the whole key."""
    part = _PARTS[finding.code]
    named = _WORD.findall(finding.message.partition(";")[0])
    members = {
        "rubric": {criterion["id"]: index for index, criterion in enumerate(value["rubric"])},
        "limits": {name: name for name in value["limits"]},
    }.get(part, {})
    return min(
        (lines[part, member] for name, member in members.items() if name in named), default=lines[part,]
    )
