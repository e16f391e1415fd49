"""What an image's build tells, and what is made of it; told by chunks made by hand."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any

import docker
import pytest

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.building import BUILD_PIDS, BuildFailed, _follow, build_image


class Api:
    """Notes what is posted."""

    base_url, api_version = "http+docker://localhost", "1.41"

    def __init__(self) -> None:
        self.posted: list[tuple[str, Any]] = []

    def post(self, url: str, json: Any, timeout: float) -> Api:
        self.posted.append((url, json))
        return self

    def close(self) -> None:
        pass


def built(*lines: str, error: str = "", image: str = "sha256:1") -> tuple[str, list[tuple[str, Any]]]:
    api = Api()
    chunks: list[dict[str, Any]] = [{"stream": line} for line in lines]
    chunks.append({"error": error} if error else {"aux": {"ID": image}})
    return _follow(api, iter(chunks), "made:1", time.monotonic() + 60), api.posted  # type: ignore[arg-type]


def test_each_container_of_a_build_is_bounded_when_it_is_named() -> None:
    image, posted = built(
        "Step 1/2 : FROM base",
        "Step 2/2 : RUN x\n",
        "\x1b[91m ---> Running in 0123456789ab\n\x1b[0m",
        "---> 99\n",
    )
    assert image == "sha256:1"
    assert posted == [
        ("http+docker://localhost/v1.41/containers/0123456789ab/update", {"PidsLimit": BUILD_PIDS})
    ]


@pytest.mark.parametrize(
    "line", ["---> Running in ../../x", "---> Running in 0123456789ab now", "---> Running in 01"]
)
def test_nothing_else_is_taken_for_a_containers_name(line: str) -> None:
    assert built("Step 1/1 : RUN x", line)[1] == []


def test_a_full_disk_ends_the_run() -> None:
    with pytest.raises(EngineDown, match="disk is full"):
        built(
            "Step 1/1 : COPY world/ /", error="Error processing tar file: write /x: no space left on device"
        )


def test_a_step_that_finds_no_room_is_an_error_and_no_rejection() -> None:
    with pytest.raises(EngineError, match="for want of space") as caught:
        built(
            "Step 1/1 : RUN pip",
            "OSError: [Errno 28] No space left on device",
            error="returned a non-zero code: 1",
        )
    assert not isinstance(caught.value, BuildFailed | EngineDown)


def test_a_step_that_only_speaks_of_space_elsewhere_has_failed() -> None:
    with pytest.raises(BuildFailed, match="Step 1/1 : RUN x failed with: returned a non-zero code: 1 | y"):
        built("Step 1/1 : RUN x", "y", error="returned a non-zero code: 1")
    with pytest.raises(BuildFailed):
        built("Step 1/1 : RUN x", error="'echo no space left on device' returned a non-zero code: 1")


@pytest.mark.parametrize(
    "error",
    [
        "failed to create endpoint nice_hopper on network bridge: could not find bridge docker0",
        "OCI runtime create failed: container_linux.go:380: starting container process caused: x",
        "context canceled",
    ],
)
def test_what_the_engine_fails_at_is_no_rejection(error: str) -> None:
    with pytest.raises(EngineError, match="can't be built") as caught:
        built("Step 1/1 : RUN x", error=error)
    assert not isinstance(caught.value, BuildFailed)


@pytest.mark.parametrize(
    "error",
    [
        "The command '/bin/sh -c false' returned a non-zero code: 1",
        "COPY failed: file not found in build context or excluded by .dockerignore: stat none: file does not exist",
    ],
)
def test_what_a_step_fails_at_is_a_rejection(error: str) -> None:
    with pytest.raises(BuildFailed):
        built("Step 1/1 : x", error=error)


def _breaks_off(listener: socket.socket) -> None:
    with listener.accept()[0] as peer:
        peer.recv(1 << 16)
        peer.sendall(
            b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n18\r\n{"stream":"Step 1/2 : F"}\r\n'
        )


def test_an_engine_that_goes_away_in_the_middle_of_a_build_is_an_engine_error(tmp_path: Path) -> None:
    """The SDK lets the error of a stream that breaks off through as it is."""
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_breaks_off, args=(listener,), daemon=True).start()
        client = docker.DockerClient(base_url=f"tcp://127.0.0.1:{listener.getsockname()[1]}", version="1.41")
        with pytest.raises(EngineError, match="went away while it was to build made:1"):
            build_image(client, tmp_path, "made:1", {})
        client.close()
