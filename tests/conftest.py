"""What every test may use: the engine, its images, the shared folder; a missing engine is no success in CI."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import docker
import pytest

from skill2env.errors import EngineDown
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.engine import connect
from skill2env.sandbox.images import ensure_toolchain, ensure_verifier

ROOT = Path(__file__).resolve().parents[1]
TOOLCHAIN = "shell"
"""The smallest toolchain; it has bash, Python and git."""


@cache
def _why_no_engine() -> str:
    try:
        connect().close()
    except EngineDown as error:
        return str(error)
    return ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker") is None or not _why_no_engine():
        return
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(_why_no_engine(), pytrace=False)
    pytest.skip(_why_no_engine())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the files, begin with those that take longest, so that all end at the same time."""
    if hasattr(config, "workerinput"):
        files = Counter(item.path for item in items if item.get_closest_marker("slow"))
        engines = {item.path for item in items if item.get_closest_marker("docker")}
        items.sort(key=lambda item: (-files[item.path], item.path not in engines))


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    """The SDK's client."""
    client = connect()
    yield client
    client.close()


@pytest.fixture(scope="session")
def shell_image(engine: docker.DockerClient) -> str:
    """Id of the image in which agents act."""
    return ensure_toolchain(engine, TOOLCHAIN, print)


@pytest.fixture(scope="session")
def judge_image(engine: docker.DockerClient) -> str:
    """Id of the image that judges what they did."""
    return ensure_verifier(engine, TOOLCHAIN, print)


@pytest.fixture(scope="session")
def docker_engine(shell_image: str) -> Iterator[DockerEngine]:
    """The project's engine, with its sentinel."""
    with DockerEngine() as engine:
        engine.watch(shell_image)
        yield engine


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared material, which is no part of the project."""
    folder = Path(os.environ.get("SKILL2ENV_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; name the shared folder with SKILL2ENV_SHARED")
    return folder
