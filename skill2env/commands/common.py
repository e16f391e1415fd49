"""What the commands share: consoles, options, and the context of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from skill2env.escaped import visible

if TYPE_CHECKING:
    from skill2env.stages.context import Context


class _Safe(Console):
    """A console that obeys nothing in what it prints: names and texts of strangers hold sequences for terminals."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with every character of a text that can't be seen written as an escape."""
        shown = (visible(one, "\n\t") if isinstance(one, str) else one for one in objects)
        super().print(*shown, **options)

    def print_json(self, json: str | None = None, **options: Any) -> None:
        """Print JSON in ASCII."""
        super().print_json(json, **{**options, "ensure_ascii": True})


out = _Safe(highlight=False, soft_wrap=True)
"""Results go to standard output."""
err = _Safe(stderr=True, highlight=False, soft_wrap=True)
"""Progress and errors go to standard error."""

Root = Annotated[Path, typer.Option("--workspace", help="Folder with params.yaml, the corpus and data/.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
HERE = Path()


@contextmanager
def opened(root: Path, alone: bool = False) -> Iterator[Context]:
    """Give the context of a workspace; `alone` keeps every other run out of it that asks for the same.

    Raises:
        UsageError: `params.yaml` is missing or wrong.
        WorkspaceError: the result store can't be opened, or another run is in the workspace.
    """
    from skill2env.params import load_params
    from skill2env.stages.context import Context
    from skill2env.store.results import ResultStore
    from skill2env.store.workspace import Workspace

    params = load_params(root / "params.yaml")
    workspace = Workspace(root.resolve())
    with workspace.locked() if alone else nullcontext():
        store = ResultStore(workspace.results)
        try:
            with Context(workspace, params, store) as context:
                if "model" in params.draft.authors:
                    from skill2env.authoring.author import ModelAuthor

                    context.author = ModelAuthor(context)
                yield context
        finally:
            store.close()


def from_here(path: Path) -> Path:
    """Return a path as it is written in the current folder; whole where it lies elsewhere."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def say(line: str) -> None:
    """Print a line of progress on standard error."""
    err.print(line, markup=False, style="dim")
