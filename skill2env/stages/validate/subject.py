"""What the gates look at: one task, its images, and its trials, each made once however many gates ask."""

from __future__ import annotations

from dataclasses import dataclass

from skill2env.models.blueprint import Blueprint
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below
from skill2env.params import ValidateParams
from skill2env.stages.task_images import Image, TaskImages
from skill2env.trial.trials import TaskTrials


@dataclass(frozen=True)
class Subject:
    """One task under validation."""

    params: ValidateParams
    task: Task
    images: TaskImages
    trials: TaskTrials

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint that the task was made from."""
        return self.task.blueprint

    @property
    def image(self) -> Image:
        """The task's image; raises BuildFailed or EngineError."""
        return self.images.image

    @property
    def world(self) -> Tree:
        """The world that the agent finds."""
        return below(self.images.tree, "environment/world")
