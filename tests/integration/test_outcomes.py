"""Each way of failing, and exactly what becomes of it: a reward, no verdict, or an item that is tried again."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
import pytest
import yaml
from docker.errors import APIError
from integration import made

from skill2env.errors import EngineError
from skill2env.models.blueprint import Limits
from skill2env.models.trial import Status, Trial
from skill2env.params import load_params
from skill2env.pipeline import Summary, run_stage
from skill2env.sandbox.container import DockerSandbox
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.protocol import ContainerGone, SandboxSpec
from skill2env.stages.context import Context
from skill2env.stages.publish import publish
from skill2env.store.dataset import rows
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace
from skill2env.trial import run

pytestmark = pytest.mark.docker

BASE = Path(__file__).resolve().parents[1] / "cases" / "blueprints" / "base"
SHORT = Limits(agent_sec=5, verifier_sec=20, memory_mb=256, cpus=1, pids=128)
LONG = Limits(agent_sec=60, verifier_sec=60, memory_mb=128, cpus=1, pids=128)
DELETE = "rm -rf --no-preserve-root /usr /bin /lib /lib64 /etc 2>/dev/null"
BROKEN = "def test_x(:\n"
FRAGILE = """
import os, signal, time
from pathlib import Path
def test_report(workspace, read_text):
    if read_text(workspace / "report.json"):
        judge = Path("/proc", str(os.getppid()), "stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(judge), signal.SIGKILL)
        time.sleep(5)
"""

# Name: what the agent does, the tests, and the only status that may come of it.
WAYS: dict[str, tuple[tuple[str, ...], str, Status]] = {
    "the solution": ((made.SOLUTION,), made.TESTS, Status.PASS),
    "nothing": ((), made.TESTS, Status.FAIL),
    "a wrong answer": (("echo '{\"total\": 1}' > report.json",), made.TESTS, Status.FAIL),
    "a program out of memory": (("tail /dev/zero",), made.TESTS, Status.FAIL),
    "the shell out of memory": (("x=$(tr '\\0' x < /dev/zero)",), made.TESTS, Status.FAIL),
    "kill -9 $$": (("kill -9 $$",), made.TESTS, Status.FAIL),
    "exit 137": (("exit 137",), made.TESTS, Status.FAIL),
    "exit 137 after the work": ((made.SOLUTION, "exit 137"), made.TESTS, Status.PASS),
    "kill 1": ((made.SOLUTION, "kill -TERM 1; sleep 30"), made.TESTS, Status.AGENT_FAULT),
    "kill all": ((made.SOLUTION, "kill -9 -1; kill 1; sleep 30"), made.TESTS, Status.AGENT_FAULT),
    "programs deleted": ((DELETE,), made.TESTS, Status.FAIL),
    "programs deleted after the work": ((made.SOLUTION, DELETE), made.TESTS, Status.PASS),
    "no end": ((made.SOLUTION, "sleep 600"), made.TESTS, Status.AGENT_FAULT),
    "outputs that are refused": (
        (made.SOLUTION, "ln -sf /etc/passwd report.json"),
        made.TESTS,
        Status.AGENT_FAULT,
    ),
    "the workspace a file": (("cd /; rm -rf workspace; touch workspace",), made.TESTS, Status.FAIL),
    "tests that are broken": ((made.SOLUTION,), BROKEN, Status.NO_VERDICT),
    "tests that are broken, and a failing agent": (("kill 1; sleep 30",), BROKEN, Status.AGENT_FAULT),
    "outputs that kill the judge": ((made.SOLUTION,), FRAGILE, Status.AGENT_FAULT),
}


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When each attempt at a trial began."""
    began: list[float] = []
    attempt = run._attempt

    def counted(*arguments: Any) -> Trial:
        began.append(time.monotonic())
        return attempt(*arguments)

    monkeypatch.setattr(run, "_attempt", counted)
    return began


@pytest.mark.parametrize("way", WAYS)
def test_a_way_of_ending_has_one_status(
    docker_engine: DockerEngine, shell_image: str, judge_image: str, way: str, attempts: list[float]
) -> None:
    commands, tests, status = WAYS[way]
    with made.judge_of(docker_engine, judge_image, made.tests_tree(tests)) as judge:
        limits = SHORT if "sleep 600" in commands else LONG
        trial = made.attempt(docker_engine, shell_image, judge, *commands, limits=limits)
    assert (trial.verdict.status, trial.verdict.reward) == (status, float(status is Status.PASS))
    assert bool(trial.verdict.reason) == (status in (Status.AGENT_FAULT, Status.NO_VERDICT))
    assert len(attempts) == 1, "an agent that fails is not given another chance"


@contextmanager
def removing(
    client: docker.DockerClient, engine: DockerEngine, how_many: int, role: str = "trial"
) -> Iterator[list[str]]:
    """Remove the first so many containers of a role from outside, a second after each has started."""
    over = threading.Event()
    gone: list[str] = []
    mine = [f"skill2env.run={engine.labels('', '', 0)['skill2env.run']}", f"skill2env.role={role}"]

    def watch() -> None:
        while not over.is_set() and len(gone) < how_many:
            for found in client.containers.list(filters={"label": mine}):
                time.sleep(1)
                try:
                    found.remove(force=True)
                    gone.append(str(found.id))
                except APIError:
                    pass
            time.sleep(0.1)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield gone
    finally:
        over.set()
        thread.join()


def _honest(engine: DockerEngine, image: str, judge_image: str, *first: str) -> Trial:
    with made.judge_of(engine, judge_image) as judge:
        return made.attempt(engine, image, judge, *first, made.SOLUTION)


@pytest.mark.parametrize("how_many", [1, 2])
def test_a_container_removed_in_mid_trial_is_tried_again(
    engine: docker.DockerClient,
    docker_engine: DockerEngine,
    shell_image: str,
    judge_image: str,
    how_many: int,
    attempts: list[float],
) -> None:
    with removing(engine, docker_engine, how_many) as gone:
        trial = _honest(docker_engine, shell_image, judge_image, "sleep 3")
    assert len(gone) == how_many
    assert (trial.verdict.status, trial.verdict.reward) == (Status.PASS, 1.0)
    assert len(attempts) == how_many + 1


def test_a_container_removed_in_each_trial_is_an_error_and_no_reward(
    engine: docker.DockerClient,
    docker_engine: DockerEngine,
    shell_image: str,
    judge_image: str,
    attempts: list[float],
) -> None:
    with removing(engine, docker_engine, 9), pytest.raises(ContainerGone, match="removed from outside"):
        _honest(docker_engine, shell_image, judge_image, "sleep 5")
    assert len(attempts) == 3


@pytest.mark.parametrize("how_many", [1, 9])
def test_a_container_removed_before_its_outputs_are_collected_is_never_an_absent_output(
    docker_engine: DockerEngine,
    shell_image: str,
    judge_image: str,
    how_many: int,
    attempts: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kill = DockerSandbox.kill
    killed: list[str] = []

    def kill_and_remove(self: DockerSandbox) -> None:
        kill(self)
        killed.append(self._container)
        if len(killed) <= how_many:
            docker_engine._remove(self._container)

    monkeypatch.setattr(DockerSandbox, "kill", kill_and_remove)
    if how_many < 3:
        assert _honest(docker_engine, shell_image, judge_image).verdict.status is Status.PASS
    else:
        with pytest.raises(ContainerGone):
            _honest(docker_engine, shell_image, judge_image)
    assert len(attempts) == min(how_many + 1, 3)


def test_a_judge_that_is_removed_judges_again(
    engine: docker.DockerClient, docker_engine: DockerEngine, judge_image: str
) -> None:
    slow = "import time\ndef test_report(workspace, read_json):\n    time.sleep(4)\n    assert read_json(workspace / 'report.json')\n"
    collected = made.outputs({"workspace/report.json": "[1]"})
    with made.judge_of(docker_engine, judge_image, made.tests_tree(slow)) as judge:
        assert judge.verdict(collected)[0].status is Status.PASS
        with removing(engine, docker_engine, 1, "judge") as gone:
            verdict, _ = judge.verdict(collected)
    assert len(gone) == 1
    assert verdict.status is Status.PASS


def test_a_lost_sentinel_blames_nobody_and_is_replaced(shell_image: str, judge_image: str) -> None:
    """Without another one, every later fault of an agent would be an error, and its sample dropped."""
    with DockerEngine() as own:
        own.watch(shell_image)
        with own.sandbox(
            SandboxSpec(shell_image, "trial", "lost-sentinel", 60, memory_mb=64, cpus=1, pids=16)
        ):
            first = own._sentinel
            assert first and own.alive()
            own._remove(first)
            assert not own.alive(), "it was there when the container started, and is not now"
            assert not own.alive(), "another one does not speak for the time before it"
        assert own._sentinel != first
        with made.judge_of(own, judge_image) as judge:
            trial = made.attempt(own, shell_image, judge, "kill 1; sleep 30")
        assert trial.verdict.status is Status.AGENT_FAULT
        assert own.alive()


class Runs:
    """Stages over the good blueprint of the cases, each with a context of its own, as the commands do it."""

    def __init__(self, root: Path) -> None:
        corpus = root / "skills_corpus"
        shutil.copytree(BASE / "skill", corpus / "skills" / "till-receipts")
        shutil.copytree(BASE / "blueprint", corpus / "blueprints" / "till-receipts" / "takings")
        params = {"build": {"levels": ["easy"], "max_seeds": 1}, "validate": {"oracle_runs": 2}}
        (root / "params.yaml").write_text(yaml.safe_dump(params))
        self.root = root

    def __call__(self, work: Callable[[Context], Any]) -> Any:
        store = ResultStore(Workspace(self.root).results)
        try:
            with Context(Workspace(self.root), load_params(self.root / "params.yaml"), store) as context:
                return work(context)
        finally:
            store.close()

    def stage(self, name: str) -> Summary:
        summary: Summary = self(lambda context: run_stage(name, context))
        return summary


FAILING: dict[str, tuple[str, str]] = {
    "the judge cannot be started": ("pipe", "judge"),
    "no container of a trial can be started": ("sandbox", "trial"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FAILING)
def test_what_the_engine_fails_at_is_errored_never_a_reward_and_tried_again(
    engine: docker.DockerClient, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(tmp_path)
    for name in ("parse", "draft", "build"):
        assert runs.stage(name).accepted == 1
    method, role = FAILING[what]
    started = getattr(DockerEngine, method)
    failed: list[str] = []

    def failing(self: DockerEngine, spec: Any, *arguments: Any) -> Any:
        if spec.role == role:
            failed.append(spec.name)
            raise EngineError("the engine has the hiccups")
        return started(self, spec, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(DockerEngine, method, failing)
        summary = runs.stage("validate")
    assert (summary.accepted, summary.rejected, summary.errored) == (0, {}, 1)
    assert len(failed) == 3, "tried again twice"
    assert runs.stage("rollout").inputs == 0
    figures = runs(publish)
    assert figures["errored"]["validate"] == 1
    dataset = Workspace(tmp_path).dataset
    assert [list(rows(dataset, config)) for config in ("tasks", "trajectories", "sft", "rejected")] == [
        []
    ] * 4

    summary = runs.stage("validate")
    assert (summary.accepted, summary.errored, summary.executed) == (1, 0, 1)
    assert runs.stage("rollout").accepted == 1
    assert runs(publish)["errored"]["validate"] == 0
    assert len(list(rows(dataset, "tasks"))) == 1
    found = [(row["role"], row["status"], row["reward"]) for row in rows(dataset, "trajectories")]
    assert sorted(found) == [
        ("alternative", "pass", 1.0),
        ("mistake", "fail", 0.0),
        ("mistake", "fail", 0.0),
        ("reference", "pass", 1.0),
    ]
