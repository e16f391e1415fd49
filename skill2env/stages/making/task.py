"""One task of a blueprint at a level with a seed: its world, its directory, and what is to be known of it."""

from __future__ import annotations

import hashlib
from typing import Any

from skill2env.errors import UsageError
from skill2env.models.blueprint import Blueprint, Level
from skill2env.models.task import Task
from skill2env.models.tree import pack_gz, tree_id
from skill2env.params import BuildParams
from skill2env.sandbox.images import toolchain_text, verifier_text
from skill2env.stages.context import Context
from skill2env.stages.making.directory import check_toolchain, task_tree
from skill2env.stages.making.worlds import Order, make_world


def orders(blueprint: Blueprint, params: BuildParams) -> tuple[Order, ...]:
    """Return what is wanted of one blueprint: each level with each seed that `build.max_seeds` allows.

    Their worlds are made together, and with them those of the seeds that the tasks are compared with.
    """
    levels = [level for level in blueprint.spec.levels if level in params.levels]
    seeds = blueprint.spec.seeds[: params.max_seeds]
    others = [other for seed in seeds if (other := other_seed(blueprint, seed)) is not None]
    jobs = tuple((level, seed) for level in levels for seed in dict.fromkeys((*seeds, *others)))
    return tuple(Order(blueprint, level, seed, jobs) for level in levels for seed in seeds)


def other_seed(blueprint: Blueprint, seed: int) -> int | None:
    """Return the seed whose right outputs must be wrong for this one; None where the blueprint says that there is none."""
    seeds = blueprint.spec.seeds
    if blueprint.spec.seed_independent or len(seeds) < len(("this", "another")):
        return None
    return seeds[(seeds.index(seed) + 1) % len(seeds)]


def task_id_of(blueprint: Blueprint, level: Level, seed: int) -> str:
    """Return `<skill>--<blueprint>--<level>-s<seed>`."""
    return f"{blueprint.blueprint_id}--{level}-s{seed}"


def make_task(order: Order, static: bytes | None, context: Context) -> tuple[Task, bytes]:
    """Return a task and its packed directory; `static` is the archive of the blueprint's static world files.

    Raises:
        WorldFault: `world.py` failed, or made something that no world may hold.
        Unfit: the blueprint can't become a task.
        EngineError: the infrastructure failed.
    """
    check_toolchain(order)
    first, second = make_world(order, static, context)
    task_id = task_id_of(order.blueprint, order.level, order.seed)
    tree, instruction = task_tree(order, first, task_id)
    toolchain = order.blueprint.spec.toolchain
    task = Task(
        task_id=task_id,
        content_id=tree_id(tree),
        blueprint=order.blueprint,
        level=order.level,
        seed=order.seed,
        instruction=instruction,
        truth=first.truth,
        facts=first.facts,
        world_runs=(first.run, second.run),
        toolchain_sha256=toolchain_sha256(toolchain),
        verifier_sha256=verifier_sha256(toolchain),
        build_sec=first.seconds + second.seconds,
    )
    return task, pack_gz(tree)


def toolchain_sha256(toolchain: str) -> str:
    """Return the sha256 of a toolchain's Dockerfile text; unknown toolchains have their own."""
    return _text_sha256(toolchain_text, toolchain)


def verifier_sha256(toolchain: str) -> str:
    """Return the sha256 of a toolchain's verifier's Dockerfile text."""
    return _text_sha256(verifier_text, toolchain)


def _text_sha256(text: Any, toolchain: str) -> str:
    try:
        return hashlib.sha256(text(toolchain).encode()).hexdigest()
    except UsageError:
        return "unknown"
