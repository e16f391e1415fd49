"""`skill2env check`: a skill, a blueprint, or what a branch touches, through all gates, with the evidence."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from skill2env.commands.common import HERE, AsJson, Root, opened, out
from skill2env.errors import EngineDown, ExitCode, UsageError, WorkspaceError, remedy
from skill2env.progress import bar

if TYPE_CHECKING:
    from skill2env.checking import Checked
    from skill2env.verdicts import Verdict

_MARKS = {"accepted": "[green]accepted[/]", "rejected": "[red]rejected[/]", "errored": "[yellow]errored[/]"}
_INDENT = " " * 11
_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Names the file that GitHub shows as a job's summary."""


def check(
    path: Annotated[
        Path | None, typer.Argument(help="A skill's or a blueprint's folder in a corpus.")
    ] = None,
    only: Annotated[str, typer.Option(help="Only tasks whose id contains this, for instance easy-s1.")] = "",
    changed: Annotated[
        str | None,
        typer.Option(
            help="Instead of a folder: all that differs from where the branch left this one, e.g. main."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="With --changed: where what judges has changed, check all, not a sample."
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="With --changed: write funnel, evidence and coverage to this file as Markdown."),
    ] = None,
    github: Annotated[
        bool,
        typer.Option(
            "--github", help="With --changed: print annotations, and add the report to the job's summary."
        ),
    ] = False,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take a skill, a blueprint, or what a branch touches through all gates and print the evidence of each."""
    if (path is None) == (changed is None):
        raise UsageError("name a folder, or a branch with --changed, and not both")
    if github and as_json:
        raise UsageError("--github prints workflow commands, and --json one document; name one of them")
    if changed is None:
        if everything or report or github:
            raise UsageError("--everything, --report and --github belong to --changed; name a branch with it")
        assert path is not None
        kinds = _check_folder(path, only, as_json, root)
    else:
        kinds = _check_changes(changed, only, everything, report, github, as_json, root)
    if "errored" in kinds and "rejected" not in kinds:
        raise typer.Exit(ExitCode.ENGINE)
    raise typer.Exit(ExitCode.FOUND if "rejected" in kinds else ExitCode.OK)


def _check_folder(path: Path, only: str, as_json: bool, root: Path) -> list[str]:
    from skill2env.checking import check as run_check
    from skill2env.checking import locate

    with opened(root) as context, bar("check") as progress:
        checked: list[Checked] = []
        _show_each(run_check([locate(path)], context, only, progress), not as_json, checked)
    if as_json:
        out.print_json(json.dumps([item.as_json() for item in checked]))
    else:
        _sum_up(checked)
    return [item.kind for item in checked]


def _check_changes(
    base: str, only: str, everything: bool, report: Path | None, github: bool, as_json: bool, root: Path
) -> list[str]:
    from skill2env.changes import changes_since, select
    from skill2env.checking import check as run_check
    from skill2env.checking import drafts
    from skill2env.escaped import one_line
    from skill2env.verdicts import Verdict

    changes = changes_since(base, root)
    summary = os.environ.get(_SUMMARY) if github else None
    if report:
        _need_writable(report, "--report")
    if summary:
        _need_writable(Path(summary), _SUMMARY)
    checked: list[Checked] = []
    gone: EngineDown | None = None
    with opened(root) as context, bar("check") as progress, _no_commands(github):
        corpus = context.workspace.root / context.params.corpus
        selection = select(changes, corpus, context.workspace.root / "params.yaml", everything)
        try:
            _show_each(run_check(selection.targets, context, only, progress), not as_json, checked)
        except EngineDown as error:
            gone = error
        read = drafts(selection.targets, context)
        verdict = Verdict(changes, selection, tuple(checked), read, str(gone or ""))
        if as_json:
            out.print_json(json.dumps(verdict.as_json()))
        else:
            if gone is None:
                _sum_up(checked)
            for sentence in verdict.scope():
                out.print(one_line(sentence), markup=False)
    for line in verdict.annotations() if github else ():
        typer.echo(line)
    _write_page(verdict, report, Path(summary) if summary else None)
    if gone is not None:
        raise gone
    return [item.kind for item in checked]


def _need_writable(file: Path, named_by: str) -> None:
    """Refuse a file that can't be written before anything is run for it; one that is not there is not made.

    Raises:
        UsageError: it can't be written.
    """
    try:
        there = file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
        if not there:
            file.unlink()
    except OSError as error:
        raise UsageError(
            f"{file}: can't be written ({error.strerror}); name another file with {named_by}"
        ) from error


def _write_page(verdict: Verdict, report: Path | None, summary: Path | None) -> None:
    """Write the page to a file, and at the end of a job's summary.

    Raises:
        WorkspaceError: one of them can't be written any more.
    """
    from skill2env.store.workspace import write_text

    page = "\n".join(verdict.page()) + "\n"
    if report:
        write_text(report, page)
    if summary:
        try:
            with summary.open("a", encoding="utf-8") as file:
                file.write(page)
        except OSError as error:
            raise WorkspaceError(
                f"{summary}: can't be written ({error.strerror}); {remedy(error)} and run again"
            ) from error


@contextmanager
def _no_commands(github: bool) -> Iterator[None]:
    """Keep GitHub from reading workflow commands out of what is printed: names and evidence come from strangers."""
    if not github:
        yield
        return
    token = secrets.token_hex(16)
    out.print(f"::stop-commands::{token}", markup=False)
    try:
        yield
    finally:
        out.print(f"::{token}::", markup=False)


def _show_each(items: Iterable[Checked], told: bool, found: list[Checked]) -> None:
    """Add all items to those that were found, each shown as it comes where that is wanted."""
    for item in items:
        found.append(item)
        if told:
            _show(item)


def _sum_up(checked: list[Checked]) -> None:
    if checked and all(item.kind == "accepted" for item in checked):
        out.print(f"all {len(checked)} items accepted")


def _show(checked: Checked) -> None:
    from skill2env.checking import lines_of

    out.print(f"{checked.stage:9} {_MARKS[checked.kind]}  {escape(checked.item_id)}")
    for gate in checked.report.gates if checked.report else ():
        out.print(f"{_INDENT}{gate.gate}: {escape(gate.message)} ({gate.seconds:.1f} s)", style="dim")
    for line in lines_of(checked):
        out.print(f"{_INDENT}{escape(line)}", style="dim" if line.startswith("  ") else "")
