"""An engine whose disk is full: the run ends, and no program that found no room is judged for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from integration import made

from skill2env.errors import EngineDown, EngineError
from skill2env.models.trial import Status
from skill2env.sandbox.docker import DockerEngine, _room
from skill2env.sandbox.protocol import SandboxSpec

FREE = "skill2env.sandbox.docker.free_bytes"


@pytest.fixture
def spec(shell_image: str) -> SandboxSpec:
    return SandboxSpec(shell_image, "trial", "engine-disk", 60, memory_mb=64, cpus=1, pids=32)


@pytest.mark.docker
def test_nothing_is_started_on_a_full_disk(
    docker_engine: DockerEngine, spec: SandboxSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    if docker_engine._disk is None:
        pytest.skip("the engine's disk can't be seen from here")
    monkeypatch.setattr(FREE, lambda _: 300 << 20)
    for start in (docker_engine.sandbox(spec), docker_engine.pipe(spec, ("cat",))):
        with pytest.raises(EngineDown, match="has only 300 MB left .* free space and run again"), start:
            pass


@pytest.mark.docker
def test_a_trial_that_others_left_no_room_for_is_not_judged(
    docker_engine: DockerEngine, shell_image: str, judge_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if docker_engine._disk is None:
        pytest.skip("the engine's disk can't be seen from here")
    left: Iterator[int] = itertools.chain([4 << 30], itertools.repeat(100 << 20))
    monkeypatch.setattr(FREE, lambda _: next(left))
    with (
        made.judge_of(docker_engine, judge_image) as judge,
        pytest.raises(EngineDown, match="has only 100 MB left"),
    ):
        made.attempt(docker_engine, shell_image, judge, made.SOLUTION)
    left = itertools.chain([4 << 30], itertools.repeat(100 << 20))
    spec = SandboxSpec(shell_image, "trial", "engine-disk", 60, memory_mb=64, cpus=1, pids=32)
    with pytest.raises(EngineDown, match="ran full"), docker_engine.sandbox(spec):
        pass


@pytest.mark.docker
def test_an_agent_that_has_filled_the_disk_itself_fails_for_it(
    docker_engine: DockerEngine, shell_image: str, judge_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an agent could have its failures dropped by writing much."""
    left: Iterator[int] = itertools.chain([4 << 30], [100 << 20], itertools.repeat(4 << 30))
    monkeypatch.setattr(FREE, lambda _: next(left))
    with made.judge_of(docker_engine, judge_image) as judge:
        trial = made.attempt(docker_engine, shell_image, judge, "head -c 600000000 /dev/zero > big")
    assert (trial.verdict.status, trial.verdict.reward) == (Status.FAIL, 0.0)


def test_the_engines_own_word_for_it_ends_the_run_and_no_other_does() -> None:
    with pytest.raises(EngineDown, match="disk is full"), _room():
        raise EngineError("refused: mkdir /x: no space left on device")
    with pytest.raises(EngineError, match="^refused: no such image$"), _room():
        raise EngineError("refused: no such image")
    with pytest.raises(EngineDown, match="^gone$"), _room():
        raise EngineDown("gone")
