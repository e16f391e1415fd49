"""`skill2env show` and `skill2env export`: one item's life from skill to reward, and task directories written out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from skill2env.commands.common import HERE, AsJson, Root, opened, out
from skill2env.errors import UsageError
from skill2env.stages import ITEM_STAGES

if TYPE_CHECKING:
    from skill2env.stages.context import Context
    from skill2env.store.shards import Row

_LINES = 40


def show(
    item: Annotated[
        str, typer.Argument(help="A skill, a blueprint (<skill>--<name>) or a task, or the beginning of one.")
    ],
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Show what became of an item in every stage: findings, gates, trials and rewards."""
    with opened(root) as context:
        life = {stage: _rows(context, stage, item) for stage in ITEM_STAGES}
        run = [stage for stage in ITEM_STAGES if context.workspace.shard(stage).exists()]
    if not any(life.values()):
        told = (
            f"of the stages that were run here ({', '.join(run)}) none"
            if run
            else "no stage was run here, so none"
        )
        raise UsageError(f"{told} knows an item {item!r}; run `dvc repro`, or name another item")
    if as_json:
        rows = [
            {"stage": stage, "item": row.item_id, "outcome": json.loads(row.outcome)}
            for stage in ITEM_STAGES
            for row in life[stage]
        ]
        out.print_json(json.dumps(rows))
        return
    for stage in ITEM_STAGES:
        for row in life[stage]:
            _print(stage, row.item_id, json.loads(row.outcome))


def _rows(context: Context, stage: str, item: str) -> list[Row]:
    """Return the outcomes of the item itself, of what it was made from, and of what was made from it."""
    from skill2env.store.shards import read_shard

    path = context.workspace.shard(stage)
    if not path.exists():
        return []
    return [
        row for row in read_shard(path) if row.item_id.startswith(item) or item.startswith(f"{row.item_id}--")
    ]


def _print(stage: str, item: str, outcome: dict[str, Any]) -> None:
    out.print(f"[bold]{stage}[/] {outcome['kind']}  {escape(item)}")
    if outcome["kind"] != "accepted":
        out.print(f"  {outcome.get('rule', 'errored')}: {outcome['message']}", markup=False)
        for finding in outcome.get("findings", ()):
            out.print(
                f"  {finding['file']}:{finding['line']} {finding['message']} [{finding['code']}]",
                markup=False,
            )
        return
    for line in _DETAILS[stage](outcome["record"])[:_LINES]:
        out.print(f"  {line}", markup=False)


def _parse(skill: dict[str, Any]) -> list[str]:
    counted = ("sections", "code_blocks", "commands", "statements")
    counts = ", ".join(f"{len(skill[name])} {name.replace('_', ' ')}" for name in counted)
    return [skill["description"], counts, *(f"{f['code']}: {f['message']}" for f in skill["findings"])]


def _draft(blueprint: dict[str, Any]) -> list[str]:
    spec = blueprint["spec"]
    scripts = [
        f"{script['role']} {script['name']}: {script['slip'] or len(script['steps'])}"
        for script in blueprint["scripts"]
    ]
    return [
        f"{spec['title']} ({spec['archetype']}, {spec['verifier_pattern']}, {spec['toolchain']})",
        *scripts,
    ]


def _build(task: dict[str, Any]) -> list[str]:
    return [f"content id {task['content_id']}", *task["instruction"].splitlines()]


def _validate(report: dict[str, Any]) -> list[str]:
    return [f"{gate['gate']}: {gate['message']}" for gate in report["gates"]]


def _rollout(rollout: dict[str, Any]) -> list[str]:
    lines = []
    for trajectory in rollout["trajectories"]:
        trial = trajectory["trial"]
        verdict = trial["verdict"]
        failed = [check["name"] for check in verdict["checks"] if not check["passed"]]
        broken = [result["criterion_id"] for result in trajectory["rubric"] if result["satisfied"] is False]
        told = f"; failed: {', '.join(failed)}" if failed else ""
        told += f"; violates: {', '.join(broken)}" if broken else ""
        earned = f"reward {verdict['reward']:g}, partial {verdict['partial_reward']:.2f}"
        lines.append(f"{trial['role']} {trial['agent']}: {earned}{told}")
    return lines


_DETAILS = {"parse": _parse, "draft": _draft, "build": _build, "validate": _validate, "rollout": _rollout}


def export(
    task: Annotated[list[str], typer.Argument(help="Ids of tasks, or --all.")] = [],  # noqa: B006  # typer copies it
    to: Annotated[Path, typer.Option("--to", help="Folder in which the task directories are made.")] = Path(
        "tasks"
    ),
    everything: Annotated[bool, typer.Option("--all", help="Every task of the dataset.")] = False,
    dataset: Annotated[
        Path | None, typer.Option(help="A dataset's folder; the workspace's own by default.")
    ] = None,
    root: Root = HERE,
) -> None:
    """Write Harbor task directories out of a dataset, with the same content ids."""
    from skill2env.errors import WorkspaceError
    from skill2env.models.tree import BadTree, tree_id
    from skill2env.store.dataset import read_back, rows
    from skill2env.store.folders import write_folder
    from skill2env.store.workspace import Workspace

    folder = dataset or Workspace(root.resolve()).dataset
    if everything == bool(task):
        raise UsageError("name tasks, or give --all, and not both")
    names = [row["task_id"] for row in rows(folder, "tasks")] if everything else task
    if not names:
        raise UsageError(f"{folder} holds no task; `skill2env funnel` tells what became of them")
    for name in names:
        tree = read_back(folder, name)
        if name != Path(name).name or name == ".." or not name.isprintable():
            raise WorkspaceError(f"{folder}: {name!r} is no name for a folder, so that task is not written")
        target = to / name
        if target.exists():
            raise UsageError(f"{target} exists; name another folder with --to")
        try:
            write_folder(tree, target)
        except BadTree as error:
            raise WorkspaceError(f"{folder}: the files of {name} can't be written ({error})") from error
        out.print(f"{target} {tree_id(tree)}", markup=False)
