"""Makes the images that tasks stand on: the base, one per toolchain, and the verifier of each toolchain."""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

import docker
import yaml
from docker.errors import APIError, DockerException, ImageNotFound
from pydantic import ValidationError
from requests.exceptions import RequestException

from skill2env.errors import EngineError, UsageError
from skill2env.models.base import Record
from skill2env.sandbox.bootstrap import bootstrap
from skill2env.sandbox.contexts import as_tar, tar_of
from skill2env.sandbox.machine import Report

DOCKERFILES = Path(__file__).resolve().parents[2] / "dockerfiles"
SUFFIX = ".Dockerfile"
VERIFIER = "verifier"
FIRST_TOOLCHAIN = "shell"
"""The toolchain whose layers all others start with."""
LABELS = {"skill2env": "toolchain"}
PULL_SEC = 15
"""How long a registry may be silent before it counts as unreachable."""
BAD_REQUEST = 400
"""What the engine answers to a Dockerfile that it can't read."""
SILENCE_SEC = 300
"""How long a build may print nothing."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NOISE = ("---> ", "Removing intermediate container ")  # the builder's own lines
TAIL_LINES = 12
"""How many of a failing build's last lines are kept."""


class BuildFailed(EngineError):
    """A Dockerfile's step failed while the engine was well; building again will not help."""


class Pins(Record):
    """The content of `dockerfiles/pins.yaml`."""

    base: str
    """The dated tag that every image starts from."""
    suite: str
    """Debian's name of the release of `base`."""
    epoch: int
    """Time of the files of a bootstrapped base, in seconds since 1970."""
    verifier_apt: dict[str, str]
    """Version of each Debian package that the verifier's interpreter gets."""


@cache
def pins(folder: Path = DOCKERFILES) -> Pins:
    """The pinned versions.

    Raises:
        UsageError: `pins.yaml` is missing or not valid.
    """
    path = folder / "pins.yaml"
    try:
        return Pins.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error


