"""Scripted agents: bash text, split into steps at its `#>` lines."""

from __future__ import annotations

from skill2env.models.blueprint import Step
from skill2env.models.lines import split_lines

MARK = "#>"


def split_steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a script; commands before the first `#>` line, comments aside, are a step without a reason."""
    steps: list[tuple[list[str], list[str]]] = [([], [])]
    for line in split_lines(text):
        why, commands = steps[-1]
        if not line.startswith(MARK):
            commands.append(line)
        elif commands and any(map(_acts, commands)):
            steps.append(([line.removeprefix(MARK).strip()], []))
        else:
            why.append(line.removeprefix(MARK).strip())
            commands.clear()
    return tuple(
        Step(why=" ".join(why), command="\n".join(commands).strip("\n"))
        for why, commands in steps
        if any(map(_acts, commands))
    )


def _acts(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
