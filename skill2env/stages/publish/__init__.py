"""The publish stage: the outcomes of all stages become one dataset that loads, no split of which tears near copies apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill2env.models.rows import SPLITS
from skill2env.models.skill import Skill
from skill2env.near import clusters
from skill2env.stages.context import Context
from skill2env.stages.publish.attempts import sft_row, trajectory_row
from skill2env.stages.publish.benchmarks import Comparison, compare
from skill2env.stages.publish.card import card, dataset_page
from skill2env.stages.publish.costs import ledger
from skill2env.stages.publish.figures import Tally
from skill2env.stages.publish.inputs import Inputs, Published, reading
from skill2env.stages.publish.skills import rejected_row, skill_row
from skill2env.stages.publish.splits import TRAIN, Candidate, assign
from skill2env.stages.publish.tasks import licence_of, task_row
from skill2env.store.dataset import DatasetWriter, fingerprint

__all__ = ["LEDGER", "NAME", "dataset_page", "publish"]

NAME = "publish"
LEDGER = "ledger"
"""Name of the metrics that say what everything has cost; unlike the others they vary from run to run."""


def publish(context: Context) -> dict[str, Any]:
    """Write the dataset, `metrics/ledger.json` and `metrics/publish.json`, and return the figures of the last; none varies.

    The dataset that was there before stays until the new one is whole.

    Raises:
        UsageError: texts of a benchmark can't be used.
        WorkspaceError: a shard is missing or damaged, the shards do not belong together, or the disk can't be written.
    """
    params = context.params.publish
    tally = Tally()
    with reading(context.workspace) as inputs, DatasetWriter(context.workspace.dataset) as dataset:
        compared = _compared(context, inputs)
        texts = ((skill, inputs.skill(skill).text) for skill in inputs.fates)
        near = clusters(texts, context.params.import_.similarity)
        candidates = {
            skill: Candidate(near[skill], fate.accepted > 0) for skill, fate in inputs.fates.items()
        }
        splits = assign(candidates, params.validation_share, params.test_share)
        _tasks(inputs, splits, dataset, tally, compared, context.params.rollout.output_chars)
        _skills(inputs, splits, near, dataset, tally)
        _rejected(inputs, splits, dataset)
        dataset.finish()
        figures = _figures(inputs, dataset, tally, compared)
        named = {config: dataset.splits(config) for config in dataset.counts}
        dataset.card(card(named, dataset.digests, figures, tally.licences))
        figures = {"fingerprint": fingerprint(dataset.part), **figures}
        spent = ledger(inputs)
    context.workspace.write_metrics(NAME, figures)
    context.workspace.write_metrics(LEDGER, spent)
    return figures


def _compared(context: Context, inputs: Inputs) -> Comparison | None:
    paths = context.params.publish.benchmarks
    return compare(context.workspace.root, paths, inputs.instructions()) if paths else None


def _tasks(
    inputs: Inputs,
    splits: Mapping[str, str],
    dataset: DatasetWriter,
    tally: Tally,
    compared: Comparison | None,
    limit: int,
) -> None:
    """Write tasks and their attempts, in the order of their ids."""
    skill: Skill | None = None
    for task_id in inputs.tasks:
        published = inputs.published(task_id)
        blueprint = published.task.blueprint
        if skill is None or skill.skill_id != blueprint.skill_id:
            skill = inputs.skill(blueprint.skill_id)
        split = splits[skill.skill_id]
        row = task_row(published, skill, compared)
        dataset.add("tasks", split, row)
        tally.task(row)
        _attempts(published, licence_of(skill), split, dataset, tally, limit)


def _attempts(
    published: Published, licence: str, split: str, dataset: DatasetWriter, tally: Tally, limit: int
) -> None:
    rows = [
        (trajectory_row(published.task, one, licence, limit), sft_row(published, one, licence, limit))
        for one in (published.rollout.trajectories if published.rollout else ())
    ]
    for row, conversation in sorted(rows, key=lambda pair: pair[0].trajectory_id):
        dataset.add("trajectories", split, row)
        tally.trajectory(row)
        if conversation is not None:
            dataset.add("sft", split, conversation)
            tally.conversation(conversation)


def _skills(
    inputs: Inputs,
    splits: Mapping[str, str],
    near: Mapping[str, str],
    dataset: DatasetWriter,
    tally: Tally,
) -> None:
    for skill_id, fate in sorted(inputs.fates.items()):
        row = skill_row(inputs.skill(skill_id), fate, near[skill_id])
        dataset.add("skills", splits[skill_id], row)
        tally.skill(row)


def _rejected(inputs: Inputs, splits: Mapping[str, str], dataset: DatasetWriter) -> None:
    for item_id, stage in inputs.refused:
        owner = inputs.owner(item_id, stage)
        rejection = inputs.rejection(item_id, stage)
        row = rejected_row(item_id, stage, owner, rejection, inputs.cost(item_id, stage))
        dataset.add("rejected", splits.get(owner, TRAIN), row)


def _figures(
    inputs: Inputs, dataset: DatasetWriter, tally: Tally, compared: Comparison | None
) -> dict[str, Any]:
    return {
        **tally.figures(),
        **({"overlap": compared.figures()} if compared else {}),
        "rows": {
            config: {split: counts[split] for split in SPLITS if counts[split]}
            for config, counts in dataset.counts.items()
        },
        "errored": {stage: counts["errored"] for stage, counts in inputs.funnel.items()},
        "funnel": inputs.funnel,
    }
