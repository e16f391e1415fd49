"""One command per stage, and `funnel`, which shows what became of everything."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markdown import Markdown
from rich.table import Table

from skill2env.commands.common import HERE, AsJson, Root, opened, out
from skill2env.errors import TooManyErrors, UsageError
from skill2env.progress import bar
from skill2env.stages import ITEM_STAGES

if TYPE_CHECKING:
    from skill2env.models.chat import LedgerRow
    from skill2env.pipeline import Summary
    from skill2env.store.workspace import Workspace

_DOCS = {
    "parse": "Read the corpus's skills.",
    "draft": "Read the blueprints.",
    "build": "Make tasks of blueprints: worlds, instructions, tests.",
}


def stage_command(name: str) -> Callable[..., None]:
    """Return the command that runs one item-by-item stage."""

    def command(as_json: AsJson = False, root: Root = HERE) -> None:
        run_item_stage(name, as_json, root)

    command.__doc__ = _DOCS[name]
    return command


def validate(
    report: Annotated[
        bool, typer.Option("--report", help="Also show what the verifiers are worth, in figures.")
    ] = False,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take every task through all gates."""
    from skill2env.strength import lines_of, strength

    def figures(workspace: Workspace) -> dict[str, Any]:
        found = strength(workspace)
        workspace.write_metrics("strength", found)
        return found

    run_item_stage("validate", as_json, root, figures, lines_of if report else None)


def run_item_stage(
    name: str,
    as_json: bool,
    root: Path,
    figured: Callable[[Workspace], dict[str, Any]] = lambda _: {},
    page: Callable[[dict[str, Any]], list[str]] | None = None,
) -> None:
    """Run a stage, and tell what became of its items.

    Args:
        name: the stage.
        as_json: whether it is told as one JSON document.
        root: the workspace's folder.
        figured: keeps and returns figures of all outcomes, also of those from before a run that was ended early.
        page: gives the figures as lines of Markdown; None: they are not told.

    Raises:
        TooManyErrors: an item errored, and the parameters do not allow to go on without it.
        Skill2EnvError: whatever ends the run.
    """
    from skill2env.pipeline import run_stage
    from skill2env.store.workspace import Workspace

    try:
        with opened(root, alone=True) as context, bar(name) as progress:
            summary = run_stage(name, context, progress)
            go_on, spent = context.params.driver.go_on_without_errored, context.spent()
    finally:
        workspace = Workspace(root.resolve())
        found = figured(workspace) if workspace.shard(name).exists() else {}
    figures = {key: round(value, 2) for key, value in summary.figures.items()}
    figures["driver_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if as_json:
        counts = {**summary.counts(), "executed": summary.executed, "reused": summary.reused, **figures}
        told = {**counts, "models": [row.model_dump(mode="json") for row in spent]}
        out.print_json(json.dumps({**told, "report": found} if page else told))
    else:
        _tell(summary, figures)
        if spent:
            out.print(_ledger(spent))
        if page:
            out.print(Markdown("\n".join(page(found))))
    if summary.errored and not go_on:
        raise TooManyErrors(
            f"{name}: {summary.errored} items met infrastructure errors, as `skill2env show` tells; run again: they are "
            "tried again, and what was answered is kept"
        )


def _tell(summary: Summary, figures: dict[str, float]) -> None:
    refused = f", {sum(summary.rejected.values())} rejected" if summary.rejected else ""
    failed = f", {summary.errored} errored" if summary.errored else ""
    out.print(
        f"{summary.stage}: {summary.inputs} inputs, {summary.accepted} accepted{refused}{failed}; "
        f"{summary.executed} executed, {summary.reused} reused, {summary.seconds:.1f} s"
    )
    out.print("  " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))


def _ledger(spent: tuple[LedgerRow, ...]) -> Table:
    """Return what was asked of language models; what was replayed cost its sums when it was made, and nothing now."""
    table = Table(
        "purpose", "model", "outcome", "completions", "requests", "tokens in", "tokens out", "USD", "seconds"
    )
    for row in spent:
        sums = row.spent
        money = f"{sums.money:.4f}" + (f" and {sums.unpriced} without a price" if sums.unpriced else "")
        counts = (sums.completions, sums.requests, sums.tokens.input, sums.tokens.output)
        table.add_row(row.purpose, row.model, row.outcome, *map(str, counts), money, f"{sums.seconds:.1f}")
    return table


