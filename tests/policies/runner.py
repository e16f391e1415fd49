"""Takes scripted policies through the agent loop over accepted tasks."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from skill2env.attempted import Outcome, outcome
from skill2env.models.outcome import Accepted
from skill2env.models.task import Task
from skill2env.models.trial import ModelPart, Trial
from skill2env.params import RolloutParams
from skill2env.stages.context import Context
from skill2env.stages.rollout.attempts import bounds
from skill2env.stages.task_images import TaskImages
from skill2env.store.shards import read_shard
from skill2env.trial.agent import Shelled, Told
from skill2env.trial.run import Thinks
from skill2env.trial.telling import opening
from skill2env.trial.trials import TaskTrials, trials_of

from .playing import Playing
from .policy import POLICIES, Policy, chosen

BOUNDS = bounds(RolloutParams(max_turns=1000))


def outcomes(context: Context, tasks: int | None, attempts: int, replay: bool) -> Iterator[Outcome]:
    """Yield the outcome of every attempt of every policy, task by task.

    Args:
        context: the workspace.
        tasks: how many of the accepted tasks; None for all.
        attempts: attempts of each policy at each task.
        replay: take the outcome of the very same steps from the script's own trial, where that was run before.
    """
    shard = context.workspace.shard
    accepted = {row.item_id for row in read_shard(shard("validate"), "accepted")}
    rows = (row for row in read_shard(shard("build"), "accepted") if row.item_id in accepted)
    with ThreadPoolExecutor(context.params.driver.workers) as pool:
        jobs = [
            pool.submit(
                _task_outcomes,
                context,
                Accepted[Task].model_validate_json(row.outcome).record,
                row.blob or b"",
                attempts,
                replay,
            )
            for row in islice(rows, tasks)
        ]
        for job in jobs:
            yield from job.result()


def _task_outcomes(
    context: Context, task: Task, archive: bytes, attempts: int, replay: bool
) -> list[Outcome]:
    images = TaskImages(task, archive, context)
    with trials_of(context.engine, context.store, task, images) as trials:
        tried = [
            (replayed if replay else played)(trials, task, policy, number)
            for policy in POLICIES
            for number in range(1, attempts + 1)
        ]
    return [outcome(trial) for trial in tried]


def played(trials: TaskTrials, task: Task, policy: Policy, number: int) -> Trial:
    """Return the trial of a policy that acts through the agent loop."""
    script = chosen(policy, task, number)
    told = Told(policy.model, "bare", number, opening(task.instruction, "bare", None), scripted=True)
    played_id = script.record_id() if script else ""
    thinks = Thinks(
        policy=lambda: Shelled(Playing(policy.model, script), told, BOUNDS),
        asked=told.asked(BOUNDS, played_id),
        seconds=BOUNDS.container_sec,
    )
    return trials.model(policy.model, thinks, number)


def replayed(trials: TaskTrials, task: Task, policy: Policy, number: int) -> Trial:
    """Return the trial of the script that a policy would play, as the policy's."""
    script = chosen(policy, task, number)
    trial = trials.script(script) if script else trials.nop()
    part = ModelPart(model=policy.model, condition="bare", attempt=number, finish="done", scripted=True)
    return trial.model_copy(update={"model": part, "role": "model", "agent": policy.model})
