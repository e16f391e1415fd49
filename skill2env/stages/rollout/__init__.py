"""The rollout stage: scripts and models attempt the accepted tasks; passing and failing attempts are both kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skill2env.models.base import content_id
from skill2env.models.blueprint import Script
from skill2env.models.outcome import Accepted
from skill2env.models.rollout import Rollout, Trajectory
from skill2env.models.task import Task
from skill2env.models.tree import within
from skill2env.models.trial import Trial
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.rollout.attempts import CONDITIONS_WITH_SKILL, model_attempts
from skill2env.stages.rollout.imported import imported_trials
from skill2env.stages.task_images import TaskImages
from skill2env.store.shards import read_shard
from skill2env.trial import agent, opinion
from skill2env.trial.opinion import OpinionJudge
from skill2env.trial.rubric import evaluate
from skill2env.trial.trials import TaskTrials, trials_of

NAME = "rollout"
VERSION = "3"

PURPOSE = "rollout"
"""What the ledger calls attempts."""
JUDGING = "rollout-judge"
"""What it calls the judge's answers."""


def items(context: Context) -> Iterator[Item]:
    """Yield every task that all gates accepted, with the trials of it that were imported."""
    accepted = {
        row.item_id: row.input_id for row in read_shard(context.workspace.shard("validate"), "accepted")
    }
    imported = imported_trials(context.workspace)
    for row in read_shard(context.workspace.shard("build"), "accepted"):
        if row.item_id in accepted:
            task = Accepted[Task].model_validate_json(row.outcome).record
            others = imported.get(task.content_id, ())
            known = [accepted[row.item_id], task.record_id(), *(trial.record_id() for trial in others)]
            yield Item(task.task_id, content_id(known), (task, others), row.blob)


def settings(context: Context, item: Item) -> Any:
    """The parameters, as far as they matter; and the skill's files, where models get them."""
    params = context.params.rollout
    task: Task = item.value[0]
    told: dict[str, Any] = {}
    if params.models:
        told["models"] = [agent.VERSION, params.model_dump(exclude={"judge_model", "judge_repeats"})]
        if CONDITIONS_WITH_SKILL & set(params.conditions):
            told["skill"] = task.blueprint.skill_tree_sha256
    if params.judge_model:
        told["judge"] = [opinion.VERSION, params.judge_model, params.judge_repeats]
    return told


def apply(item: Item, context: Context) -> Done:
    """Return the trajectories of one task; trials that were made already are not made again.

    Raises:
        EngineError: the infrastructure failed.
        ModelError: a model's endpoint failed; attempts that were finished are kept.
        BudgetSpent: so, for a budget that is spent.
    """
    task, others = item.value
    scripts = [script for script in task.blueprint.scripts if _attempts(script, task)]
    images = TaskImages(task, item.blob or b"", context)
    with trials_of(context.engine, context.store, task, images) as trials:
        made = [trials.script(script) for script in scripts]
        delivered = _delivered(task, trials)
        made += model_attempts(task, trials, context, PURPOSE)
    context.add("trials_executed", trials.executed)
    trajectories = tuple(_trajectory(task, trial, context) for trial in (*made, *others))
    rollout = Rollout(
        task_id=task.task_id,
        task_content_id=task.content_id,
        delivered=delivered,
        trajectories=trajectories,
    )
    return Done(Accepted[Rollout](record=rollout))


def record() -> type[Rollout]:
    """Return the type of an accepted record."""
    return Rollout


def _attempts(script: Script, task: Task) -> bool:
    """Return whether a script is an attempt at this level: a mistake only where it is one."""
    return script.role != "mistake" or task.level in script.fails_at


def _delivered(task: Task, trials: TaskTrials) -> tuple[str, ...]:
    """Return the declared outputs in which the reference's work shows."""
    left = trials.outputs(trials.nop().outputs_sha256)
    made = trials.outputs(trials.script(task.blueprint.reference).outputs_sha256)
    outputs = task.blueprint.spec.outputs
    return tuple(output for output in outputs if within(made, output) != within(left, output))


def _trajectory(task: Task, trial: Trial, context: Context) -> Trajectory:
    rubric = task.blueprint.spec.rubric
    results = evaluate(rubric, trial)
    params = context.params.rollout
    if params.judge_model:
        judge = OpinionJudge(context.model(JUDGING), params.judge_model, params.judge_repeats)
        results = judge.judged(rubric, trial, task.instruction, results)
    return Trajectory(trial=trial, rubric=results)
