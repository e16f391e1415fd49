"""Makes the images that tasks stand on: the base, one per toolchain, and the verifier of each toolchain."""

from __future__ import annotations

import hashlib
from pathlib import Path

import docker
from docker.errors import ImageNotFound

from skill2env.errors import UsageError
from skill2env.sandbox.bootstrap import bootstrap
from skill2env.sandbox.building import BuildFailed, build_image, engine_errors
from skill2env.sandbox.contexts import tar_of
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.machine import Report
from skill2env.sandbox.pins import DOCKERFILES, Pins, pins

__all__ = [
    "DOCKERFILES",
    "BuildFailed",
    "Pins",
    "build_image",
    "ensure_base",
    "ensure_toolchain",
    "ensure_verifier",
    "image_id",
    "pins",
    "toolchain_tag",
    "toolchain_text",
    "toolchains",
    "verifier_tag",
    "verifier_text",
]

SUFFIX = ".Dockerfile"
VERIFIER = "verifier"
FIRST_TOOLCHAIN = "shell"
"""The toolchain whose layers all others start with."""
LABELS = {"skill2env": "toolchain"}
PULL_SEC = 15
"""How long a registry may be silent before it counts as unreachable."""


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
            f"There is no toolchain {name!r}: use one of {known}, or add {folder.name}/{name}{SUFFIX}."
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
    with engine_errors(f"look for the image {tag}"):
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
    except FAILURES:
        return None
    finally:
        client.api.timeout = usual
