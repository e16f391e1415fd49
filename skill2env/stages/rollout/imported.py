"""Trials of agents that ran elsewhere, as `skill2env import-trials` has kept them."""

from __future__ import annotations

from collections import defaultdict

from skill2env.models.trial import Trial
from skill2env.store.shards import read_shard
from skill2env.store.workspace import Workspace

SHARD = "imported"
"""Where they are kept: a row per trial, by its id, with its task's content id."""


def imported_trials(workspace: Workspace) -> dict[str, tuple[Trial, ...]]:
    """Return the imported trials by the content id of their task, numbered for each agent and model in the order of their ids.

    Raises:
        WorkspaceError: what was imported can't be read.
    """
    path = workspace.shard(SHARD)
    found: dict[str, list[Trial]] = defaultdict(list)
    numbers: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in read_shard(path) if path.exists() else ():
        trial = Trial.model_validate_json(row.outcome)
        assert trial.model is not None
        number = (row.input_id, trial.agent, trial.model.model)
        numbers[number] += 1
        part = trial.model.model_copy(update={"attempt": numbers[number]})
        found[row.input_id].append(trial.model_copy(update={"model": part}))
    return {content_id: tuple(trials) for content_id, trials in found.items()}
