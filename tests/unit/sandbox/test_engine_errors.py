"""What the SDK's errors mean: no engine, an engine that refuses, or a container that somebody has removed."""

from __future__ import annotations

import docker
import pytest
import requests
from docker.errors import APIError, DockerException

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.container import engine_error
from skill2env.sandbox.protocol import ContainerGone


def refused_by(address: str) -> Exception:
    try:
        docker.APIClient(base_url=address, version="1.41", timeout=2).ping()
    except Exception as error:
        return error
    raise AssertionError("somebody listens there")


@pytest.mark.parametrize("address", ["unix:///nonexistent/docker.sock", "tcp://127.0.0.1:9"])
def test_where_nobody_listens_there_is_no_engine(address: str) -> None:
    assert type(engine_error(refused_by(address))) is EngineDown


def test_a_connection_that_breaks_off_may_be_the_requests_doing() -> None:
    """An engine that stumbles over one request closes that connection and lives on."""
    broken = requests.ConnectionError("Connection aborted.", ConnectionResetError(104, "reset by peer"))
    assert type(engine_error(broken)) is EngineError
    assert type(engine_error(requests.ReadTimeout("silent"))) is EngineError


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (404, "No such container: 0123", ContainerGone),
        (404, "No such image: sha256:0", EngineError),
        (500, "No such container: 0123", EngineError),
        (409, "Container 0123 is not running", EngineError),
    ],
)
def test_only_a_container_that_is_not_there_is_gone(status: int, text: str, kind: type[EngineError]) -> None:
    answer = requests.Response()
    answer.status_code = status
    found = engine_error(APIError("refused", response=answer, explanation=text))
    assert type(found) is kind
    assert text in str(found)


def test_everything_else_is_an_engine_that_refuses() -> None:
    assert str(engine_error(DockerException("odd"))) == "the Docker Engine refused: odd"