def publish(as_json: AsJson = False, root: Root = HERE) -> None:
    """Write the dataset."""
    from skill2env.pipeline import write_funnel
    from skill2env.stages.publish import LEDGER
    from skill2env.stages.publish import publish as run_publish

    with opened(root, alone=True) as context:
        figures = run_publish(context)
        folder = context.workspace.dataset
        write_funnel(context.workspace)
        ledger = context.workspace.read_metrics(LEDGER) or {}
    if as_json:
        out.print_json(json.dumps({**figures, LEDGER: ledger}))
        return
    out.print(
        f"publish: {figures['accepted_tasks']} tasks in {_shown(folder)}, fingerprint {figures['fingerprint'][:16]}"
    )
    out.print(_costs(ledger))
    out.print(_cost_per_task(ledger), markup=False)


def _costs(ledger: dict[str, Any]) -> Table:
    """Return what everything has cost in all runs, failures included, by stage and by purpose of models."""
    table = Table("cost of", "items", "wall s", "CPU s", "stored MB", "tokens in", "tokens out", "USD")
    for name, sums in (*ledger["stages"].items(), ("all", ledger["total"])):
        items = str(sums.get("items", "")) + (f", {n} uncounted" if (n := sums.get("uncounted")) else "")
        work = (f"{sums['wall_sec']:.1f}", f"{sums['cpu_sec']:.1f}", f"{sums['stored_bytes'] / 1e6:.1f}")
        table.add_row(name, items, *work, *_tokens(sums))
    for purpose, sums in ledger["models"].items():
        table.add_row(f"models: {purpose}", str(sums["completions"]), "", "", "", *_tokens(sums))
    return table


def _tokens(sums: dict[str, Any]) -> tuple[str, str, str]:
    unpriced = f" and {sums['unpriced']} without a price" if sums["unpriced"] else ""
    return str(sums["input_tokens"]), str(sums["output_tokens"]), f"{sums['usd']:.4f}{unpriced}"


def _cost_per_task(ledger: dict[str, Any]) -> str:
    per = ledger["per_accepted_task"]
    if per is None:
        return "no task was accepted"
    usd = "an unknown price" if per["usd"] is None else f"{per['usd']:.4f} USD"
    return (
        f"per accepted task, failures included: {per['wall_sec']:.1f} s of work, {per['cpu_sec']:.1f} s of CPU, "
        f"{per['stored_bytes'] / 1e6:.2f} MB, {per['tokens']} tokens, {usd}"
    )


def funnel(as_json: AsJson = False, root: Root = HERE) -> None:
    """Show what became of every input, and the line that loads the dataset."""
    from skill2env.store.workspace import Workspace

    workspace = Workspace(root.resolve())
    rows = [workspace.read_metrics(name) for name in ITEM_STAGES]
    if not all(rows):
        raise UsageError(
            f"{root / 'metrics'}: not all stages have been run; run `dvc repro` first, or name another workspace with --workspace"
        )
    if as_json:
        out.print_json(json.dumps(rows))
        return
    table = Table("stage", "inputs", "accepted", "rejected", "errored", "rules")
    for row in rows:
        assert row is not None
        rules = ", ".join(f"{rule} {count}" for rule, count in row["rejected"].items())
        rejected = sum(row["rejected"].values())
        table.add_row(
            row["stage"], str(row["inputs"]), str(row["accepted"]), str(rejected), str(row["errored"]), rules
        )
    out.print(table)
    if workspace.dataset.exists():
        out.print(f'load it: datasets.load_dataset("{_shown(workspace.dataset)}", "tasks")', markup=False)


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from skill2env.commands.rollout import rollout

    own = {"validate": validate, "rollout": rollout}
    for name in ITEM_STAGES:
        app.command(name)(own.get(name) or stage_command(name))
    app.command()(publish)
    app.command()(funnel)
