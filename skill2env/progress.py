"""What a person sees while something takes long: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from skill2env.escaped import one_line

console = Console(stderr=True, highlight=False)


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int, str], None]]:
    """Give a function that is told how many of how many items are done, and which was the last."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[item]}", markup=False),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(label, total=None, item="")

        def tell(done: int, known: int, item: str) -> None:
            progress.update(task, completed=done, total=known, item=one_line(item))

        yield tell
