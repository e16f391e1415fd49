"""The trials of one task, each executed at most once: what is in the store is not run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from skill2env.models.base import content_id
from skill2env.models.blueprint import Script, Step
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below
from skill2env.models.trial import Perturbation, Timing, Trial
from skill2env.sandbox.protocol import Engine
from skill2env.store.results import ResultStore
from skill2env.trial.judge import Judge, judging
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import VERSION, Place, Role, run_trial

KIND = "trial"


class Images(Protocol):
    """The images of a task, each made when it is first needed."""

    tree: Tree
    """The task directory."""

    def task_image(self) -> str:
        """Return the environment's image."""

    def judge(self) -> str:
        """Return the verifier's image."""

    def close(self) -> None:
        """Remove what was built for the task alone."""


class TaskTrials:
    """Scripted attempts at one task. Images and the judge are only made for a trial that was never run."""

    def __init__(
        self,
        engine: Callable[[], Engine],
        store: ResultStore,
        task: Task,
        images: Images,
        stack: ExitStack,
    ) -> None:
        """Prepare; use `trials_of`, which also clears up."""
        self._engine = engine
        self._store = store
        self._task = task
        self._images = images
        self._stack = stack
        self._judge: Judge | None = None
        self.executed = 0
        """Trials that were run, rather than found in the store."""
        self._timings: list[Timing] = []

    def timings(self) -> tuple[Timing, ...]:
        """Return where the time of the executed trials went."""
        return tuple(self._timings)

    @property
    def judge_container_sec(self) -> float:
        """Wall seconds spent in starting the judge's containers."""
        return self._judge.container_sec if self._judge else 0.0

    @property
    def judge(self) -> Judge:
        """The task's judge; its container starts with the first verdict."""
        if self._judge is None:
            spec = self._task.blueprint.spec
            self._judge = self._stack.enter_context(
                judging(
                    self._engine(),
                    self._images.judge(),
                    self._task.task_id,
                    below(self._images.tree, "tests"),
                    spec.limits.verifier_sec,
                )
            )
        return self._judge

    def nop(self) -> Trial:
        """Return the trial of the agent that does nothing."""
        return self._get("nop", "nop", (), PLAIN, 1)

    def script(self, script: Script, around: Perturbation = PLAIN, run: int = 1) -> Trial:
        """Return a script's trial; `run` tells repeated executions apart.

        Raises:
            EngineError: the infrastructure failed.
        """
        return self._get(script.name, script.role, script.steps, around, run)

    def _get(self, agent: str, role: Role, steps: tuple[Step, ...], around: Perturbation, run: int) -> Trial:
        spec = self._task.blueprint.spec
        changes = any(criterion.evidence.never_writes for criterion in spec.rubric)
        key = content_id(
            [
                KIND,
                VERSION,
                self._task.content_id,
                self._task.toolchain_sha256,
                self._task.verifier_sha256,
                [agent, role],
                [step.model_dump() for step in steps],
                around.model_dump(mode="json"),
                [run, changes],
            ]
        )
        stored = self._store.get(key)
        if stored:
            return Trial.model_validate_json(stored.outcome)
        place = Place(
            self._task.task_id,
            self._task.content_id,
            self._images.task_image(),
            spec.outputs,
            spec.limits,
            changes,
        )
        trial = run_trial(self._engine(), place, self.judge, agent, role, steps, around)
        self.executed += 1
        self._timings.append(trial.timing)
        self._store.put(key, KIND, f"{self._task.task_id}/{agent}", trial.model_dump_json())
        return trial


@contextmanager
def trials_of(
    engine: Callable[[], Engine], store: ResultStore, task: Task, images: Images
) -> Iterator[TaskTrials]:
    """Give the trials of one task; the judge's container and the task's image are removed at the end of the block."""
    with ExitStack() as stack:
        stack.callback(images.close)
        yield TaskTrials(engine, store, task, images, stack)
