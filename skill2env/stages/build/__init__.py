"""The build stage: blueprint x level x seed becomes a task directory, with a world made by two independent executions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from skill2env.errors import UsageError
from skill2env.models.base import content_id
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.task import Task
from skill2env.models.tree import pack_gz, tree_id
from skill2env.params import BuildParams
from skill2env.sandbox.images import toolchain_text, verifier_text
from skill2env.stages.build.directory import Unfit, check_toolchain, task_tree, verifier_code_id
from skill2env.stages.build.worlds import MAKER, Order, WorldFault, make_world
from skill2env.stages.context import Context, Done, Item
from skill2env.store.shards import read_shard

NAME = "build"
VERSION = "1"


def items(context: Context) -> Iterator[Item]:
    """Yield every accepted blueprint at each wanted level with each wanted seed."""
    for row in read_shard(context.workspace.shard("draft"), "accepted"):
        blueprint = Accepted[Blueprint].model_validate_json(row.outcome).record
        yield from items_of(blueprint, row.input_id, row.blob, context.params.build)


def items_of(
    blueprint: Blueprint, input_id: str, static: bytes | None, params: BuildParams
) -> Iterator[Item]:
    """Yield the items of one blueprint; `static` is the archive of its static world files."""
    levels = [level for level in blueprint.spec.levels if level in params.levels]
    jobs = tuple((level, seed) for level in levels for seed in blueprint.spec.seeds[: params.max_seeds])
    for level, seed in jobs:
        task_id = f"{blueprint.blueprint_id}--{level}-s{seed}"
        yield Item(task_id, content_id([input_id, level, seed]), Order(blueprint, level, seed, jobs), static)


def settings(context: Context, item: Item) -> Any:
    """The toolchain's and the verifier's texts and code, and the bounds on a world."""
    toolchain = item.value.blueprint.spec.toolchain
    params = context.params.build
    texts = [toolchain_sha256(toolchain), verifier_sha256(toolchain)]
    return [texts, MAKER.id, verifier_code_id(), params.world_sec, params.max_world_mb]


def apply(item: Item, context: Context) -> Done:
    """Make one task."""
    order: Order = item.value
    try:
        check_toolchain(order)
        first, second = make_world(order, item.blob, context)
        tree, instruction = task_tree(order, first, item.item_id)
    except WorldFault as fault:
        return Done(Rejected(rule="world", message=str(fault), findings=fault.findings))
    except Unfit as unfit:
        return Done(Rejected(rule=unfit.rule, message=str(unfit), findings=unfit.findings))
    toolchain = order.blueprint.spec.toolchain
    task = Task(
        task_id=item.item_id,
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
    return Done(Accepted[Task](record=task), pack_gz(tree))


def record() -> type[Task]:
    """Return the type of an accepted record."""
    return Task


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
