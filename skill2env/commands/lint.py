"""`skill2env lint`: what is wrong with a skill, or with all skills of a folder, and mending it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from skill2env.commands.common import AsJson, out
from skill2env.errors import ExitCode

if TYPE_CHECKING:
    from skill2env.linting import Linted
    from skill2env.models.outcome import Finding

_COLOURS = {"error": "red", "warning": "yellow", "advice": "dim"}


def lint(
    path: Annotated[Path, typer.Argument(help="A SKILL.md, a skill's folder, or a folder of skills.")],
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended mechanically.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Let no warning pass.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what departs from the specification, with file, line and column; needs no workspace."""
    from skill2env.linting import lint_all
    from skill2env.models.outcome import Severity

    seen: list[Linted] = []
    for linted in lint_all(path, fix):
        seen.append(linted)
        if not as_json:
            _show(linted)
    if as_json:
        out.print_json(json.dumps([linted.as_json() for linted in seen]))
    else:
        out.print(_summary(seen))
    passes = all(x.passes and not (strict and x.count(Severity.WARNING)) for x in seen)
    raise typer.Exit(ExitCode.OK if passes else ExitCode.FOUND)


def _show(linted: Linted) -> None:
    for finding in linted.fixed:
        out.print(f"[green]fixed[/]    {escape(_placed(linted, finding))}")
    for finding in linted.findings:
        mark = " (--fix mends it)" if finding in linted.mendable else ""
        colour = _COLOURS[finding.severity.value]
        out.print(f"[{colour}]{finding.severity.value:8}[/] {escape(_placed(linted, finding))}{mark}")


def _placed(linted: Linted, finding: Finding) -> str:
    """Return a finding with the skill's folder before its file, unless the file lies beside the skills."""
    from skill2env.stages.parse import of_record

    return str(finding) if of_record(finding) else f"{linted.folder.name}/{finding}"


def _summary(seen: list[Linted]) -> str:
    from skill2env.models.outcome import Severity

    counts = ", ".join(f"{sum(x.count(s) for x in seen)} {s.value}" for s in Severity)
    mendable, fixed = sum(len(x.mendable) for x in seen), sum(len(x.fixed) for x in seen)
    more = f"; {fixed} fixed" if fixed else f"; --fix mends {mendable}" if mendable else ""
    return f"{sum(x.passes for x in seen)} of {len(seen)} skills pass: {counts}{more}"
