"""A task: one concrete Harbor task directory, made from a blueprint at a level with a seed."""

from __future__ import annotations

from typing import Any

from skill2env.models.base import Record, content_id
from skill2env.models.blueprint import Blueprint, Level


class WorldRun(Record):
    """What one execution of `world.py` made."""

    tree_sha256: str
    """Content id of the normalised world tree."""
    truth_sha256: str
    """Content id of truth, public facts and hidden files."""
    paths: tuple[tuple[str, str], ...] = ()
    """Path and sha256 of every file, as evidence where two runs differ."""


class Task(Record):
    """One task; its directory travels as the item's blob (a normalised tar)."""

    task_id: str
    """`<skill>--<blueprint>--<level>-s<seed>`."""
    content_id: str
    """sha256 over sorted relative paths, modes and file hashes of the task directory."""
    blueprint: Blueprint
    """What it was made from."""
    level: Level
    """Difficulty level."""
    seed: int
    """Seed of the world."""
    instruction: str
    """What the agent reads."""
    truth: dict[str, Any]
    """The planted facts; only the verifier sees them."""
    facts: dict[str, Any]
    """Public facts, which the instruction may show."""
    world_runs: tuple[WorldRun, ...]
    """The independent executions of `world.py`; all must agree."""
    toolchain_sha256: str
    """sha256 of the Dockerfile text of the toolchain that the environment starts from."""
    verifier_sha256: str
    """sha256 of the Dockerfile text of the verifier's image."""
    build_sec: float
    """Seconds spent in the executions of `world.py`."""

    def record_id(self) -> str:
        """Return the content id of all that validation depends on: the directory, the scripts, the images."""
        scripts = [script.model_dump(mode="json", exclude={"source"}) for script in self.blueprint.scripts]
        spec = self.blueprint.spec.model_dump(mode="json")
        runs = [run.model_dump(mode="json") for run in self.world_runs]
        return content_id([self.content_id, scripts, spec, runs, self.toolchain_sha256, self.verifier_sha256])
