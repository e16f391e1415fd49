"""A model's attempt from end to end: an HTTP endpoint on loopback, a container with a mounted skill, the judge's verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from integration import made
from llm.clients import MODEL, scripted
from llm.protocols import Reply, Request
from llm.server import Status as Refusal
from llm.server import in_turn
from unit.trial.scripted_model import ScriptedModel, says

from skill2env.errors import ModelError
from skill2env.llm.client import Model
from skill2env.models.chat import Completion
from skill2env.models.tree import text_file
from skill2env.models.trial import Condition, Status, Trial
from skill2env.sandbox.docker import DockerEngine
from skill2env.trial import agent
from skill2env.trial.agent import Bounds, Shelled, Told
from skill2env.trial.judge import Judge
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Thinks, run_trial
from skill2env.trial.telling import SkillFolder, given, opening

pytestmark = pytest.mark.docker

BOUNDS = Bounds(max_turns=9, max_tokens=100_000, max_model_sec=60, output_chars=2000)
SKILL = SkillFolder(
    "sums",
    "Add 49.\n",
    {"SKILL.md": text_file("Add 49.\n"), "scripts/go.sh": text_file("#!/bin/sh\necho went\n", 0o755)},
)


@pytest.fixture(scope="module")
def judge(docker_engine: DockerEngine, judge_image: str) -> Iterator[Judge]:
    with made.judge_of(docker_engine, judge_image) as judge:
        yield judge


class Agent:
    def __init__(self, engine: DockerEngine, image: str, judge: Judge) -> None:
        self._engine, self._place, self._judge = engine, made.place(image, record_changes=True), judge

    def __call__(self, model: Model, condition: Condition = "bare", name: str = "scripted-1") -> Trial:
        told = Told(name, condition, 1, opening("Make the report.", condition, SKILL))
        files = given(condition, SKILL)
        thinks = Thinks(lambda: Shelled(model, told, BOUNDS), "asked", BOUNDS.container_sec, files)
        attempt = Attempt(name, "model", (), PLAIN, thinks=thinks)
        return run_trial(self._engine, self._place, self._judge, attempt).trial


@pytest.fixture(scope="module")
def acts(docker_engine: DockerEngine, shell_image: str, judge: Judge) -> Agent:
    return Agent(docker_engine, shell_image, judge)


def test_a_mounted_skill_is_read_and_run_and_the_work_passes(acts: Agent) -> None:
    look = "cat ~/.claude/skills/sums/SKILL.md; ~/.agents/skills/sums/scripts/go.sh; pwd"
    trial = acts(ScriptedModel(says("Look.", look), says("Do.", made.SOLUTION), says("Done.")), "mounted")
    assert trial.steps[0].output == "Add 49.\nwent\n/workspace\n"
    assert (trial.verdict.status, trial.verdict.reward) == (Status.PASS, 1.0)
    assert "/workspace/report.json" in (trial.changed_paths or ())
    assert not [path for path in trial.changed_paths or () if path.startswith("/root")]
    assert trial.network == "lo"


def test_without_the_skill_its_folder_is_not_there(acts: Agent) -> None:
    trial = acts(ScriptedModel(says("", "ls -d ~/.claude ~/.agents"), says("Done.")))
    assert trial.steps[0].exit_code == 2
    assert trial.verdict.status is Status.FAIL


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_over_the_wire_and_again_from_the_records(acts: Agent, protocol: str, tmp_path: Path) -> None:
    script = in_turn(
        Reply("Both.", says("", "echo hello", made.SOLUTION).calls), Reply("Done."), Reply("Yes.")
    )
    with scripted(script, tmp_path, protocol) as there:
        first = acts(there.client, name=MODEL)
        assert there.server.count == 3
        again = acts(there.client, name=MODEL)
        assert there.server.count == 3
    assert first.verdict.reward == again.verdict.reward == 1
    assert first.model is not None and again.model is not None
    assert first.model.messages == again.model.messages
    assert first.model.tokens.input > 0
    assert [message.text for message in first.model.messages if message.role == "tool"] == ["hello\n", ""]


def test_an_endpoint_that_fails_in_mid_attempt_is_no_reward(acts: Agent, tmp_path: Path) -> None:
    def script(request: Request) -> Reply | Refusal:
        return (
            Refusal(500)
            if asked.append(request) or len(asked) > 1
            else Reply("Do.", says("", made.SOLUTION).calls)
        )

    asked: list[Request] = []
    with scripted(script, tmp_path) as there, pytest.raises(ModelError):
        acts(there.client, name=MODEL)


def test_a_container_that_its_agent_ends_while_the_model_thinks_is_the_agents_fault(
    acts: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "_ASK_SEC", 0.1)

    def slow(_: object) -> Completion:
        time.sleep(2)
        return says("", "echo still there")

    trial = acts(ScriptedModel(says("", f"{made.SOLUTION}\n(sleep 0.5; kill -9 -1; kill -TERM 1) &"), slow))
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0)
    assert trial.verdict.reason == "the agent's container ended before the agent did"
    assert trial.steps[0].exit_code == 0
