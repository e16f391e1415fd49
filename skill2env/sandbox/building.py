"""Builds one image with the engine's classic builder, within bounds, and tells a faulty step from a failing engine."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import docker
from docker.errors import APIError

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.contexts import as_tar
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.pins import pins

BUILD_PIDS = 512
"""Processes and threads of a RUN step."""
BUILD_MEMORY_MB = 4096
"""Memory of a RUN step unless the caller says otherwise."""
SILENCE_SEC = 300
"""How long a build may print nothing."""
TAIL_LINES = 12
"""How many of a failing build's last lines are kept."""
DISK_FULL = "no space left on device"
"""How the engine and its containers say that the engine's disk is full."""
_BAD_REQUEST = 400
"""What the engine answers to a Dockerfile that it can't read."""
_UPDATE_SEC = 30
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = ("---> ", "Removing intermediate container ")  # the builder's own lines
_FAULT = re.compile(r"returned a non-zero code: \d+$|^(COPY|ADD) failed|^[Dd]ockerfile|unknown instruction")
"""How the builder says that a step is at fault; what it says otherwise (no network, no container) is the engine's matter."""
_RUNNING = re.compile(r"---> Running in ([0-9a-f]{12})$")


class BuildFailed(EngineError):
    """A Dockerfile's step failed while the engine was well; building again will not help."""


def build_image(
    client: docker.DockerClient,
    context: Path | IO[bytes],
    tag: str,
    labels: Mapping[str, str],
    *,
    network: str | None = None,
    memory_mb: int = BUILD_MEMORY_MB,
    timeout_sec: float = 1200,
) -> str:
    """Build an image with the classic builder; a RUN step has at most `BUILD_PIDS` processes.

    Args:
        client: the engine.
        context: a folder with a Dockerfile at its top, or an uncompressed tar of such a folder.
        tag: the image's name.
        labels: set on the image, in addition to those of the Dockerfile.
        network: the network mode of RUN steps, `"none"` to cut them off; the engine's default otherwise.
        memory_mb: the most memory of a RUN step.
        timeout_sec: for the whole build.

    Returns:
        The image's id.

    Raises:
        BuildFailed: a step failed; the sentence holds the step, the reason and the last lines.
        EngineDown: the engine's disk is full.
        EngineError: the engine went away, was silent for `SILENCE_SEC`, or the time was up.
    """
    memory = memory_mb * 2**20
    with engine_errors(f"build {tag}"), _faulty_dockerfile(tag), as_tar(context, pins().epoch) as archive:
        chunks = client.api.build(
            fileobj=archive,
            custom_context=True,
            tag=tag,
            labels=dict(labels),
            rm=True,
            forcerm=True,
            decode=True,
            network_mode=network,
            container_limits={"memory": memory, "memswap": memory},
            use_config_proxy=True,
            timeout=SILENCE_SEC,
        )
        with contextlib.closing(chunks):
            return _follow(client.api, chunks, tag, time.monotonic() + timeout_sec)


def _follow(api: docker.APIClient, chunks: Iterator[dict[str, Any]], tag: str, deadline: float) -> str:
    step, built, tail = "reading the Dockerfile", "", list[str]()
    for chunk in chunks:
        if time.monotonic() > deadline:
            raise EngineError(f"The image {tag} was not built in time; it was at: {step}.")
        if "error" in chunk:
            raise _failure(tag, step, _plain(str(chunk["error"])), tail)
        built = chunk.get("aux", {}).get("ID", built)
        line = _plain(str(chunk.get("stream", "")))
        if line.startswith("Step "):
            step, tail = line, []
        elif running := _RUNNING.fullmatch(line):
            _bound(api, running[1])
        elif line and not line.startswith(_NOISE):
            tail = [*tail, line][-TAIL_LINES:]
    if not built:
        raise EngineError(f"The engine ended the build of {tag} without an image and without a reason.")
    return str(built)


def _bound(api: docker.APIClient, container: str) -> None:
    """Limit the processes of a build's container.

    A build has no such option, and a parent group only holds on some engines. The builder names each container when it
    has made it and then starts it, which takes far longer than this call; steps that start none, or are over by now, make the
    call fail, which is no harm.
    """
    url = f"{api.base_url}/v{api.api_version}/containers/{container}/update"
    api.post(url, json={"PidsLimit": BUILD_PIDS}, timeout=_UPDATE_SEC).close()


def _failure(tag: str, step: str, error: str, tail: list[str]) -> EngineError:
    """Return what a failing build means: only a faulty step is a rejection, since that is kept for ever."""
    if error.endswith(DISK_FULL):
        return EngineDown(f"the Docker Engine's disk is full ({error}); free space on it and run again")
    reason = " | ".join((error, *tail))
    if any(DISK_FULL in line.lower() for line in tail):
        return EngineError(f"The image {tag} can't be built for want of space: {step} failed with: {reason}")
    kind = BuildFailed if _FAULT.search(error) else EngineError
    return kind(f"The image {tag} can't be built: {step} failed with: {reason}")


def _plain(line: str) -> str:
    # What a build prints is shown on terminals: colours and other control characters are taken out.
    return "".join(character for character in _COLOUR.sub("", line) if character.isprintable()).strip()


@contextlib.contextmanager
def _faulty_dockerfile(tag: str) -> Iterator[None]:
    try:
        yield
    except APIError as error:
        if error.status_code != _BAD_REQUEST:
            raise
        raise BuildFailed(f"The image {tag} can't be built: {_plain(str(error.explanation))}") from error


@contextlib.contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Turn the SDK's errors in the block into an EngineError that says what was being done."""
    try:
        yield
    except APIError as error:
        reason = error.explanation or str(error)
        raise EngineError(f"The engine could not {doing}: {reason}") from error
    except FAILURES as error:
        raise EngineError(f"The engine went away while it was to {doing}: {error}") from error
