"""Harbor's way into the verifier gives the same verdicts as the driver's."""

from __future__ import annotations

import json

import pytest
from integration import made

from skill2env.interop.harbor import TEST_SH
from skill2env.models.tree import BadTree, Tree, pack, text_file, unpack
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.protocol import NoSuchPath, SandboxSpec
from skill2env.sandbox.shell import Ran, Shell
from skill2env.trial.judge import PRIVILEGES

pytestmark = pytest.mark.docker

TOOL = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
SETTINGS = json.dumps({"outputs": list(made.OUTPUTS), "timeout_sec": 20})


def graded(
    engine: DockerEngine,
    image: str,
    delivered: dict[str, str],
    tests: Tree | None = None,
    before: str = "true",
) -> tuple[dict[str, object] | None, dict[str, object] | None, Ran]:
    """Return the two reward files, where there are any, and what test.sh did."""
    settings = {"test.sh": text_file(TEST_SH, 0o755), "judge.json": text_file(SETTINGS)}
    tree = {f"tests/{path}": node for path, node in {**(tests or made.tests_tree()), **settings}.items()}
    tree |= {f"outputs/workspace/{name}": text_file(text) for name, text in delivered.items()}
    spec = SandboxSpec(
        image, "judge", "in-place", 60, memory_mb=1024, cpus=1, pids=256, privileges=PRIVILEGES
    )
    with engine.sandbox(spec) as sandbox:
        sandbox.put("/", pack(tree))
        shell = Shell(sandbox, 4000)
        shell.run(f"cd /workspace; {before}", 20)
        ran = shell.run("bash /tests/test.sh", 50)
        shell.close()
        found = []
        for name in ("reward.json", "reward-details.json"):
            try:
                archive = unpack(b"".join(sandbox.get(f"/logs/verifier/{name}")))
                found.append(json.loads(archive[name].data))
            except (NoSuchPath, BadTree):
                found.append(None)
    return found[0], found[1], ran


@pytest.mark.parametrize(
    ("delivered", "reward"),
    [
        ({"report.json": '{"total": 1274}', "tool.py": TOOL}, 1),
        ({"report.json": '{"total": 1274}', "tool.py": "print(6)"}, 0),
        ({}, 0),
    ],
    ids=["right", "half right", "nothing"],
)
def test_the_verdict_is_the_drivers(
    docker_engine: DockerEngine, judge_image: str, delivered: dict[str, str], reward: int
) -> None:
    found, details, _ = graded(docker_engine, judge_image, delivered)
    assert found == {"reward": reward}
    paths = {f"workspace/{name}": text for name, text in delivered.items()}
    with made.judge_of(docker_engine, judge_image) as judge:
        verdict, _ = judge.verdict(made.outputs(paths, 0o644))
    assert details
    assert {**details, "tests_sec": 0} == {**verdict.model_dump(mode="json"), "tests_sec": 0}


def test_refused_outputs_are_a_reward_of_nothing(docker_engine: DockerEngine, judge_image: str) -> None:
    for before in ("ln -s /etc/passwd report.json", "mkfifo report.json", "truncate -s 1T report.json"):
        found, details, _ = graded(docker_engine, judge_image, {}, before=before)
        assert found == {"reward": 0.0}
        assert details
        assert details["status"] == "agent_fault"


def test_a_broken_harness_writes_no_reward(docker_engine: DockerEngine, judge_image: str) -> None:
    found, details, ran = graded(docker_engine, judge_image, {}, made.tests_tree("def test_x(:\n"))
    assert (found, details) == (None, None)
    assert b"no verdict" in ran.output
    assert ran.exit_code == 1


BREAKS_THE_JUDGE = """
import os, signal
from pathlib import Path
import pytest


@pytest.mark.check
def test_report(workspace):
    if (workspace / "report.json").exists():
        judge = Path("/proc", str(os.getppid()), "stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(judge), signal.SIGKILL)
    assert False
"""
"""These tests stand for outputs that bring the judge itself down, by its memory for instance."""


def test_outputs_that_break_the_judge_earn_nothing(docker_engine: DockerEngine, judge_image: str) -> None:
    tests = made.tests_tree(BREAKS_THE_JUDGE)
    found, details, ran = graded(docker_engine, judge_image, {"report.json": "{}"}, tests)
    assert (found, ran.exit_code) == ({"reward": 0.0}, 0)
    assert details
    assert (details["status"], details["reason"]) == ("agent_fault", "the outputs broke the judge")


def test_a_judge_that_does_not_start_writes_no_reward(docker_engine: DockerEngine, judge_image: str) -> None:
    before = "rm -r /opt/verifier/lib/python3.11/site-packages/pytest"
    found, details, ran = graded(docker_engine, judge_image, {}, before=before)
    assert (found, details, ran.exit_code) == (None, None, 1)
    assert b"No module named 'pytest'" in ran.output
