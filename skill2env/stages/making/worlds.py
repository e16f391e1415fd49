"""Executes `world.py` in containers without network, twice, and normalises what it made."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field, ValidationError

from skill2env.errors import EngineError, Skill2EnvError
from skill2env.models.base import Record, canonical_json, content_id
from skill2env.models.blueprint import Blueprint, Level
from skill2env.models.outcome import Finding, Severity
from skill2env.models.task import WorldRun
from skill2env.models.tree import BadTree, Node, Tree, below, pack, pack_gz, text_file, tree_id, unpack
from skill2env.models.trial import Perturbation
from skill2env.sandbox.protocol import SandboxSpec
from skill2env.stages.context import Context
from skill2env.trial.dialogue import Dialogue, Silence, boot
from skill2env.trial.perturbation import ELSEWHERE, PLAIN

KIND = "world"
_MEMORY_MB = 1024
_PIDS = 256
_TRUTH_BYTES = 4 << 20
_GRACE_SEC = 30
_LINE = re.compile(r"[0-9]{1,9}")
_UNKEEPABLE = (
    "what world.py returned holds NaN, an infinity, half a character or too many levels; plant plain facts"
)
_FORBIDDEN = ("tests", "solution", "logs", "proc", "sys", "dev", "tmp", "opt/verifier")


@dataclass(frozen=True)
class Order:
    """One world that is wanted, and all that are wanted of the same blueprint."""

    blueprint: Blueprint
    level: Level
    seed: int
    jobs: tuple[tuple[Level, int], ...]


class WorldFault(Skill2EnvError):
    """`world.py` failed or made what no world may hold."""

    def __init__(self, message: str) -> None:
        """Keep the sentence, and the line of world.py where it begins with one."""
        super().__init__(message)
        line = message.split(":")[1] if message.startswith("world.py:") else "0"
        self.findings = (
            Finding(
                code="world",
                severity=Severity.ERROR,
                message=message.split(": ", 1)[-1],
                file="world.py",
                line=int(line) if _LINE.fullmatch(line) else 0,
            ),
        )


class _Answer(Record):
    """What the maker said of one world."""

    ok: bool
    error: str
    truth: dict[str, Any]
    facts: dict[str, Any]
    bytes: Annotated[int, Field(ge=0, le=128 << 20)]


class World(Record):
    """One execution's result; the tree travels as packed bytes."""

    truth: dict[str, Any]
    """The planted facts."""
    facts: dict[str, Any]
    """What the instruction may show."""
    run: WorldRun
    """Hashes of what was made."""
    error: str
    """What went wrong; empty where nothing did."""
    seconds: float
    """Wall seconds until the answer came."""


@dataclass(frozen=True)
class Made:
    """One execution's result with its tree: `world/...` and `hidden/...`."""

    tree: Tree
    truth: dict[str, Any]
    facts: dict[str, Any]
    run: WorldRun
    seconds: float


class Maker:
    """The code that runs in the container."""

    @cached_property
    def code(self) -> Tree:
        """The package as a tree."""
        folder = files("skill2env.worldkit")
        return {
            f"worldkit/{name}": text_file((folder / name).read_text("utf-8"))
            for name in ("__init__.py", "maker.py")
        }

    @cached_property
    def id(self) -> str:
        """Content id of the code."""
        return tree_id(self.code)


MAKER = Maker()


def make_world(order: Order, static: bytes | None, context: Context) -> tuple[Made, Made]:
    """Return two independent executions' results, which a gate compares.

    The first asked world of a blueprint has all of its missing worlds made, in two containers: starting one costs more than
    most worlds.

    Raises:
        WorldFault: `world.py` failed, or made something that no world may hold.
        EngineError: the infrastructure failed.
    """
    with context.lock(f"world {order.blueprint.blueprint_id}"):
        key = _key(order.blueprint, order.level, order.seed, context)
        if context.store.get(f"{key}.1") is None:
            _make_all(order, static, context)
    pair = []
    for number in (1, 2):
        stored = context.store.get(f"{key}.{number}")
        if stored is None:
            raise EngineError(f"the world of {order.blueprint.blueprint_id} was not made")
        world = World.model_validate_json(stored.outcome)
        if world.error:
            raise WorldFault(world.error)
        pair.append(Made(unpack(stored.blob or b""), world.truth, world.facts, world.run, world.seconds))
    return pair[0], pair[1]


def _key(blueprint: Blueprint, level: Level, seed: int, context: Context) -> str:
    params = context.params.build
    return content_id(
        [
            KIND,
            MAKER.id,
            blueprint.blueprint_id,
            blueprint.world,
            blueprint.world_files_sha256,
            blueprint.spec.knob_values(level),
            [level, seed, blueprint.spec.toolchain, blueprint.spec.packages.model_dump()],
            [params.world_sec, params.max_world_mb],
        ]
    )


