"""`skill2env soak`: accepted tasks judged again and again, and the pooled flake rate."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from skill2env.commands.common import HERE, AsJson, Root, opened, out
from skill2env.errors import ExitCode
from skill2env.progress import bar


def soak(
    times: Annotated[int, typer.Option(min=1, help="Judgements of each set of outputs of each task.")] = 9,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Judge accepted tasks again and again under perturbation and report the pooled flake rate."""
    from skill2env.soak import soak as run_soak
    from skill2env.strength import CONFIDENCE, at_most

    with opened(root) as context, bar("soak") as progress:
        soaked = list(run_soak(context, times, progress))
        runs, flakes = sum(task.runs for task in soaked), sum(len(task.flakes) for task in soaked)
        figures = {
            "tasks": len(soaked),
            "runs": runs,
            "flakes": flakes,
            "unsteady": sum(task.unsteady for task in soaked),
            "flake_rate_at_most": round(at_most(flakes, runs), 5),
            "confidence": CONFIDENCE,
        }
        context.workspace.write_metrics("soak", figures)
    if as_json:
        out.print_json(
            json.dumps({**figures, "told": {task.task_id: task.flakes for task in soaked if task.flakes}})
        )
    else:
        table = Table("task", "runs", "flakes", "told otherwise")
        for task in soaked:
            if task.flakes or task.unsteady:
                table.add_row(task.task_id, str(task.runs), "\n".join(task.flakes) or "0", str(task.unsteady))
        if table.row_count:
            out.print(table)
        out.print(
            f"soak: {flakes} flakes in {runs} judgements of {len(soaked)} tasks; with {CONFIDENCE:.0%} confidence at most "
            f"{figures['flake_rate_at_most']:.3%} are flaky; {figures['unsteady']} had the same reward and other words"
        )
    raise typer.Exit(ExitCode.FOUND if flakes else ExitCode.OK)
