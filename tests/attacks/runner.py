"""Runs attacks against a task with the project's own verifier, and gives the task that they are run against."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker

from skill2env.attacks import Target
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below
from skill2env.models.trial import Trial
from skill2env.params import BuildParams, Params
from skill2env.sandbox.protocol import Engine
from skill2env.stages import build, draft, parse
from skill2env.stages.context import Context, Done
from skill2env.stages.task_images import TaskImages
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace
from skill2env.trial.judge import judging
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Place, run_trial

CORPUS = Path(__file__).resolve().parents[2] / "skills_corpus"
REAL = ("service-log-timelines", "error-budget-tool")
"""Skill and blueprint of the task that is attacked: it has a report, and a program that is graded on hidden inputs."""
REPORT, TOOL = "/workspace/budget.json", "/workspace/error-budget"
AGENT_SEC = 20
"""Time limit of an attack; it is short, since some only end with it."""
THREADS = 2


@dataclass(frozen=True)
class Scene:
    """A task to be attacked."""

    place: Place
    judge_image: str
    tests: Tree
    verifier_sec: float
    target: Target


@dataclass(frozen=True)
class Real:
    """A task of the corpus, ready to be attacked, and its whole directory."""

    scene: Scene
    task: Task
    tree: Tree


def run(engine: Engine, scene: Scene, name: str, *commands: str) -> Trial:
    """Return the trial of an attack, judged in a container of its own."""
    steps = scene.target.steps(*commands)
    place = scene.place
    with judging(engine, scene.judge_image, place.task_id, scene.tests, scene.verifier_sec) as judge:
        attempt = Attempt(name.replace("/", "-"), "attack", steps, PLAIN)
        return run_trial(engine, place, judge, attempt).trial


def run_all(engine: Engine, scene: Scene, chosen: Mapping[str, tuple[str, ...]]) -> dict[str, Trial]:
    """Return the trial of each attack by its name; two run at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        trials = {name: pool.submit(run, engine, scene, name, *texts) for name, texts in chosen.items()}
        return {name: trial.result() for name, trial in trials.items()}


@contextmanager
def real_task(folder: Path, agent_sec: int = AGENT_SEC) -> Iterator[Real]:
    """Build the corpus's task at its easy level in a workspace of its own, and remove its image afterwards."""
    skill_id, name = REAL
    workspace = Workspace(folder)
    params = Params(corpus=str(CORPUS), build=BuildParams(levels=("easy",), max_seeds=1))
    with Context(workspace, params, ResultStore(workspace.results)) as context:
        source = next(found for found in parse.discover(CORPUS) if found.skill_id == skill_id)
        skill = _accepted(parse.apply(parse.item_of(CORPUS, source), context))
        drafted = draft.apply(draft.item_of(CORPUS / "blueprints" / skill_id / name, skill, CORPUS), context)
        blueprint: Blueprint = _accepted(drafted)
        (item,) = build.items_of(blueprint, "", drafted.blob, params.build)
        built = build.apply(item, context)
        task: Task = _accepted(built)
        images = TaskImages(task, built.blob or b"", context)
        limits = blueprint.spec.limits.model_copy(update={"agent_sec": agent_sec})
        outputs = blueprint.spec.outputs
        place = Place(task.task_id, task.content_id, images.task_image(), outputs, limits, False)
        tests = below(images.tree, "tests")
        solve = "\n".join(step.command for step in blueprint.reference.steps)
        target = Target(outputs, REPORT, TOOL, solve)
        try:
            yield Real(Scene(place, images.judge(), tests, limits.verifier_sec, target), task, images.tree)
        finally:
            with contextlib.suppress(
                docker.errors.APIError
            ):  # an image of the same bytes may be in use elsewhere
                images.close()


def _accepted(done: Done) -> object:
    assert isinstance(done.outcome, Accepted), done.outcome
    return done.outcome.record
