"""What the work on an item costs is counted once, wherever it is spent, also where it fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from skill2env import pipeline
from skill2env.errors import EngineError
from skill2env.meter import charge, metered
from skill2env.models.base import Record
from skill2env.models.chat import Spent, Tokens
from skill2env.models.cost import Cost
from skill2env.models.outcome import Accepted, Rejected
from skill2env.params import DriverParams, Params
from skill2env.pipeline import answers, run_stage
from skill2env.stages.context import Context, Done, Item
from skill2env.store.results import ResultStore
from skill2env.store.shards import read_shard
from skill2env.store.workspace import Workspace

PAID = Spent(completions=1, requests=2, tokens=Tokens(input=30, output=5), money=0.25)


def _burn(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_all_that_is_spent_in_a_block_is_counted_and_nothing_outside_of_it() -> None:
    charge(cpu_sec=100)
    with metered() as meter:
        charge(cpu_sec=2, stored_bytes=7)
        with ThreadPoolExecutor(4) as pool:
            for done in [
                pool.submit(copy_context().run, lambda: charge(purpose="write", spent=PAID))
                for _ in range(50)
            ]:
                done.result()
        _burn(0.02)
    charge(cpu_sec=100)
    assert meter.cost.stored_bytes == 7
    assert 2.02 <= meter.cost.cpu_sec < 5
    assert meter.cost.wall_sec >= 0.02
    assert meter.cost.models["write"].tokens == Tokens(input=1500, output=250)
    assert meter.cost.spent.money == pytest.approx(12.5)


def test_work_within_work_is_on_the_account_of_the_outer_one() -> None:
    inner: list[Cost] = []

    def within() -> None:
        with metered() as meter:
            charge(cpu_sec=3)
            _burn(0.02)
        inner.append(meter.cost)

    with metered() as outer:
        thread = threading.Thread(target=copy_context().run, args=(within,))
        thread.start()
        thread.join()
    assert inner == [Cost()]
    assert 3.02 <= outer.cost.cpu_sec < 4


class Made(Record):
    """What the stages below make."""


class Paying:
    """A stage whose items cost: the first is accepted, the second refused, the third meets a broken engine once."""

    NAME = "paying"
    VERSION = "1"

    def __init__(self) -> None:
        self.broken = True

    def items(self, _: Context) -> Iterator[Item]:
        for number in range(3):
            yield Item(f"n{number}", str(number), number)

    def settings(self, *_: Any) -> Any:
        return None

    def apply(self, item: Item, _: Context) -> Done:
        charge(cpu_sec=10**item.value, purpose="plan", spent=PAID)
        if item.value == 2 and self.broken:
            raise EngineError("it stumbled")
        return Done(Rejected(rule="odd", message="no") if item.value == 1 else Accepted[Made](record=Made()))

    def record(self) -> type[Record]:
        return Made


class Asking(Paying):
    """A stage whose only item runs the other stage, as an author runs the gates."""

    NAME = "asking"

    def items(self, _: Context) -> Iterator[Item]:
        yield Item("whole", "0", None)

    def apply(self, item: Item, context: Context) -> Done:
        paying = pipeline.STAGES["paying"]
        assert len(list(answers(paying, paying.items(context), context))) == 3
        return Done(Accepted[Made](record=Made()))


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setitem(pipeline.STAGES, "paying", Paying())
    monkeypatch.setitem(pipeline.STAGES, "asking", Asking())
    store = ResultStore(tmp_path / "results.sqlite")
    with Context(Workspace(tmp_path), Params(driver=DriverParams(workers=2)), store) as made:
        yield made
    store.close()


def _costs(stage: str, context: Context) -> dict[str, Cost]:
    run_stage(stage, context)
    return {
        row.item_id: Cost.model_validate_json(row.cost) for row in read_shard(context.workspace.shard(stage))
    }


def test_each_outcome_has_its_cost_refused_and_errored_ones_too(context: Context) -> None:
    first = _costs("paying", context)
    assert [round(first[name].cpu_sec) for name in ("n0", "n1", "n2")] == [1, 10, 100]
    assert all(cost.models == {"plan": PAID} and cost.wall_sec > 0 for cost in first.values())
    assert first["n0"].stored_bytes > first["n2"].stored_bytes == 0, "an errored item has no answer to keep"


def test_what_is_reused_keeps_its_cost_and_what_is_tried_again_costs_more(context: Context) -> None:
    first, again = _costs("paying", context), _costs("paying", context)
    assert (again["n0"], again["n1"]) == (first["n0"], first["n1"])
    assert again["n2"].models["plan"] == PAID + PAID


def test_gates_that_an_author_runs_are_on_its_account_and_counted_once(context: Context) -> None:
    (whole,) = _costs("asking", context).values()
    assert round(whole.cpu_sec) == 111
    assert whole.models["plan"].completions == 3
    later = _costs("paying", context)
    assert (later["n0"], later["n1"]) == (Cost(), Cost()), "they were paid for by whoever ran them"


def test_an_answer_from_before_costs_were_counted_has_none(context: Context) -> None:
    run_stage("paying", context)
    context.store._execute("DELETE FROM results WHERE kind = 'cost'", ())
    run_stage("paying", context)
    rows = {row.item_id: row.cost for row in read_shard(context.workspace.shard("paying"))}
    assert (rows["n0"], rows["n1"]) == ("", "")