def toolchains(folder: Path = DOCKERFILES) -> tuple[str, ...]:
    """Names of all toolchains, `shell` first since the others share its layers, then by name."""
    names = {path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")} - {VERIFIER}
    return tuple(sorted(names, key=lambda name: (name != FIRST_TOOLCHAIN, name)))


def toolchain_text(name: str, folder: Path = DOCKERFILES) -> str:
    """The self-contained Dockerfile text of a toolchain; a task's Dockerfile is this and then COPY.

    Raises:
        UsageError: there is no such toolchain.
    """
    if name not in toolchains(folder):
        known = ", ".join(toolchains(folder))
        raise UsageError(
            f"There is no toolchain {name!r}: use one of {known}, or add {name}{SUFFIX} to {folder}."
        )
    text = (folder / f"{name}{SUFFIX}").read_text("utf-8")
    return text.replace("@BASE@", pins(folder).base)


def verifier_text(name: str, folder: Path = DOCKERFILES) -> str:
    """The self-contained Dockerfile text of a toolchain's verifier image.

    Its first stage, the verifier's interpreter, is the same for all toolchains and is built once.

    Raises:
        UsageError: there is no such toolchain.
    """
    first, rest = toolchain_text(FIRST_TOOLCHAIN, folder).split("\n", 1)
    packages = pins(folder).verifier_apt
    text = (folder / f"{VERIFIER}{SUFFIX}").read_text("utf-8")
    for mark, value in {
        "@SHELL_AS_STAGE_VERIFIER@": f"{first} AS verifier\n{rest}",
        "@VERIFIER_APT@": " ".join(f"{package}='{version}'" for package, version in packages.items()),
        "@VERIFIER_PACKAGES@": " ".join(packages),
        "@TOOLCHAIN@": toolchain_text(name, folder),
    }.items():
        text = text.replace(f"{mark}\n", f"{value.rstrip()}\n").replace(mark, value)
    return text


def image_id(client: docker.DockerClient, tag: str) -> str | None:
    """The id of the image with this tag; None when the engine has none.

    Raises:
        EngineError: the engine did not answer.
    """
    with _engine_errors(f"look for the image {tag}"):
        try:
            return str(client.images.get(tag).id)
        except ImageNotFound:
            return None


def ensure_base(client: docker.DockerClient, report: Report) -> str:
    """The id of the base image: the one that is here, else pulled, else made from the Debian mirror.

    Raises:
        EngineError: it is not here, and could neither be pulled nor made.
    """
    pinned = pins()
    found = image_id(client, pinned.base)
    if found is not None:
        return found
    report(f"pulling {pinned.base}")
    return _pull(client, pinned.base) or bootstrap(client, pinned.base, pinned.suite, pinned.epoch, report)


def toolchain_tag(name: str, base_id: str) -> str:
    """The tag of a toolchain's image on the base with this id.

    Raises:
        UsageError: there is no such toolchain.
    """
    return _tag(f"skill2env-{name}", toolchain_text(name), base_id)


def verifier_tag(toolchain: str, base_id: str) -> str:
    """The tag of the image that judges tasks of a toolchain, on the base with this id.

    Raises:
        UsageError: there is no such toolchain.
    """
    return _tag(f"skill2env-verifier-{toolchain}", verifier_text(toolchain), base_id)


def ensure_toolchain(client: docker.DockerClient, name: str, report: Report) -> str:
    """The id of a toolchain's image, built if it is not here.

    Raises:
        UsageError: there is no such toolchain.
        EngineError: the base or the image could not be made.
    """
    tag = toolchain_tag(name, ensure_base(client, report))
    return _ensure(client, tag, toolchain_text(name), report)


def ensure_verifier(client: docker.DockerClient, toolchain: str, report: Report) -> str:
    """The id of a toolchain's verifier image, built if it is not here.

    Raises:
        UsageError: there is no such toolchain.
        EngineError: the base or the image could not be made.
    """
    tag = verifier_tag(toolchain, ensure_base(client, report))
    return _ensure(client, tag, verifier_text(toolchain), report)


def build_image(
    client: docker.DockerClient,
    context: Path | IO[bytes],
    tag: str,
    labels: Mapping[str, str],
    *,
    network: str | None = None,
    memory_mb: int | None = None,
    timeout_sec: float = 1200,
) -> str:
    """Build an image with the classic builder.

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
        EngineError: the engine went away, was silent for `SILENCE_SEC`, or the time was up.
    """
    memory = memory_mb * 2**20 if memory_mb else None
    with _engine_errors(f"build {tag}"), _faulty_dockerfile(tag), as_tar(context, pins().epoch) as archive:
        chunks = client.api.build(
            fileobj=archive,
            custom_context=True,
            tag=tag,
            labels=dict(labels),
            rm=True,
            forcerm=True,
            decode=True,
            network_mode=network,
            container_limits={"memory": memory, "memswap": memory} if memory else None,
            use_config_proxy=True,
            timeout=SILENCE_SEC,
        )
        with contextlib.closing(chunks):
            return _follow(chunks, tag, time.monotonic() + timeout_sec)


def _follow(chunks: Iterator[dict[str, Any]], tag: str, deadline: float) -> str:
    step, built, tail = "reading the Dockerfile", "", list[str]()
    for chunk in chunks:
        if time.monotonic() > deadline:
            raise EngineError(f"The image {tag} was not built in time; it was at: {step}.")
        if "error" in chunk:
            reason = " | ".join((_plain(str(chunk["error"])), *tail))
            raise BuildFailed(f"The image {tag} can't be built: {step} failed with: {reason}")
        built = chunk.get("aux", {}).get("ID", built)
        line = _plain(str(chunk.get("stream", "")))
        if line.startswith("Step "):
            step, tail = line, []
        elif line and not line.startswith(NOISE):
            tail = [*tail, line][-TAIL_LINES:]
    if not built:
        raise EngineError(f"The engine ended the build of {tag} without an image and without a reason.")
    return str(built)


def _plain(line: str) -> str:
    # What a build prints is shown on terminals: colours and other control characters are taken out.
    return "".join(character for character in COLOUR.sub("", line) if character.isprintable()).strip()


def _ensure(client: docker.DockerClient, tag: str, text: str, report: Report) -> str:
    if found := image_id(client, tag):
        return found
    report(f"building {tag}")
    return build_image(client, tar_of({"Dockerfile": text.encode()}, pins().epoch), tag, LABELS)


def _tag(name: str, text: str, base_id: str) -> str:
    digest = hashlib.sha256(f"{text}\n{base_id}".encode()).hexdigest()
    return f"{name}:{digest[:12]}"


def _pull(client: docker.DockerClient, tag: str) -> str | None:
    repository, _, name = tag.rpartition(":")
    usual, client.api.timeout = client.api.timeout, PULL_SEC
    try:
        for chunk in client.api.pull(repository, name, stream=True, decode=True):
            if "error" in chunk:
                return None
        return image_id(client, tag)
    except (DockerException, RequestException):
        return None
    finally:
        client.api.timeout = usual


@contextlib.contextmanager
def _faulty_dockerfile(tag: str) -> Iterator[None]:
    try:
        yield
    except APIError as error:
        if error.status_code != BAD_REQUEST:
            raise
        raise BuildFailed(f"The image {tag} can't be built: {_plain(str(error.explanation))}") from error


@contextlib.contextmanager
def _engine_errors(doing: str) -> Iterator[None]:
    try:
        yield
    except APIError as error:
        reason = error.explanation or str(error)
        raise EngineError(f"The engine could not {doing}: {reason}") from error
    except (DockerException, RequestException, OSError) as error:
        raise EngineError(f"The engine went away while it was to {doing}: {error}") from error
