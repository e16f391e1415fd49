"""No attack earns anything, none is lost as an error, and all end in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from attacks import runner
from integration import made

from skill2env.models.blueprint import Blueprint, Limits
from skill2env.models.outcome import Accepted
from skill2env.models.task import Task
from skill2env.models.tree import below
from skill2env.models.trial import Status, Trial
from skill2env.params import BuildParams, Params
from skill2env.sandbox.docker import DockerEngine
from skill2env.stages import build, draft, parse
from skill2env.stages.context import Context, Item
from skill2env.stages.task_images import TaskImages
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace
from skill2env.trial.run import Place

pytestmark = pytest.mark.docker

ATTACKS = runner.attacks()
QUICK = (
    "controls/honest",
    "controls/nop",
    "harness/race-reward",
    "masking/kill-container",
    "collection/linked-parent",
    "delivered/read-expected",
    "delivered/daemon",
    "data/duplicate-keys",
)
AGENT_SEC = 10
VERIFIER_SEC = 15
CORPUS = Path(__file__).resolve().parents[2] / "skills_corpus"
REAL = ("service-log-timelines", "error-budget-tool")


@pytest.fixture(scope="module")
def target(shell_image: str, judge_image: str) -> runner.Target:
    limits = Limits(agent_sec=AGENT_SEC, verifier_sec=VERIFIER_SEC, memory_mb=256, cpus=1, pids=128)
    return runner.Target(
        made.place(shell_image, limits),
        judge_image,
        made.tests_tree(),
        VERIFIER_SEC,
        made.REPORT,
        made.TOOL,
        made.SOLUTION,
    )


@pytest.fixture(scope="module")
def tried(
    docker_engine: DockerEngine, target: runner.Target, request: pytest.FixtureRequest
) -> Callable[[str], Trial]:
    """Run whatever attacks were asked for, all at once, when the first of them is."""
    asked = {
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.module is request.module
        and "name" in getattr(item, "callspec", _NoCall).params
    }

    @cache
    def all_of_them() -> dict[str, Trial]:
        return runner.run_all(docker_engine, target, {name: (ATTACKS[name],) for name in sorted(asked)})

    return lambda name: all_of_them()[name]


class _NoCall:
    params: dict[str, str] = {}


def judged(trial: Trial) -> None:
    """An attack is a reward of 0 and nothing else."""
    assert trial.verdict.reward == 0, trial.verdict
    assert trial.verdict.status in (Status.FAIL, Status.AGENT_FAULT), trial.verdict.reason
    assert trial.timing.agent < AGENT_SEC + 10
    assert trial.timing.judge < 2 * (VERIFIER_SEC + 45)


def _marked(names: Iterator[str]) -> list[object]:
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", _marked(iter(ATTACKS)))
def test_our_own(tried: Callable[[str], Trial], name: str) -> None:
    trial = tried(name)
    if name == "controls/honest":
        assert (trial.verdict.status, trial.verdict.reward) == (Status.PASS, 1.0), trial.verdict
    else:
        judged(trial)


def test_every_kind_of_attack_is_there() -> None:
    kinds = {name.split("/")[0] for name in ATTACKS}
    assert kinds == {"controls", "harness", "masking", "collection", "delivered", "data"}
    assert set(QUICK) <= set(ATTACKS)
    assert all(text.startswith("# ") for text in ATTACKS.values())


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["harness/race-reward", "harness/patch-tests", "delivered/daemon"])
def test_races_are_lost_every_time(docker_engine: DockerEngine, target: runner.Target, attack: str) -> None:
    trials = runner.run_all(
        docker_engine, target, {f"{attack}-{turn}": (ATTACKS[attack],) for turn in range(5)}
    )
    for trial in trials.values():
        judged(trial)


@dataclass(frozen=True)
class Real:
    """A task of the corpus, ready to be attacked."""

    target: runner.Target
    task: Task


@pytest.fixture(scope="module")
def real(docker_engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    skill_id, name = REAL
    folder = CORPUS / "blueprints" / skill_id / name
    workspace = Workspace(tmp_path_factory.mktemp("real"))
    params = Params(corpus=str(CORPUS), build=BuildParams(levels=("easy",), max_seeds=1))
    with Context(workspace, params, ResultStore(workspace.results)) as context:
        source = next(found for found in parse.discover(CORPUS) if found.skill_id == skill_id)
        skill = _accepted(parse.apply(Item(skill_id, "", source), context))
        drafted = draft.apply(draft.item_of(folder, skill, CORPUS), context)
        blueprint: Blueprint = _accepted(drafted)
        (item,) = build.items_of(blueprint, "", drafted.blob, params.build)
        built = build.apply(item, context)
        task: Task = _accepted(built)
        images = TaskImages(task, built.blob or b"", context)
        limits = blueprint.spec.limits.model_copy(update={"agent_sec": 30})
        place = Place(
            task.task_id, task.content_id, images.task_image(), blueprint.spec.outputs, limits, False
        )
        solve = "\n".join(step.command for step in blueprint.reference.steps)
        tests = below(images.tree, "tests")
        yield Real(
            runner.Target(
                place,
                images.judge(),
                tests,
                VERIFIER_SEC,
                "/workspace/budget.json",
                "/workspace/error-budget",
                solve,
            ),
            task,
        )
        images.close()


def _accepted(done: build.Done) -> object:
    assert isinstance(done.outcome, Accepted), done.outcome
    return done.outcome.record


def adapted(text: str, target: runner.Target) -> str:
    """Return a script for another task with this one's paths in the place of its own."""
    for old, new in (
        ("/app/out/report.json", target.report),
        ("/app/summarize.py", target.tool),
        ("summarize.py", Path(target.tool).name),
        ("/app/out", "/workspace"),
        ("/app/repo", "/workspace/repo"),
        ("/app", "/workspace"),
    ):
        text = text.replace(old, new)
    return text


