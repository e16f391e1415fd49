"""What Harbor is told of a task: limits in the compose files, and a verifier whose clock is not the first to run out."""

from __future__ import annotations

import tomllib

import pytest
import yaml
from publish import made

from skill2env.interop import harbor
from skill2env.trial.judge import MEMORY_MB, PIDS, PRIVILEGES


@pytest.fixture
def toml() -> dict[str, object]:
    blueprint = made.blueprint("some-skill")
    text = harbor.task_toml(blueprint, "a--b--easy-s1", "easy", 1, {"skill": "some-skill"}, MEMORY_MB)
    return tomllib.loads(text)


def test_the_agents_container_has_limits_and_no_network() -> None:
    ((name, main),) = yaml.safe_load(harbor.compose(128))["services"].items()
    assert name == "main"
    assert main["network_mode"] == "none"
    assert main["pids_limit"] == 128
    assert main["security_opt"] == ["no-new-privileges"]
    assert main["init"] is True
    assert main["ulimits"] == {"nofile": 4096, "core": 0, "fsize": 1 << 30}
    assert "cap_drop" not in main  # Harbor itself works in it as root


def test_the_verifiers_container_is_the_judges() -> None:
    main = yaml.safe_load(harbor.compose(PIDS, PRIVILEGES))["services"]["main"]
    assert (main["network_mode"], main["pids_limit"]) == ("none", PIDS)
    assert (main["cap_drop"], tuple(main["cap_add"])) == (["ALL"], PRIVILEGES)


def test_both_environments_are_in_the_file(toml: dict[str, dict[str, dict[str, object]]]) -> None:
    spec = made.blueprint("some-skill").spec
    assert toml["environment"]["memory_mb"] == spec.limits.memory_mb
    assert toml["environment"]["workdir"] == "/workspace"
    assert toml["verifier"]["environment"]["memory_mb"] == MEMORY_MB
    assert toml["verifier"]["environment_mode"] == "separate"
    assert toml["artifacts"] == list(spec.outputs)


def test_the_verifier_ends_before_harbors_clock(toml: dict[str, dict[str, float]]) -> None:
    from skill2env.verifier import in_place

    spec = made.blueprint("some-skill").spec
    longest = in_place._START_SEC + spec.limits.verifier_sec + in_place._GRACE_SEC
    assert toml["verifier"]["timeout_sec"] > longest + 10
