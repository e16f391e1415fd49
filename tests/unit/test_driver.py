"""The driver: one outcome for each input, in order, kept as it comes, and nothing done twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skill2env import pipeline
from skill2env.errors import EngineDown, EngineError, TooManyErrors
from skill2env.models.base import Record
from skill2env.models.outcome import Accepted, Rejected
from skill2env.params import DriverParams, Params
from skill2env.pipeline import run_stage, write_funnel
from skill2env.stages.context import Context, Done, Item
from skill2env.store.results import ResultStore
from skill2env.store.shards import read_shard
from skill2env.store.workspace import Workspace


class Doubled(Record):
    """What the stage below makes."""

    value: int


class Doubling:
    """A stage over numbers: odd ones are rejected, those in `failing` meet a broken engine."""

    NAME = "doubling"
    VERSION = "1"

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers
        self.failing: set[int] = set()
        self.error: type[EngineError] = EngineError
        self.applied: list[int] = []

    def items(self, context: Context) -> Iterator[Item]:
        for number in self.numbers:
            yield Item(f"n{number}", str(number), number)

    def settings(self, context: Context, item: Item) -> Any:
        return None

    def apply(self, item: Item, context: Context) -> Done:
        self.applied.append(item.value)
        if item.value in self.failing:
            raise self.error("the engine stumbled")
        if item.value % 2:
            return Done(Rejected(rule="odd", message="make it even"))
        return Done(Accepted[Doubled](record=Doubled(value=2 * item.value)), b"blob")

    def record(self) -> type[Record]:
        return Doubled


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Doubling:
    made = Doubling(range(50))
    monkeypatch.setitem(pipeline.STAGES, "doubling", made)
    return made


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    store = ResultStore(tmp_path / "data" / "store" / "results.sqlite")
    params = Params(driver=DriverParams(workers=4, max_errors=3))
    with Context(Workspace(tmp_path), params, store) as made:
        yield made
    store.close()


def test_each_input_has_one_outcome_in_order(stage: Doubling, context: Context) -> None:
    summary = run_stage("doubling", context)
    rows = list(read_shard(context.workspace.shard("doubling")))
    assert [row.item_id for row in rows] == [f"n{number}" for number in range(50)]
    assert (summary.inputs, summary.accepted, summary.rejected, summary.errored) == (50, 25, {"odd": 25}, 0)
    assert json.loads(rows[4].outcome)["record"] == {"value": 8}
    assert rows[4].blob == b"blob"
    assert context.workspace.read_metrics("doubling") == {
        "stage": "doubling",
        "inputs": 50,
        "accepted": 25,
        "rejected": {"odd": 25},
        "errored": 0,
    }


def test_what_is_answered_is_not_done_again(stage: Doubling, context: Context) -> None:
    run_stage("doubling", context)
    stage.numbers = range(52)
    stage.applied.clear()
    summary = run_stage("doubling", context)
    assert sorted(stage.applied) == [50, 51]
    assert (summary.executed, summary.reused) == (2, 50)


def test_another_version_does_everything_again(stage: Doubling, context: Context) -> None:
    run_stage("doubling", context)
    stage.VERSION = "2"
    assert run_stage("doubling", context).executed == 50


def test_errored_items_are_never_rejected_and_are_tried_again(stage: Doubling, context: Context) -> None:
    stage.failing = {7, 20}
    summary = run_stage("doubling", context)
    assert (summary.accepted, summary.rejected, summary.errored) == (24, {"odd": 24}, 2)
    stage.failing = set()
    stage.applied.clear()
    assert run_stage("doubling", context).errored == 0
    assert sorted(stage.applied) == [7, 20]


def test_too_many_errors_end_the_run_and_keep_what_was_answered(stage: Doubling, context: Context) -> None:
    stage.failing = set(range(0, 50, 5))
    with pytest.raises(TooManyErrors, match="run again"):
        run_stage("doubling", context)
    assert not context.workspace.shard("doubling").exists()
    stage.failing = set()
    answered = context.store.count("doubling")
    assert answered > 0
    assert run_stage("doubling", context).executed == 50 - answered


def test_an_engine_that_is_down_ends_the_run(stage: Doubling, context: Context) -> None:
    stage.failing, stage.error = {3}, EngineDown
    with pytest.raises(EngineDown):
        run_stage("doubling", context)


def test_the_funnel_is_a_table_for_plots(stage: Doubling, context: Context) -> None:
    run_stage("doubling", context)
    write_funnel(context.workspace)
    lines = context.workspace.metrics("funnel").with_suffix(".csv").read_text().splitlines()
    assert lines[0] == "stage,outcome,items"
    assert "doubling,inputs,50" in lines
    assert "doubling,accepted,25" in lines
