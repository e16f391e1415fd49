"""`skill2env records`: what language models were asked and answered, as files that others can replay."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skill2env.commands.common import HERE, Root, err, opened, out
from skill2env.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from skill2env.stages.context import Context


class Action(StrEnum):
    """What is done with records."""

    EXPORT = "export"
    IMPORT = "import"


def records(
    action: Annotated[
        Action, typer.Argument(help="export: write the workspace's records. import: take records in.")
    ],
    file: Annotated[
        list[Path],
        typer.Argument(
            help="JSON Lines, a record a line, compressed as .xz: one file to write, or files and folders of them to read."
        ),
    ],
    root: Root = HERE,
) -> None:
    """Export and import what language models were asked and answered; a record that holds a key is not exported."""
    if action is Action.EXPORT and len(file) > 1:
        raise UsageError("export writes one file; name just one")
    with opened(root) as context:
        well = _export(context, file[0]) if action is Action.EXPORT else _import(context, file)
    raise typer.Exit(ExitCode.OK if well else ExitCode.FOUND)


def _export(context: Context, file: Path) -> bool:
    """Write the records sorted by key; returns whether none was left out."""
    from skill2env.llm.keys import Keys
    from skill2env.llm.recorder import kept
    from skill2env.llm.records import write_lines

    written, held = write_lines(file, kept(context.store), Keys(context.params.llm, os.environ))
    for key, names in held:
        err.print(f"left out: the record {key} holds the value of {', '.join(names)}", markup=False)
    out.print(f"{written} records written to {file}", markup=False)
    return not held


def _import(context: Context, places: list[Path]) -> bool:
    """Take records in, in the place of those that are there; returns whether every line was one."""
    from skill2env.llm.recorder import keep
    from skill2env.llm.records import BadLine, files_of, read_lines

    taken, bad = 0, 0
    for path in files_of(places):
        for line in read_lines(path):
            if isinstance(line, BadLine):
                err.print(str(line), markup=False)
                bad += 1
            else:
                keep(context.store, line)
                taken += 1
    out.print(f"{taken} records imported, {bad} bad lines passed over", markup=False)
    return not bad
