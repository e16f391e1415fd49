"""The build stage: blueprint x level x seed becomes a task directory, with a world made by two independent executions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skill2env.models.base import content_id
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.task import Task
from skill2env.params import BuildParams
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.making.directory import Unfit, verifier_code_id
from skill2env.stages.making.task import make_task, orders, task_id_of, toolchain_sha256, verifier_sha256
from skill2env.stages.making.worlds import MAKER, WorldFault
from skill2env.store.shards import read_shard

NAME = "build"
VERSION = "2"


def items(context: Context) -> Iterator[Item]:
    """Yield every accepted blueprint at each wanted level with each wanted seed."""
    for row in read_shard(context.workspace.shard("draft"), "accepted"):
        blueprint = Accepted[Blueprint].model_validate_json(row.outcome).record
        yield from items_of(blueprint, row.input_id, row.blob, context.params.build)


def items_of(
    blueprint: Blueprint, input_id: str, static: bytes | None, params: BuildParams
) -> Iterator[Item]:
    """Yield the items of one blueprint; `static` is the archive of its static world files."""
    for order in orders(blueprint, params):
        task_id = task_id_of(blueprint, order.level, order.seed)
        yield Item(task_id, content_id([input_id, order.level, order.seed]), order, static)


def settings(context: Context, item: Item) -> Any:
    """The toolchain's and the verifier's texts and code, and the bounds on a world."""
    toolchain = item.value.blueprint.spec.toolchain
    params = context.params.build
    texts = [toolchain_sha256(toolchain), verifier_sha256(toolchain)]
    return [texts, MAKER.id, verifier_code_id(), params.world_sec, params.max_world_mb]


def apply(item: Item, context: Context) -> Done:
    """Make one task."""
    try:
        task, archive = make_task(item.value, item.blob, context)
    except WorldFault as fault:
        return Done(Rejected(rule="world", message=str(fault), findings=fault.findings))
    except Unfit as unfit:
        return Done(Rejected(rule=unfit.rule, message=str(unfit), findings=unfit.findings))
    return Done(Accepted[Task](record=task), archive)


def record() -> type[Task]:
    """Return the type of an accepted record."""
    return Task
