"""What every test may use: the engine, its images, the shared folder; a missing engine is no success in CI."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import docker
import pytest
from absent import absent

from skill2env.errors import EngineDown
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.engine import connect
from skill2env.sandbox.images import ensure_toolchain, ensure_verifier

ROOT = Path(__file__).resolve().parents[1]
TOOLCHAIN = "shell"
"""The smallest toolchain; it has bash, Python and git."""
_INTERNAL_ERRORS: list[str] = []
_WARNINGS: list[str] = []


@cache
def _why_no_engine() -> str:
    try:
        connect().close()
    except EngineDown as error:
        return str(error)
    return ""


def pytest_internalerror(excrepr: object) -> None:
    _INTERNAL_ERRORS.append(str(excrepr))


def pytest_warning_recorded(warning_message: warnings.WarningMessage, nodeid: str) -> None:
    _WARNINGS.append(f"{nodeid}: {warning_message.message}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say last what ended a run early, which the end of a log would not show: pytest prints no summary then."""
    if _INTERNAL_ERRORS and not hasattr(config, "workerinput"):
        first = _INTERNAL_ERRORS[0].splitlines()[-12:]
        print("what first went wrong:", *first, "warnings:", *_WARNINGS[-5:], sep="\n  ")


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Spell out the characters that can't be sent between processes, which a failure may well be about."""
    report = yield
    return _sendable(report)


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_sendable(key): _sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_sendable, value))
    return value


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker") is None or not _why_no_engine():
        return
    absent(_why_no_engine())


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
