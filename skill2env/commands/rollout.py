"""`skill2env rollout`, with the table of what models achieved, and `import-trials`, which adds agents that ran elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skill2env.commands.common import HERE, AsJson, Root, err, opened, out
from skill2env.commands.stages import run_item_stage
from skill2env.errors import ExitCode

if TYPE_CHECKING:
    from skill2env.store.workspace import Workspace


def rollout(
    report: Annotated[
        bool, typer.Option("--report", help="Also show what models achieved: pass@k, lifts, the judge model.")
    ] = False,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Record the trajectories of scripts and models on accepted tasks."""
    from skill2env.attempted import attempted, lines_of

    def figures(workspace: Workspace) -> dict[str, Any]:
        found = attempted(workspace)
        counts = workspace.read_metrics("rollout") or {}
        if found["attempts"] or found["judge"]:
            workspace.write_metrics("rollout", {**counts, "models": found})
        return found

    run_item_stage("rollout", as_json, root, figures, lines_of if report else None)


def import_trials(
    jobs: Annotated[Path, typer.Argument(help="Folder of jobs that `harbor run -o` wrote.")],
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take the trials of `harbor run` jobs in; the next rollout joins them to its tables."""
    from skill2env.importing import import_jobs

    with opened(root, alone=True) as context:
        done = import_jobs(context.workspace, jobs)
    if as_json:
        faults = [{"path": str(path), "why": why} for path, why in done.faults]
        counts = {"added": done.added, "known": done.known, "left_out": done.left_out}
        out.print_json(json.dumps({**counts, "faults": faults}))
    else:
        for path, why in done.faults:
            err.print(f"{path}: {why}", markup=False)
        out.print(
            f"import-trials: {done.added} added, {done.known} known already, {done.left_out} of Harbor's own agents left out, "
            f"{len(done.faults)} unusable; run `skill2env rollout` next"
        )
    raise typer.Exit(ExitCode.FOUND if done.faults else ExitCode.OK)
