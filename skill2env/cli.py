"""The command line: one sub-command per stage, and the ones that show, check, export and mend."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from skill2env.errors import ExitCode, Skill2EnvError
from skill2env.progress import bar

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Root = Annotated[Path, typer.Option("--workspace", help="Folder with params.yaml, the corpus and data/.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
HERE = Path()


@contextmanager
def opened(root: Path):  # type: ignore[no-untyped-def]
    """Give the context of a workspace."""
    from skill2env.params import load_params
    from skill2env.stages.context import Context
    from skill2env.store.results import ResultStore
    from skill2env.store.workspace import Workspace

    params = load_params(root / "params.yaml")
    workspace = Workspace(root.resolve())
    store = ResultStore(workspace.results)
    try:
        with Context(workspace, params, store) as context:
            yield context
    finally:
        store.close()


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="A skill's or a blueprint's folder in a corpus.")],
    only: Annotated[str, typer.Option(help="Only tasks whose id contains this, for instance easy-s1.")] = "",
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take a skill or a blueprint through all gates and print the evidence."""
    from skill2env.check import check as run_check

    failed = False
    rows = []
    with opened(root) as context, bar("check") as progress:
        for checked in run_check(path, context, only, progress):
            failed |= checked.kind != "accepted"
            rows.append(checked.as_json())
            if not as_json:
                _print_checked(checked)
    if as_json:
        out.print_json(json.dumps(rows))
    raise typer.Exit(ExitCode.FOUND if failed else ExitCode.OK)


def _print_checked(checked) -> None:  # type: ignore[no-untyped-def]
    mark = {"accepted": "[green]accepted[/]", "rejected": "[red]rejected[/]", "errored": "[yellow]errored[/]"}[checked.kind]
    out.print(f"{checked.stage:9}{mark}  {escape(checked.item_id)}")
    if checked.report:
        for gate in checked.report.gates:
            out.print(f"           {gate.gate}: {escape(gate.message)}", style="dim")
    refusal = checked.refusal
    if refusal is None:
        return
    out.print(f"           {escape(getattr(refusal, 'rule', 'errored'))}: {escape(refusal.message)}")
    for finding in getattr(refusal, "findings", ()):
        out.print(f"             {escape(str(finding))}")
    for line in getattr(refusal, "evidence", "").splitlines():
        out.print(f"             {escape(line)}", style="dim")


@app.callback()
def about() -> None:
    """Turn agent skills into validated, executable tasks and a dataset with trajectories."""


def main() -> None:
    """Run the command line; every expected error is one sentence and its own exit code."""
    try:
        code = app(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except typer.TyperException as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except Skill2EnvError as error:
        err.print(f"error: {escape(str(error))}")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        err.print("stopped; what was finished is kept")
        sys.exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    main()
