"""`skill2env check`: a skill or a blueprint through all gates, with the evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from skill2env.commands.common import HERE, AsJson, Root, opened, out
from skill2env.errors import ExitCode
from skill2env.progress import bar

if TYPE_CHECKING:
    from skill2env.checking import Checked

_MARKS = {"accepted": "[green]accepted[/]", "rejected": "[red]rejected[/]", "errored": "[yellow]errored[/]"}
_INDENT = " " * 11


def check(
    path: Annotated[Path, typer.Argument(help="A skill's or a blueprint's folder in a corpus.")],
    only: Annotated[str, typer.Option(help="Only tasks whose id contains this, for instance easy-s1.")] = "",
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take a skill or a blueprint through all gates and print the evidence of each."""
    from skill2env.checking import check as run_check

    kinds = []
    rows = []
    with opened(root) as context, bar("check") as progress:
        for checked in run_check(path, context, only, progress):
            kinds.append(checked.kind)
            rows.append(checked.as_json())
            if not as_json:
                _show(checked)
    if as_json:
        out.print_json(json.dumps(rows))
    elif kinds.count("accepted") == len(kinds):
        out.print(f"all {len(kinds)} items accepted")
    if "errored" in kinds and "rejected" not in kinds:
        raise typer.Exit(ExitCode.ENGINE)
    raise typer.Exit(ExitCode.FOUND if "rejected" in kinds else ExitCode.OK)


def _show(checked: Checked) -> None:
    from skill2env.checking import lines_of

    out.print(f"{checked.stage:9} {_MARKS[checked.kind]}  {escape(checked.item_id)}")
    for gate in checked.report.gates if checked.report else ():
        out.print(f"{_INDENT}{gate.gate}: {escape(gate.message)} ({gate.seconds:.1f} s)", style="dim")
    for line in lines_of(checked):
        out.print(f"{_INDENT}{escape(line)}", style="dim" if line.startswith("  ") else "")
