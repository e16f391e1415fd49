"""What the gates look at: one task, its images, and its trials, each made once however many gates ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skill2env.models.blueprint import Blueprint
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below
from skill2env.models.trial import Trial
from skill2env.params import ValidateParams
from skill2env.stages.context import Context
from skill2env.stages.making.task import make_task, other_seed
from skill2env.stages.making.worlds import Order
from skill2env.stages.task_images import Image, TaskImages
from skill2env.trial.perturbation import perturbations
from skill2env.trial.trials import TaskTrials, trials_of


@dataclass(frozen=True)
class Candidate:
    """A task that wants to be accepted, with what it is compared with."""

    task: Task
    static: bytes | None
    """Archive of the blueprint's static world files."""
    examples: tuple[str, ...]
    """The shell blocks of the skill, as they stand there."""


@dataclass(frozen=True)
class Other:
    """The same task with another seed, and what its reference delivers."""

    task: Task
    outputs: Tree


@dataclass
class Subject:
    """One task under validation."""

    context: Context
    candidate: Candidate
    images: TaskImages
    trials: TaskTrials

    @property
    def params(self) -> ValidateParams:
        """How strict the gates are."""
        return self.context.params.validate_

    @property
    def task(self) -> Task:
        """The task."""
        return self.candidate.task

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint that the task was made from."""
        return self.task.blueprint

    @property
    def image(self) -> Image:
        """The task's image; raises BuildFailed or EngineError."""
        return self.images.image

    @cached_property
    def world(self) -> Tree:
        """The world that the agent finds."""
        return below(self.images.tree, "environment/world")

    @cached_property
    def oracle(self) -> tuple[Trial, ...]:
        """The reference's runs, the first plain and closely watched, the others perturbed."""
        reference = self.blueprint.reference
        rounds = enumerate(perturbations(self.params.oracle_runs), 1)
        return tuple(self.trials.script(reference, around, run) for run, around in rounds)

    @cached_property
    def right(self) -> Tree:
        """What the reference delivers."""
        return self.trials.outputs(self.oracle[0].outputs_sha256)

    @cached_property
    def volatile(self) -> frozenset[str]:
        """Paths of outputs that differ from run to run of the reference, for instance because they hold the time."""
        others = [self.trials.outputs(trial.outputs_sha256) for trial in self.oracle[1:]]
        return frozenset(
            path
            for tree in others
            for path in tree.keys() | self.right.keys()
            if tree.get(path) != self.right.get(path)
        )

    def is_right(self, outputs: Tree) -> bool:
        """Return whether outputs are those of the reference, apart from what varies from run to run."""
        paths = (outputs.keys() | self.right.keys()) - self.volatile
        return all(outputs.get(path) == self.right.get(path) for path in paths)

    @cached_property
    def other(self) -> Other | None:
        """The task with another seed and its right outputs, or None where there is none.

        Raises:
            WorldFault, Unfit: that task can't be made.
            EngineError: the infrastructure failed.
        """
        task = self.task
        seed = other_seed(self.blueprint, task.seed)
        if seed is None:
            return None
        order = Order(self.blueprint, task.level, seed, ((task.level, seed),))
        made, archive = make_task(order, self.candidate.static, self.context)
        images = TaskImages(made, archive, self.context)
        with trials_of(self.context.engine, self.context.store, made, images) as trials:
            outputs = trials.delivered(self.blueprint.reference)
        self.trials.count(trials)
        return Other(made, outputs)
