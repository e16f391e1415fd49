"""The trials of one task, and judgements of outputs: each is executed at most once, what is in the store is not run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from skill2env.models.base import content_id
from skill2env.models.blueprint import Script, Step
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below, pack_gz, tree_id, unpack
from skill2env.models.trial import Perturbation, Role, Status, Timing, Trial, Verdict
from skill2env.sandbox.protocol import Engine
from skill2env.store.results import ResultStore
from skill2env.trial.judge import Judge, judging
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import VERSION, Attempt, Place, Thinks, Verdicts, run_trial

KIND = "trial"
JUDGEMENT = "judgement"
OUTPUTS = "outputs"
SHORT_SEC = 20
"""Seconds that an agent has who only tries to get round the work."""

_KEPT = ("nop", "reference", "mistake", "ablation", "unjudged")
"""Roles whose outputs are looked at again."""

_RUBRIC_ROLES = ("nop", "reference", "alternative", "mistake", "model")
_WHOLLY_JUDGED = ("nop", "reference", "mistake", "model")
"""Roles of which no test was left out."""


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
    """Attempts at one task. Images and the judge are only made for a trial that was never run."""

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
        self._images_own: dict[str, Tree] = {}
        self._seen: dict[str, Verdict] = {}
        self.executed = 0
        """Trials that were run, rather than found in the store."""
        self.judged_anew = 0
        """Outputs that were judged without a trial of their own, rather than found in the store."""
        self.judging_sec = 0.0
        """Seconds that tests took in those judgements."""
        self._timings: list[Timing] = []

    def timings(self) -> tuple[Timing, ...]:
        """Return where the time of the executed trials went."""
        return tuple(self._timings)

    def count(self, others: TaskTrials) -> None:
        """Count what was executed of another task on this one's account."""
        self.executed += others.executed
        self._timings += others.timings()

    @property
    def judge_container_sec(self) -> float:
        """Wall seconds spent in starting the judge's containers."""
        return self._judge.container_sec if self._judge else 0.0

    @property
    def judge(self) -> Judge:
        """The task's judge; its container starts with the first verdict."""
        if self._judge is None:
            self._judge = self._stack.enter_context(self.judging())
        return self._judge

    @contextmanager
    def judging(self, around: Perturbation = PLAIN) -> Iterator[Judge]:
        """Give a judge of the task in a container of its own, in the given surroundings."""
        spec, tests = self._task.blueprint.spec, below(self._images.tree, "tests")
        image, task_id = self._images.judge(), self._task.task_id
        with judging(self._engine(), image, task_id, tests, spec.limits.verifier_sec, around) as judge:
            yield judge

    def nop(self) -> Trial:
        """Return the trial of the agent that does nothing."""
        return self._get(Attempt("nop", "nop", (), PLAIN), 1)

    def script(self, script: Script, around: Perturbation = PLAIN, run: int = 1) -> Trial:
        """Return a script's trial; `run` tells repeated executions apart. The reference's first is watched closely.

        Raises:
            EngineError: the infrastructure failed.
        """
        closely = script.role == "reference" and around == PLAIN and run == 1
        return self._get(Attempt(script.name, script.role, script.steps, around, closely), run)

    def ablation(self, name: str, steps: tuple[Step, ...]) -> Trial:
        """Return the trial of a reference with something taken out; its first failed test ends the judgement."""
        return self._get(Attempt(name, "ablation", steps, PLAIN), 1)

    def shortcut(self, name: str, steps: tuple[Step, ...]) -> Trial:
        """Return the trial of an agent that runs something without doing the work, within a short time."""
        return self._get(Attempt(name, "shortcut", steps, PLAIN), 1, SHORT_SEC)

    def attack(self, name: str, steps: tuple[Step, ...]) -> Trial:
        """Return the trial of an agent that attacks the verifier, within a short time."""
        return self._get(Attempt(name, "attack", steps, PLAIN), 1, SHORT_SEC)

    def model(self, name: str, thinks: Thinks, number: int) -> Trial:
        """Return a model's trial; `number` tells attempts apart that are told and allowed the same.

        Raises:
            EngineError: the infrastructure failed. Whatever the model's policy raises goes through.
        """
        return self._get(Attempt(name, "model", (), PLAIN, thinks=thinks), number)

    def delivered(self, script: Script) -> Tree:
        """Return what a script leaves, judged by nobody; if it was run as a trial, nothing is run.

        Raises:
            EngineError: the infrastructure failed.
        """
        closely = script.role == "reference"
        tried = self._store.get(
            self._key(Attempt(script.name, script.role, script.steps, PLAIN, closely), 1, None)
        )
        if tried:
            return self.outputs(Trial.model_validate_json(tried.outcome).outputs_sha256)
        trial = self._get(Attempt(f"{script.name}-unjudged", "unjudged", script.steps, PLAIN), 1)
        return self.outputs(trial.outputs_sha256)

    def outputs(self, sha256: str) -> Tree:
        """Return outputs by their content id, of a trial of which they are kept: by its role, or as it was asked for."""
        stored = self._store.get(_outputs_key(sha256))
        if stored is None or stored.blob is None:
            raise KeyError(f"the outputs {sha256} were not kept")
        return unpack(stored.blob)

    def judged(self, outputs: Tree, fail_fast: bool = True) -> Verdict:
        """Return the verdict on outputs that no trial has to make; what was judged before is not judged again.

        Raises:
            EngineError: the infrastructure failed.
        """
        sha256 = tree_id(outputs)
        if sha256 in self._seen:
            return self._seen[sha256]
        task = self._task
        key = content_id([JUDGEMENT, VERSION, task.content_id, task.verifier_sha256, sha256, fail_fast])
        stored = self._store.get(key)
        if stored:
            return Verdict.model_validate_json(stored.outcome)
        verdict, seconds = self.judge.verdict(outputs, fail_fast)
        self.judged_anew += 1
        self.judging_sec += seconds
        self._store.put(key, JUDGEMENT, task.task_id, verdict.model_dump_json())
        return verdict

    def _get(self, attempt: Attempt, run: int, agent_sec: int | None = None) -> Trial:
        key = self._key(attempt, run, agent_sec)
        stored = self._store.get(key)
        trial = Trial.model_validate_json(stored.outcome) if stored else self._run(attempt, agent_sec, key)
        if attempt.role in _WHOLLY_JUDGED:
            self._seen[trial.outputs_sha256] = trial.verdict
        return trial

    def _judge_for(self, role: Role) -> Verdicts:
        if role == "unjudged":
            return _Nobody()
        if role in ("ablation", "shortcut"):
            return _Remembering(self, fail_fast=role == "ablation")
        return self.judge

    def _key(self, attempt: Attempt, run: int, agent_sec: int | None) -> str:
        task = self._task
        return content_id(
            [
                KIND,
                VERSION,
                task.content_id,
                task.toolchain_sha256,
                task.verifier_sha256,
                [attempt.agent, attempt.role, attempt.closely],
                [step.model_dump() for step in attempt.steps],
                attempt.around.model_dump(mode="json"),
                [run, self._records_changes(attempt.role), agent_sec],
                *([attempt.thinks.asked] if attempt.thinks else []),
            ]
        )

    def _records_changes(self, role: Role) -> bool:
        """Return whether a criterion asks what was changed, of those that are evaluated over trials of this role."""
        rubric = self._task.blueprint.spec.rubric
        return role in _RUBRIC_ROLES and any(c.evidence.never_writes for c in rubric)

    def _run(self, attempt: Attempt, agent_sec: int | None, key: str) -> Trial:
        spec, images = self._task.blueprint.spec, self._images
        limits = spec.limits
        if agent_sec is not None:
            limits = limits.model_copy(update={"agent_sec": min(agent_sec, limits.agent_sec)})
        place = Place(
            self._task.task_id,
            self._task.content_id,
            images.task_image(),
            spec.outputs,
            limits,
            self._records_changes(attempt.role),
            _owned(below(images.tree, "environment/world"), spec.outputs),
            self._images_own,
        )
        judge = self._judge_for(attempt.role)
        attempted = run_trial(self._engine(), place, judge, attempt)
        trial = attempted.trial
        self.executed += 1
        self._timings.append(trial.timing)
        item = f"{self._task.task_id}/{attempt.agent}"
        keep = attempt.role in _KEPT or (attempt.thinks is not None and attempt.thinks.keep_outputs)
        kept = [attempted.outputs] if keep else []
        for tree in (*kept, *(prefix for prefix in attempted.prefixes if prefix is not None)):
            self._store.put(_outputs_key(tree_id(tree)), OUTPUTS, item, "{}", pack_gz(tree))
        self._store.put(key, KIND, item, trial.model_dump_json())
        return trial