def _make_all(order: Order, static: bytes | None, context: Context) -> None:
    keys = {job: _key(order.blueprint, *job, context) for job in order.jobs}
    missing = [job for job in order.jobs if context.store.get(f"{keys[job]}.1") is None]
    first = _execute(order.blueprint, missing, static, context, PLAIN)
    second = _execute(order.blueprint, missing, static, context, ELSEWHERE)
    for job, *results in zip(missing, first, second, strict=True):
        for number, (world, tree) in ((2, results[1]), (1, results[0])):
            item = f"{order.blueprint.blueprint_id}/{job[0]}-s{job[1]}"
            context.store.put(f"{keys[job]}.{number}", KIND, item, world.model_dump_json(), pack_gz(tree))


def _execute(
    blueprint: Blueprint,
    jobs: list[tuple[Level, int]],
    static: bytes | None,
    context: Context,
    around: Perturbation,
) -> list[tuple[World, Tree]]:
    """Run `world.py` for each job in one container and return the normalised results."""
    limit = context.params.build.world_sec
    spec = SandboxSpec(
        context.toolchain(blueprint.spec.toolchain),
        "world",
        blueprint.blueprint_id,
        len(jobs) * limit + _GRACE_SEC,
        memory_mb=_MEMORY_MB,
        cpus=1,
        pids=_PIDS,
        env=around.env,
        hostname=around.hostname,
    )
    archive = pack(unpack(static)) if static else b""
    header = {
        "blueprint": blueprint.blueprint_id,
        "world": blueprint.world,
        "bytes": len(archive),
        "timeout_sec": limit,
        "jobs": [
            {"level": level, "seed": seed, "knobs": blueprint.spec.knob_values(level)} for level, seed in jobs
        ],
    }
    results = []
    with context.engine().pipe(spec, ("python3", "-B", "-c", boot("/skill2env", "worldkit.maker"))) as stream:
        try:
            dialogue = Dialogue(stream, MAKER.code)
            dialogue.send(header, archive)
            for _ in jobs:
                results.append(_result(dialogue, limit, context.params.build.max_world_mb))
        except (Silence, EngineError) as failure:
            if not context.engine().alive():
                raise EngineError(
                    f"{blueprint.blueprint_id}: the world could not be made ({failure})"
                ) from failure
            lost = World(
                truth={}, facts={}, run=_EMPTY, error=f"world.py broke its container: {failure}", seconds=0
            )
            results += [(lost, {})] * (len(jobs) - len(results))
    return results


_EMPTY = WorldRun(tree_sha256="", truth_sha256="")


def _result(dialogue: Dialogue, limit: int, max_mb: int) -> tuple[World, Tree]:
    began = time.monotonic()
    try:
        answer = _Answer.model_validate(dialogue.line(limit + _GRACE_SEC))
    except ValidationError:
        raise Silence("the answer is malformed") from None
    answer = _keepable(answer)
    data = dialogue.bytes(answer.bytes, _GRACE_SEC)
    seconds = time.monotonic() - began
    error, tree = answer.error, Tree()
    if answer.ok:
        try:
            tree = _normalised(unpack(data))
            error = _unfit(tree, answer, max_mb)
        except BadTree as bad:
            error = f"world.py made what no world may hold: {bad}"
    paths = tuple(
        (path, content_id([node.kind, node.mode, node.data.hex()])[:16])
        for path, node in sorted(tree.items())
    )
    hidden = {path: node for path, node in tree.items() if path.startswith("hidden/")}
    truth_id = content_id([answer.truth, answer.facts, tree_id(hidden)])
    run = WorldRun(tree_sha256=tree_id(below(tree, "world")), truth_sha256=truth_id, paths=paths)
    return World(truth=answer.truth, facts=answer.facts, run=run, error=error, seconds=seconds), tree


def _keepable(answer: _Answer) -> _Answer:
    """Return an answer, or in the place of one that can't be stored and read again, one that says so."""
    try:
        canonical_json(answer.model_dump()).encode("utf-8")
        _Answer.model_validate_json(answer.model_dump_json())
    except (ValueError, RecursionError):
        return _Answer(ok=False, error=_UNKEEPABLE, truth={}, facts={}, bytes=answer.bytes)
    return answer


def _normalised(tree: Tree) -> Tree:
    """Return the tree with plain modes, and without entries for folders that are merely on the way."""
    parents = {path[:at] for path in tree for at, letter in enumerate(path) if letter == "/"}
    kept: Tree = {}
    for path, node in tree.items():
        if node.kind == "dir" and path in parents and node.mode == 0o755:
            continue
        kept[path] = Node(node.kind, node.data, node.mode)
    return kept


def _unfit(tree: Tree, answer: _Answer, max_mb: int) -> str:
    size = sum(len(node.data) for node in tree.values())
    if size > max_mb << 20:
        return (
            f"the world has {size >> 20} MB, more than build.max_world_mb allows ({max_mb}); make it smaller"
        )
    if len(str(answer.truth)) > _TRUTH_BYTES:
        return f"the truth has more than {_TRUTH_BYTES} characters; keep facts in it, and files in world.hide"
    for path in below(tree, "world"):
        if any(path == place or path.startswith(f"{place}/") for place in _FORBIDDEN):
            return f"world.py writes /{path}; keep out of {', '.join('/' + place for place in _FORBIDDEN)}"
    return ""
