"""What every test may use: the engine, and the rule that a missing engine is no success in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import docker
import pytest

from skill2env.errors import EngineDown
from skill2env.sandbox.engine import connect


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
    if os.environ.get("CI"):
        pytest.fail(_why_no_engine(), pytrace=False)
    pytest.skip(_why_no_engine())


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    client = connect()
    yield client
    client.close()