class _Remembering:
    """A judge for trials of which only a pass is asked: what it has seen before, it does not judge again."""

    def __init__(self, trials: TaskTrials, fail_fast: bool) -> None:
        self._trials = trials
        self._fail_fast = fail_fast

    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        verdict = self._trials.judged(outputs, fail_fast=self._fail_fast)
        return verdict, 0.0


class _Nobody:
    """A judge for outputs that are wanted for themselves."""

    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        return Verdict(
            status=Status.NO_VERDICT, reward=0, partial_reward=0, reason="nobody was asked to judge"
        ), 0.0


def _outputs_key(sha256: str) -> str:
    return content_id([OUTPUTS, sha256])


def _owned(world: Tree, outputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return what another user than root must own: what the world put there, and where the outputs go."""
    tops = {"/" + "/".join(path.split("/")[:2]) for path in world}
    parents = {output.rpartition("/")[0] or "/" for output in outputs}
    return tuple(sorted({"/workspace", *tops, *(p for p in parents if p.count("/") > 1), *outputs}))


@contextmanager
def trials_of(
    engine: Callable[[], Engine], store: ResultStore, task: Task, images: Images
) -> Iterator[TaskTrials]:
    """Give the trials of one task; the judge's container and the task's image are removed at the end of the block."""
    with ExitStack() as stack:
        stack.callback(images.close)
        yield TaskTrials(engine, store, task, images, stack)
