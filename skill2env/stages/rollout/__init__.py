"""The rollout stage: scripted agents attempt the accepted tasks, step by step; passing and failing attempts are both kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skill2env.models.base import content_id
from skill2env.models.blueprint import Script
from skill2env.models.outcome import Accepted
from skill2env.models.rollout import Rollout, Trajectory
from skill2env.models.task import Task
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.task_images import TaskImages
from skill2env.store.shards import read_shard
from skill2env.trial.rubric import evaluate
from skill2env.trial.trials import trials_of

NAME = "rollout"
VERSION = "1"


def items(context: Context) -> Iterator[Item]:
    """Yield every task that all gates accepted."""
    accepted = {
        row.item_id: row.input_id for row in read_shard(context.workspace.shard("validate"), "accepted")
    }
    for row in read_shard(context.workspace.shard("build"), "accepted"):
        if row.item_id in accepted:
            task = Accepted[Task].model_validate_json(row.outcome).record
            yield Item(task.task_id, content_id([accepted[row.item_id], task.record_id()]), task, row.blob)


def settings(context: Context, item: Item) -> Any:
    """The parameters."""
    return context.params.rollout.model_dump()


def apply(item: Item, context: Context) -> Done:
    """Return the trajectories of one task; trials that validation has made already are not made again."""
    task: Task = item.value
    scripts = [script for script in task.blueprint.scripts if _attempts(script, task)]
    images = TaskImages(task, item.blob or b"", context)
    with trials_of(context.engine, context.store, task, images) as trials:
        made = [trials.script(script) for script in scripts]
    context.add("trials_executed", trials.executed)
    rubric = task.blueprint.spec.rubric
    trajectories = tuple(Trajectory(trial=trial, rubric=evaluate(rubric, trial)) for trial in made)
    return Done(
        Accepted[Rollout](
            record=Rollout(task_id=task.task_id, task_content_id=task.content_id, trajectories=trajectories)
        )
    )


def record() -> type[Rollout]:
    """Return the type of an accepted record."""
    return Rollout


def _attempts(script: Script, task: Task) -> bool:
    """Return whether a script is an attempt at this level: a mistake only where it is one."""
    return script.role != "mistake" or task.level in script.fails_at
