"""What the engine was asked for, row by row of docs/security.md, read back from the containers that it made."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import docker
import pytest

from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.ownership import host, started
from skill2env.sandbox.protocol import SandboxSpec
from skill2env.sandbox.seccomp import profile
from skill2env.trial.judge import PRIVILEGES

pytestmark = pytest.mark.docker
NAME = "host-config"


@contextmanager
def _sandbox(engine: DockerEngine, spec: SandboxSpec) -> Iterator[tuple[str, ...]]:
    with engine.sandbox(spec):
        yield ("sleep", "360")


@contextmanager
def _pipe(engine: DockerEngine, spec: SandboxSpec) -> Iterator[tuple[str, ...]]:
    with engine.pipe(spec, ("cat",)):
        yield ("cat",)


def _spec(image: str, role: str) -> SandboxSpec:
    more: dict[str, Any] = {}
    if role == "judge":
        more = {"privileges": PRIVILEGES, "read_only": True, "tmpfs": (("/tmp", "rw,size=16m"),)}
    return SandboxSpec(image, role, NAME, 300, memory_mb=96, cpus=0.5, pids=77, **more)


@pytest.fixture(params=["trial", "world", "judge", "sentinel"], scope="module")
def found(
    request: pytest.FixtureRequest, engine: docker.DockerClient, docker_engine: DockerEngine, shell_image: str
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Role, main process, and what the engine says of a container of each role."""
    role = request.param
    if role == "sentinel":
        name = {
            "label": [
                f"skill2env.run={docker_engine.labels('', '', 0)['skill2env.run']}",
                "skill2env.role=sentinel",
            ]
        }
        (container,) = engine.containers.list(filters=name)
        return role, ("sleep", "86400"), container.attrs
    start = _sandbox if role == "trial" else _pipe
    with start(docker_engine, _spec(shell_image, role)) as argv:
        (container,) = engine.containers.list(filters={"label": f"skill2env.name={NAME}"})
        return role, argv, container.attrs


ROWS = {
    "network": ("NetworkMode", "none"),
    "capabilities": ("CapDrop", ["ALL"]),
    "no privileges": ("Privileged", False),
    "shared memory": ("ShmSize", 64 << 20),
    "open files and core dumps": (
        "Ulimits",
        [
            {"Name": "nofile", "Hard": 4096, "Soft": 4096},
            {"Name": "core", "Hard": 0, "Soft": 0},
        ],
    ),
    "init": ("Init", True),
    "logs": ("LogConfig", {"Type": "none", "Config": {}}),
    "no ports": ("PortBindings", None),
    "nothing of the host's": ("Binds", None),
    "no devices": ("Devices", None),
    "own processes": ("PidMode", ""),
    "own shared memory": ("IpcMode", "private"),
    "own host name": ("UTSMode", ""),
    "no volumes of others": ("VolumesFrom", None),
    "ends for good": ("RestartPolicy", {"Name": "", "MaximumRetryCount": 0}),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row(found: tuple[str, tuple[str, ...], dict[str, Any]], row: str) -> None:
    key, wanted = ROWS[row]
    value = found[2]["HostConfig"][key]
    assert (value or None) == (wanted or None)


def test_memory_without_swap_processes_and_cpus(found: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    role, _, attrs = found
    config = attrs["HostConfig"]
    wanted = (64 << 20, 16, 100_000_000) if role == "sentinel" else (96 << 20, 77, 500_000_000)
    assert (config["Memory"], config["PidsLimit"], config["NanoCpus"]) == wanted
    assert config["MemorySwap"] == config["Memory"]


def test_no_new_privileges_and_the_profile(found: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    options = found[2]["HostConfig"]["SecurityOpt"]
    assert "no-new-privileges" in options
    (seccomp,) = [option.removeprefix("seccomp=") for option in options if option.startswith("seccomp=")]
    assert json.loads(seccomp) == json.loads(profile())
    refused = {name for rule in json.loads(seccomp)["syscalls"] for name in rule["names"]}
    assert {"io_uring_setup", "io_uring_enter", "io_uring_register"} <= refused


def test_only_a_judge_keeps_what_it_needs(found: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    role, _, attrs = found
    config = attrs["HostConfig"]
    kept = {name.removeprefix("CAP_") for name in config["CapAdd"] or ()}
    assert kept == (set(PRIVILEGES) if role == "judge" else set())
    assert config["ReadonlyRootfs"] == (role == "judge")


def test_it_ends_by_itself(found: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    """A sandbox when its deadline is over, a pipe when its driver's end of the pipe is closed."""
    role, argv, attrs = found
    assert attrs["Config"]["Cmd"] == list(argv)
    assert attrs["Config"]["StdinOnce"] == attrs["Config"]["OpenStdin"] == (role in ("world", "judge"))


def test_labels_name_run_trial_and_deadline(found: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    role, _, attrs = found
    labels = attrs["Config"]["Labels"]
    assert labels["skill2env.role"] == role
    assert labels["skill2env.name"] == ("sentinel" if role == "sentinel" else NAME)
    where, pid, since, _ = labels["skill2env.run"].split()
    assert (where, int(pid), since) == (host(), os.getpid(), started(os.getpid()))
    left = int(labels["skill2env.deadline"]) - time.time()
    longest = 86400 if role == "sentinel" else 300
    assert left <= longest + 130
    assert left > (longest - 3600 if role == "sentinel" else 300)
