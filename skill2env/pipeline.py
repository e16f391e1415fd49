"""The stage table, and the one driver that runs a stage: each input gets exactly one outcome, kept as it comes."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

from skill2env.errors import EndpointUnusable, EngineDown, EngineError, ModelError, TooManyErrors
from skill2env.meter import metered
from skill2env.models.base import content_id
from skill2env.models.cost import Cost
from skill2env.models.outcome import Accepted, Errored, Rejected
from skill2env.stages import build, draft, parse, rollout, validate
from skill2env.stages.context import Context, Item, Stage
from skill2env.store.costs import add_cost, kept_cost
from skill2env.store.shards import Row, ShardWriter
from skill2env.store.workspace import Workspace, write_text

STAGES: dict[str, Stage] = {stage.NAME: stage for stage in (parse, draft, build, validate, rollout)}
"""The stages that answer item by item, in the order in which data flows."""

Progress = Callable[[int, int, str], None]
"""Called with the number of finished items, the number of items known so far, and the last finished item."""


@dataclass(frozen=True)
class Summary:
    """What became of the inputs of one stage in one run."""

    stage: str
    inputs: int
    accepted: int
    rejected: dict[str, int]
    """Count by rule."""
    errored: int
    executed: int
    """Items that were worked on in this run."""
    reused: int
    """Items whose outcome was in the store."""
    seconds: float
    figures: dict[str, float]
    """Sums that the stage reports."""

    def counts(self) -> dict[str, Any]:
        """Return what does not vary from run to run, JSON-able."""
        return {
            "stage": self.stage,
            "inputs": self.inputs,
            "accepted": self.accepted,
            "rejected": dict(sorted(self.rejected.items())),
            "errored": self.errored,
        }


def run_stage(name: str, context: Context, progress: Progress = lambda *_: None) -> Summary:
    """Run one stage over its inputs, write its shard and its metrics, and return the summary.

    Outcomes are stored one by one as they come, so a run that is killed at any moment is taken up where it was.

    Raises:
        TooManyErrors: more items errored than `driver.max_errors`.
        EngineDown: an item needed the engine, and none answers.
        WorkspaceError: `data/` can't be written.
        UsageError: the corpus or the parameters are wrong.
    """
    stage = STAGES[name]
    began = time.monotonic()
    kinds: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    executed = reused = 0
    context.figures.clear()
    with ShardWriter(context.workspace.shard(name)) as shard:
        for item, answer in answers(stage, stage.items(context), context, progress):
            cost = answer.cost.model_dump_json() if answer.cost else ""
            shard.add(Row(item.item_id, item.input_id, answer.kind, answer.outcome, answer.blob, cost))
            kinds[answer.kind] += 1
            rules.update([answer.rule] if answer.rule else [])
            executed += answer.fresh
            reused += not answer.fresh
            if kinds["errored"] > context.params.driver.max_errors:
                raise TooManyErrors(
                    f"{name}: {kinds['errored']} items met infrastructure errors, the last one {item.item_id}: {answer.outcome}; "
                    "see `skill2env doctor`, then run again: what was answered is kept"
                )
    summary = Summary(
        stage=name,
        inputs=sum(kinds.values()),
        accepted=kinds["accepted"],
        rejected=dict(rules),
        errored=kinds["errored"],
        executed=executed,
        reused=reused,
        seconds=time.monotonic() - began,
        figures=dict(context.figures),
    )
    context.workspace.write_metrics(name, summary.counts())
    return summary


@dataclass(frozen=True)
class Answer:
    """One item's outcome as it goes into the shard."""

    kind: str
    outcome: str
    blob: bytes | None
    rule: str
    fresh: bool
    cost: Cost | None = None
    """What the work on it has cost in all runs; None where that was not counted, as in older ones."""


def answers(
    stage: Stage, items: Iterable[Item], context: Context, progress: Progress = lambda *_: None
) -> Iterator[tuple[Item, Answer]]:
    """Yield every item with its answer, in the order of the items, with a bounded number of them in memory.

    Raises:
        EngineDown: an item needed the engine, and none answers.
        WorkspaceError: the store can't be written.
    """
    workers = context.params.driver.workers
    waiting: deque[tuple[Item, Future[Answer]]] = deque()
    known = done = 0
    pool = ThreadPoolExecutor(workers)
    try:
        for item in items:
            waiting.append((item, pool.submit(copy_context().run, _answer, stage, item, context)))
            known += 1
            while len(waiting) >= 4 * workers or (waiting and waiting[0][1].done()):
                first, future = waiting.popleft()
                yield first, future.result()
                done += 1
                progress(done, known, first.item_id)
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
            done += 1
            progress(done, known, first.item_id)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def kept_answers(
    stage: Stage, items: Iterable[Item], context: Context, progress: Progress = lambda *_: None
) -> Iterator[tuple[Item, Answer]]:
    """Yield the items that were answered before, as they are now and under these parameters, with their answers.

    Raises:
        WorkspaceError: the store can't be read.
    """
    for done, item in enumerate(items, 1):
        if answer := _kept(context, _key(stage, item, context)):
            yield item, answer
        progress(done, done, item.item_id)


def _key(stage: Stage, item: Item, context: Context) -> str:
    return content_id([stage.NAME, stage.VERSION, item.item_id, item.input_id, stage.settings(context, item)])


def _kept(context: Context, key: str) -> Answer | None:
    stored = context.store.get(key)
    if stored is None:
        return None
    return replace(_as_answer(stored.outcome, stored.blob, fresh=False), cost=kept_cost(context.store, key))


def _answer(stage: Stage, item: Item, context: Context) -> Answer:
    key = _key(stage, item, context)
    if kept := _kept(context, key):
        return kept
    meter = None
    try:
        with metered() as meter:
            answer = _worked(stage, item, context, key)
    finally:
        cost = add_cost(context.store, key, item.item_id, meter.cost) if meter else None
    return replace(answer, cost=cost)


def _worked(stage: Stage, item: Item, context: Context, key: str) -> Answer:
    """Work on an item, and keep what comes of it."""
    try:
        done = stage.apply(item, context)
    except (EngineDown, EndpointUnusable):
        raise
    except (EngineError, ModelError) as error:
        return Answer(
            "errored", Errored(message=f"{item.item_id}: {error}").model_dump_json(), None, "", True
        )
    outcome = done.outcome.model_dump_json()
    context.store.put(key, stage.NAME, item.item_id, outcome, done.blob)
    return _as_answer(outcome, done.blob, fresh=True)


def _as_answer(outcome: str, blob: bytes | None, fresh: bool) -> Answer:
    accepted = outcome.startswith('{"kind":"accepted"')
    if accepted:
        return Answer("accepted", outcome, blob, "", fresh)
    return Answer("rejected", outcome, blob, Rejected.model_validate_json(outcome).rule, fresh)


def accepted_record(stage: str, outcome: str) -> Any:
    """Return the record of an accepted outcome's JSON."""
    return Accepted[STAGES[stage].record()].model_validate_json(outcome).record  # type: ignore[misc]


def write_funnel(workspace: Workspace) -> None:
    """Write `metrics/funnel.csv`, which `dvc plots` draws: how many items each stage got and accepted."""
    lines = ["stage,outcome,items"]
    for name in STAGES:
        counts = workspace.read_metrics(name) or {}
        for outcome in ("inputs", "accepted"):
            lines.append(f"{name},{outcome},{counts.get(outcome, 0)}")
    write_text(workspace.metrics("funnel").with_suffix(".csv"), "\n".join(lines) + "\n")
