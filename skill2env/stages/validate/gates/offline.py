"""Holds when everything ran without a network, and no solution reaches for one."""

from __future__ import annotations

import re

from skill2env.models.report import GateResult
from skill2env.stages.validate.subject import Subject

NAME = "offline"
VERSION = "1"
_LOOPBACK = r"(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])"
_REACHES = re.compile(
    rf"\b(?:curl|wget)\b[^\n|;&]*\b(?:https?|ftp)://(?!{_LOOPBACK}\b)"
    r"|\bgit\s+(?:clone|fetch|pull|push)\b[^\n|;&]*\b(?:https?|ssh|git)(?:://|@)"
    r"|\b(?:pip3?|npm|apt|apt-get|cargo|gem)\s+(?:install|update|add|ci)\b(?![^\n]*--no-index)"
)


def check(subject: Subject) -> GateResult:
    """Look at the interfaces that each container had, and at what the solutions ask for."""
    trials = [subject.trials.nop(), subject.trials.script(subject.blueprint.reference)]
    trials += [
        subject.trials.script(script) for script in subject.blueprint.scripts if script.role == "alternative"
    ]
    for trial in trials:
        if trial.network != "lo":
            message = (
                f"the trial of {trial.agent} had the interfaces {trial.network!r} where only lo is allowed"
            )
            return GateResult(gate=NAME, passed=False, message=message)
        for step in trial.steps:
            if match := _REACHES.search(step.command):
                message = f"{trial.agent} reaches for the network; put what it needs into the world or the toolchain"
                return GateResult(gate=NAME, passed=False, message=message, evidence=match.group())
    return GateResult(gate=NAME, passed=True, message=f"{len(trials)} trials saw no interface but lo")
