"""`skill2env doctor` and `skill2env setup`: what the machine has, and making it have the rest."""

from __future__ import annotations

import json

import typer
from rich.markup import escape

from skill2env.commands.common import AsJson, out, say
from skill2env.errors import ExitCode


def doctor(as_json: AsJson = False) -> None:
    """Say what is there, what is missing, and how to mend it."""
    from skill2env.sandbox.doctor import diagnose

    findings = diagnose()
    if as_json:
        out.print_json(json.dumps([finding.model_dump() for finding in findings]))
    else:
        for finding in findings:
            mark = "[green]ok     [/]" if finding.ok else "[red]missing[/]"
            mend = "" if finding.ok else f"; {escape(finding.mend)}"
            out.print(f"{mark} {finding.name}: {escape(finding.detail)}{mend}")
    raise typer.Exit(ExitCode.OK if all(finding.ok for finding in findings) else ExitCode.FOUND)


def setup() -> None:
    """Start or install the Docker Engine where that is allowed, and make every image that is missing."""
    from skill2env.sandbox.doctor import set_up

    set_up(say)
