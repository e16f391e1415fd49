"""Takes the trials of `harbor run` jobs into the workspace: matched to its tasks by name and content, each kept once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.interop.jobs import BadTrial, Ran, harbor_digest, read_trial, trial_folders
from skill2env.models.outcome import Accepted
from skill2env.models.task import Task
from skill2env.models.tree import unpack
from skill2env.models.trial import Trial
from skill2env.stages.rollout.imported import SHARD
from skill2env.store.lookup import Lookup
from skill2env.store.shards import Row, ShardWriter, read_shard
from skill2env.store.workspace import Workspace


@dataclass
class Imported:
    """What became of a folder of jobs."""

    added: int = 0
    """Trials that are new."""
    known: int = 0
    """Trials that were imported before."""
    left_out: int = 0
    """Trials of Harbor's own agents, which are no attempts of anybody."""
    faults: list[tuple[Path, str]] = field(default_factory=list)
    """Folders of trials that can't be used, and why."""


def import_jobs(workspace: Workspace, jobs: Path) -> Imported:
    """Keep every trial below a folder of jobs that belongs to a task of the workspace; the same trial is kept once.

    Raises:
        UsageError: the folder is not there, or holds no trial.
        WorkspaceError: build was never run, or the disk can't be read or written.
    """
    if not jobs.is_dir():
        raise UsageError(f"{jobs}: is no folder; name the folder that `harbor run -o` wrote its jobs to")
    path = workspace.shard(SHARD)
    rows = {row.item_id: row for row in read_shard(path)} if path.exists() else {}
    before = dict(rows)
    done = Imported()
    with Lookup(workspace.shard("build")) as built:
        for folder in trial_folders(jobs):
            try:
                row = _row(folder, built)
            except BadTrial as error:
                done.faults.append((folder, str(error)))
                continue
            if row is None:
                done.left_out += 1
            elif row.item_id in rows:
                done.known += 1
            else:
                done.added += 1
                rows[row.item_id] = row
    if not (done.added or done.known or done.left_out or done.faults):
        raise UsageError(f"{jobs}: holds no result.json of a trial; name the folder of `harbor run`'s jobs")
    if rows != before:
        with ShardWriter(path) as shard:
            for item_id in sorted(rows):
                shard.add(rows[item_id])
    return done


def _row(folder: Path, built: Lookup) -> Row | None:
    """Return a trial as it is kept, or None where it is nobody's attempt.

    Raises:
        BadTrial: it can't be read, or belongs to no task of the workspace.
    """
    ran = read_trial(folder)
    if ran is None:
        return None
    trial = _matched(ran, built)
    assert trial.model is not None
    return Row(trial.model.source, trial.task_content_id, "accepted", trial.model_dump_json(), None)


def _matched(ran: Ran, built: Lookup) -> Trial:
    row = built.get(ran.task_name)
    if row is None or row.kind != "accepted":
        raise BadTrial(f"there is no task {ran.task_name} in this workspace")
    if ran.digest != harbor_digest(unpack(row.blob or b"")):
        raise BadTrial(
            f"the task {ran.task_name} was another one when it was attempted: its files have changed"
        )
    task = Accepted[Task].model_validate_json(row.outcome).record
    return ran.trial.model_copy(update={"task_id": task.task_id, "task_content_id": task.content_id})
