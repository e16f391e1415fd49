"""Judges accepted tasks again and again under perturbation: does the verifier say the same tomorrow?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle, islice

from skill2env.models.outcome import Accepted
from skill2env.models.task import Task
from skill2env.models.tree import Tree
from skill2env.models.trial import Verdict
from skill2env.stages.context import Context
from skill2env.stages.task_images import TaskImages
from skill2env.store.shards import read_shard
from skill2env.trial.perturbation import PLAIN, perturbations
from skill2env.trial.trials import TaskTrials, trials_of

_SURROUNDINGS = perturbations(3)


@dataclass
class Soaked:
    """What came of judging one task again and again."""

    task_id: str
    runs: int = 0
    flakes: list[str] = field(default_factory=list)
    """Each judgement whose reward was another than before: what was judged, where, and what was said."""
    unsteady: int = 0
    """Judgements with the right reward and another wording, or other single checks."""


def soak(context: Context, times: int, progress: Callable[[int, int, str], None]) -> Iterator[Soaked]:
    """Judge oracle, nop and a near miss of every accepted task `times` times, each time in a fresh container.

    Raises:
        EngineError: the infrastructure failed.
        WorkspaceError: validate was never run.
    """
    shard = context.workspace.shard
    accepted = {row.item_id for row in read_shard(shard("validate"), "accepted")}
    tasks = [row.item_id for row in read_shard(shard("build"), "accepted") if row.item_id in accepted]
    done = 0
    with ThreadPoolExecutor(context.params.driver.workers) as pool:
        rows = (row for row in read_shard(shard("build"), "accepted") if row.item_id in accepted)
        jobs = [
            pool.submit(
                _soak, Accepted[Task].model_validate_json(row.outcome).record, row.blob or b"", context, times
            )
            for row in rows
        ]
        for job in jobs:
            soaked = job.result()
            done += 1
            progress(done, len(tasks), soaked.task_id)
            yield soaked


def _soak(task: Task, archive: bytes, context: Context, times: int) -> Soaked:
    soaked = Soaked(task.task_id)
    with trials_of(context.engine, context.store, task, TaskImages(task, archive, context)) as trials:
        sets = dict(_sets(task, trials))
        for around in islice(cycle(_SURROUNDINGS), times):
            with trials.judging(around) as judge:
                for name, (outputs, before) in sets.items():
                    verdict, _ = judge.verdict(outputs)
                    soaked.runs += 1
                    if verdict.reward != before.reward or verdict.status != before.status:
                        told = f"{verdict.status}, before {before.status} {verdict.reason}"
                        soaked.flakes.append(f"{name} ({around.name}): {told.rstrip()}")
                    elif verdict != before:
                        soaked.unsteady += 1
    return soaked


def _sets(task: Task, trials: TaskTrials) -> Iterator[tuple[str, tuple[Tree, Verdict]]]:
    """Yield what is judged: the oracle's outputs, the untouched world's, and those of the mistake that is nearest to right."""
    blueprint = task.blueprint
    near = [trials.script(script, PLAIN) for script in blueprint.scripts if task.level in script.fails_at]
    tried = [("oracle", trials.script(blueprint.reference)), ("nop", trials.nop())]
    if near:
        nearest = max(near, key=lambda trial: (trial.verdict.partial_reward, trial.agent))
        tried.append((f"near miss {nearest.agent}", nearest))
    for name, trial in tried:
        yield name, (trials.outputs(trial.outputs_sha256), trial.verdict)
