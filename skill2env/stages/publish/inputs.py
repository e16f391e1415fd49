"""What publish reads: the shards of all stages side by side, and what became of each skill in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from skill2env.errors import WorkspaceError
from skill2env.models.base import Record
from skill2env.models.blueprint import Blueprint
from skill2env.models.cost import Cost
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.report import ValidationReport
from skill2env.models.rollout import Rollout
from skill2env.models.skill import Skill
from skill2env.models.task import Task
from skill2env.models.tree import BadTree, Tree, tree_id, unpack
from skill2env.stages import ITEM_STAGES
from skill2env.store.lookup import Lookup
from skill2env.store.workspace import Workspace

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class Published:
    """One accepted task with all that is known about it."""

    task: Task
    report: ValidationReport
    rollout: Rollout | None
    """None where rollout rejected it or met an infrastructure error."""
    archive: bytes
    """The task directory as a compressed tar."""
    tree: Tree
    """The same, unpacked."""
    costs: dict[str, Cost] = field(default_factory=dict)
    """What each stage's work on the task has cost; without those that were not counted."""
    siblings: int = 1
    """Accepted tasks of the same blueprint, this one included."""


@dataclass
class Fate:
    """What became of one skill, counted."""

    blueprints: int = 0
    built: int = 0
    """Tasks that were built."""
    accepted: int = 0
    """Tasks that every gate accepted."""
    errored: int = 0
    """Blueprints and tasks that met infrastructure errors."""
    refused: dict[str, Counter[str]] = field(
        default_factory=lambda: {stage: Counter() for stage in ITEM_STAGES}
    )
    """Rules that refused its items, by stage."""

    def rejected(self, *stages: str) -> int:
        """Return how many of its items the stages refused."""
        return sum(self.refused[stage].total() for stage in stages)


class Inputs:
    """The shards of all stages; ids and counts are in memory, contents are read as they are asked for."""

    def __init__(self, workspace: Workspace, stack: ExitStack) -> None:
        """Open the shards and count; use `reading`.

        Raises:
            WorkspaceError: a shard is missing or damaged.
        """
        self._shards = {stage: stack.enter_context(Lookup(workspace.shard(stage))) for stage in ITEM_STAGES}
        self.fates = {skill: Fate() for skill in self._shards["parse"].ids("accepted")}
        self.tasks = self._shards["validate"].ids("accepted")
        """Ids of the accepted tasks, sorted."""
        self._siblings = Counter(task.rsplit("--", 1)[0] for task in self.tasks)
        self.funnel = {stage: self._counts(stage) for stage in ITEM_STAGES}
        """By stage: inputs, accepted, rejected and errored."""
        self.refused = tuple(
            sorted((item, stage) for stage in ITEM_STAGES for item in self._shards[stage].ids("rejected"))
        )
        """Item and stage of every rejection, sorted."""
        self._count()

    def skill(self, skill_id: str) -> Skill:
        """Return an accepted skill."""
        return self._record("parse", skill_id, Skill)

    def published(self, task_id: str) -> Published:
        """Return an accepted task with all that belongs to it.

        Raises:
            WorkspaceError: the shards do not belong together, or the task's files have another content id than the task.
        """
        task = self._record("build", task_id, Task)
        report = self._record("validate", task_id, ValidationReport)
        rolled = self._shards["rollout"].kind(task_id) == "accepted"
        rollout = self._record("rollout", task_id, Rollout) if rolled else None
        row = self._shards["build"].get(task_id)
        archive = (row.blob if row else None) or b""
        try:
            tree = unpack(archive)
        except BadTree as error:
            raise WorkspaceError(
                f"the files of {task_id} are damaged ({error}); delete data/store and run `dvc repro`"
            ) from error
        known = {
            task.content_id,
            report.task_content_id,
            rollout.task_content_id if rollout else task.content_id,
        }
        if known != {tree_id(tree)}:
            raise WorkspaceError(
                f"build, validate and rollout know different states of {task_id}; run `dvc repro`"
            )
        costs = {stage: self.cost(task_id, stage) for stage in ("build", "validate", "rollout")}
        counted = {stage: cost for stage, cost in costs.items() if cost}
        return Published(
            task, report, rollout, archive, tree, counted, self._siblings[task_id.rsplit("--", 1)[0]]
        )

    def instructions(self) -> dict[str, str]:
        """Return the instruction of each accepted task by its id.

        Raises:
            WorkspaceError: build knows no such task.
        """
        return {task: self._record("build", task, Task).instruction for task in self.tasks}

    def cost(self, item_id: str, stage: str) -> Cost | None:
        """Return what a stage's work on an item has cost; None where it was not counted."""
        row = self._shards[stage].get(item_id)
        return Cost.model_validate_json(row.cost) if row and row.cost else None

    def costs(self, stage: str) -> Iterator[tuple[str, Cost | None]]:
        """Yield the kind of each outcome of a stage with what it has cost; None where that was not counted."""
        for kind, cost in self._shards[stage].costs():
            yield kind, Cost.model_validate_json(cost) if cost else None

    def rejection(self, item_id: str, stage: str) -> Rejected:
        """Return why a stage refused an item."""
        row = self._shards[stage].get(item_id)
        assert row is not None
        return Rejected.model_validate_json(row.outcome)

    def owner(self, item_id: str, stage: str) -> str:
        """Return the skill that an item belongs to; empty where no skill of that name was accepted."""
        if stage == "parse":
            return item_id
        if stage == "draft":
            # The folder's name may hold anything, the skill's too: the longest skill that fits is meant.
            fitting = (item_id[:at] for at in range(len(item_id), 0, -1) if item_id.startswith("--", at))
            return next((skill for skill in fitting if skill in self.fates), "")
        skill = item_id.rsplit("--", 2)[0]
        return skill if skill in self.fates else ""

    def _record(self, stage: str, item_id: str, kind: type[RecordT]) -> RecordT:
        row = self._shards[stage].get(item_id)
        if row is None or row.kind != "accepted":
            raise WorkspaceError(
                f"the outcomes of {stage} have no accepted {item_id}, on which later stages build; run `dvc repro`"
            )
        return Accepted[kind].model_validate_json(row.outcome).record  # type: ignore[valid-type]

    def _counts(self, stage: str) -> dict[str, int]:
        counts = {kind: len(self._shards[stage].ids(kind)) for kind in ("accepted", "rejected", "errored")}
        return {"inputs": sum(counts.values()), **counts}

    def _count(self) -> None:
        nobody = Fate()
        for blueprint_id in self._shards["draft"].ids("accepted"):
            blueprint = self._record("draft", blueprint_id, Blueprint)
            self.fates.get(blueprint.skill_id, nobody).blueprints += 1
        for task_id in self._shards["build"].ids("accepted"):
            self.fates.get(self.owner(task_id, "build"), nobody).built += 1
        for task_id in self.tasks:
            self.fates.get(self.owner(task_id, "validate"), nobody).accepted += 1
        for stage in ITEM_STAGES:
            for item in self._shards[stage].ids("errored"):
                self.fates.get(self.owner(item, stage), nobody).errored += 1
        for item, stage in self.refused:
            self.fates.get(self.owner(item, stage), nobody).refused[stage][
                self.rejection(item, stage).rule
            ] += 1


@contextmanager
def reading(workspace: Workspace) -> Iterator[Inputs]:
    """Give the shards of a workspace; they are closed at the end of the block.

    Raises:
        WorkspaceError: a shard is missing or damaged.
    """
    with ExitStack() as stack:
        yield Inputs(workspace, stack)
