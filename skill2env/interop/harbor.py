"""A task as a Harbor task directory (schema 1.4): Dockerfiles, task.toml, tests and solution.

Harbor's separate verifier mode is this project's own design: `artifacts` are the only things that the verifier's container
gets. The environment has no network through its compose file, since Harbor's own `no-network` mode needs images from a
registry.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from skill2env.models.blueprint import Blueprint, Packages

SCHEMA_VERSION = "1.4"
_BUILD_SEC = 1200
_STORAGE_MB = 4096
_JUDGE_SEC = 120
"""More than the judge needs beside the tests: whoever outlives it is found out by the judge, not by Harbor's clock, which
gives no reward at all."""

_COMPOSE = """services:
  main:
    network_mode: none
    init: true
    pids_limit: {pids}
    security_opt: [no-new-privileges]
    shm_size: 64m
    ulimits: {{nofile: 4096, core: 0, fsize: {file_bytes}}}
"""
_FILE_BYTES = 1 << 30
"""What one file may have: whoever copies a sparse file of a terabyte out of a container needs a terabyte."""

TEST_SH = """#!/bin/bash
start='import sys; sys.path.insert(0, "/tests"); from verifier.in_place import main; main()'
exec env -i PYTHONHASHSEED=0 /opt/verifier/bin/python -P -s -B -c "$start"
"""


def environment_dockerfile(toolchain_text: str, packages: Packages) -> str:
    """Return the environment's Dockerfile: the toolchain's text, pinned extras, and the world."""
    return f"{toolchain_text.rstrip()}\n{_extras(packages)}COPY world/ /\n"


def compose(pids: int, privileges: Sequence[str] | None = None) -> str:
    """Return a compose file with the limits that Harbor's own keys do not have.

    Args:
        pids: processes and threads.
        privileges: Linux capabilities that are kept, all others being dropped; None leaves the engine's own.
    """
    text = _COMPOSE.format(pids=pids, file_bytes=_FILE_BYTES)
    if privileges is not None:
        text += f"    cap_drop: [ALL]\n    cap_add: [{', '.join(privileges)}]\n"
    return text


def tests_dockerfile(verifier_text: str, packages: Packages) -> str:
    """Return the Dockerfile of Harbor's separate verifier: the verifier's text, the extras, and the tests."""
    return f"{verifier_dockerfile(verifier_text, packages)}COPY . /tests/\nRUN chmod -R go-rwx /tests\n"


def verifier_dockerfile(verifier_text: str, packages: Packages) -> str:
    """Return the verifier's text with the extras, so that delivered programs find what the agent had."""
    return f"{verifier_text.rstrip()}\n{_extras(packages)}"


def _extras(packages: Packages) -> str:
    lines = []
    if packages.apt:
        names = " ".join(f"'{name}'" for name in packages.apt)
        lines.append(
            f"RUN apt-get update -q && apt-get install -y -q --no-install-recommends {names} && rm -rf /var/lib/apt/lists/*"
        )
    if packages.pip:
        lines.append(f"RUN pip install -q --no-cache-dir --break-system-packages {' '.join(packages.pip)}")
    if packages.npm:
        lines.append(f"RUN npm install --global --silent {' '.join(packages.npm)}")
    return "".join(f"{line}\n" for line in lines)


def solve_sh(blueprint: Blueprint, canary: str) -> str:
    """Return the reference solution as one script, with its reasons as comments."""
    steps = "".join(f"\n# {step.why}\n{step.command}\n" for step in blueprint.reference.steps)
    return (
        f"#!/bin/bash\n# {canary}\n# Reference solution of {blueprint.blueprint_id}.\ncd /workspace\n{steps}"
    )


def judge_json(blueprint: Blueprint) -> str:
    """Return what the verifier must know when it grades in place."""
    spec = blueprint.spec
    return (
        json.dumps({"outputs": list(spec.outputs), "timeout_sec": spec.limits.verifier_sec}, indent=1) + "\n"
    )


def task_toml(
    blueprint: Blueprint,
    task_id: str,
    level: str,
    seed: int,
    metadata: dict[str, Any],
    verifier_memory_mb: int,
) -> str:
    """Return task.toml; Harbor refuses unknown keys outside `[metadata]`."""
    spec = blueprint.spec
    lines = [
        f"schema_version = {_value(SCHEMA_VERSION)}",
        f"artifacts = {_value(list(spec.outputs))}",
        "",
        "[task]",
        f"name = {_value(f'skill2env/{task_id}')}",
        'version = "1.0.0"',
        f"description = {_value(spec.title)}",
        f"authors = [{{ name = {_value(spec.author.name)} }}]",
        f"keywords = {_value([blueprint.skill_id, spec.archetype, spec.verifier_pattern, level])}",
        "",
        "[metadata]",
        *(f"{key} = {_value(value)}" for key, value in metadata.items()),
        f"level = {_value(level)}",
        f"seed = {seed}",
        "",
        "[agent]",
        f"timeout_sec = {float(spec.limits.agent_sec)}",
        'user = "root"',
        "",
        "[verifier]",
        f"timeout_sec = {float(spec.limits.verifier_sec + _JUDGE_SEC)}",
        'user = "root"',
        'environment_mode = "separate"',
        "",
        "[verifier.environment]",
        *_environment(1, verifier_memory_mb),
        "",
        "[environment]",
        *_environment(max(1, round(spec.limits.cpus)), spec.limits.memory_mb),
        'workdir = "/workspace"',
    ]
    return "\n".join(lines) + "\n"


def _environment(cpus: int, memory_mb: int) -> tuple[str, ...]:
    return (
        f"build_timeout_sec = {float(_BUILD_SEC)}",
        f"cpus = {cpus}",
        f"memory_mb = {memory_mb}",
        f"storage_mb = {_STORAGE_MB}",
        'network_mode = "public"',
    )


def _value(value: Any) -> str:
    """Return a string, number, boolean or list as TOML; JSON's forms of these are TOML's too."""
    return json.dumps(value, ensure_ascii=False)