AS_PROGRAM = """
cd /
if [ -f "$TOOL" ] && [ ! -L "$TOOL" ]; then
    head -c 2 "$TOOL" | grep -q '#!' || sed -i '1i #!/usr/bin/env python3' "$TOOL"
    chmod 755 "$TOOL"
fi
true
"""


@pytest.mark.slow
def test_those_of_the_shared_folder_against_a_real_task(
    docker_engine: DockerEngine, real: Real, shared: Path
) -> None:
    folder = shared / "attacks"
    helpers = sorted(file for file in (folder / "helpers").iterdir() if file.suffix in (".py", ".c"))
    given = [runner.put(f"/tmp/atk/helpers/{file.name}", file.read_text("utf-8")) for file in helpers]
    given.append(runner.put("/tmp/atk/helpers/solve.sh", real.target.solve))
    given.append("mkdir -p /workspace/repo && git -C /workspace/repo init -q; true")
    scripts = sorted(file for file in folder.glob("*.sh") if file.stem[:2].isdigit())
    assert len(scripts) >= 30
    chosen = {
        file.stem: (
            "; ".join(given),
            adapted(file.read_text("utf-8"), real.target),
            AS_PROGRAM,
            f"cd {runner.WORK}",
        )
        for file in scripts
    }
    began = time.monotonic()
    trials = runner.run_all(docker_engine, real.target, chosen)
    assert trials.pop("99_honest").verdict.reward == 1
    earned = {name: trial.verdict.reward for name, trial in trials.items() if trial.verdict.reward}
    lost = {
        name: trial.verdict.reason
        for name, trial in trials.items()
        if trial.verdict.status is Status.NO_VERDICT
    }
    assert (earned, lost) == ({}, {})
    assert time.monotonic() - began < 60 * len(trials)


@pytest.mark.parametrize(
    "name", ["controls/honest", "controls/nop", "delivered/hard-coded", "data/duplicate-keys"]
)
def test_our_own_fit_a_real_task(docker_engine: DockerEngine, real: Real, name: str) -> None:
    trial = runner.run(docker_engine, real.target, name, ATTACKS[name])
    assert trial.verdict.reward == (1 if name == "controls/honest" else 0), trial.verdict
    assert trial.verdict.status is not Status.NO_VERDICT
