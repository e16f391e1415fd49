"""The ledger and the columns of cost: every outcome is in them, and each is in them once."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from unit.publish import made

from skill2env.commands import stages
from skill2env.models.chat import Spent, Tokens
from skill2env.models.cost import Cost
from skill2env.params import Params
from skill2env.stages.context import Context
from skill2env.stages.publish import publish
from skill2env.store.dataset import rows
from skill2env.store.results import ResultStore
from skill2env.store.shards import Row

ASKED = Spent(completions=2, requests=3, tokens=Tokens(input=800, cached=500, output=200), money=0.5)
COSTS = {
    "parse": Cost(wall_sec=1),
    "draft": Cost(wall_sec=10, models={"plan": ASKED, "write": ASKED + ASKED}),
    "build": Cost(wall_sec=2, cpu_sec=1.5, stored_bytes=1000),
    "validate": Cost(wall_sec=40, cpu_sec=20.25, stored_bytes=4000),
    "rollout": Cost(wall_sec=100, cpu_sec=5, stored_bytes=100, models={"rollout": ASKED}),
}


def _published(root: Path, uncounted: str = "", **world: Any) -> tuple[Path, dict[str, Any]]:
    """Publish hand-made shards in which everything of a stage costs the same; return the dataset and the ledger."""

    def costly(stage: str, row: Row) -> Row:
        return dataclasses.replace(row, cost="" if stage == uncounted else COSTS[stage].model_dump_json())

    outcomes = made.outcomes(made.World(**world)).items()
    workspace = made.write(root, {stage: [costly(stage, row) for row in found] for stage, found in outcomes})
    publish(Context(workspace, Params(), ResultStore(workspace.results)))
    return workspace.dataset, workspace.read_metrics("ledger") or {}


def test_refused_and_errored_items_are_paid_for_by_the_accepted_tasks(tmp_path: Path) -> None:
    _, ledger = _published(tmp_path, refused=True, errored=True)
    items = {stage: sums["items"] for stage, sums in ledger["stages"].items()}
    whole = sum(items[stage] * COSTS[stage].wall_sec for stage in items)
    assert ledger["total"]["wall_sec"] == pytest.approx(whole)
    assert ledger["total"]["wall_sec"] == pytest.approx(
        sum(sums["wall_sec"] for sums in ledger["outcomes"].values())
    )
    assert ledger["outcomes"]["errored"]["wall_sec"] == 2, "one task could not be built"
    assert ledger["outcomes"]["rejected"]["wall_sec"] == 1 + 2 * 10 + 2 + 40 + 100
    tasks = ledger["accepted_tasks"]
    assert ledger["per_accepted_task"]["wall_sec"] == pytest.approx(whole / tasks, abs=0.01)
    assert ledger["models"]["write"]["input_tokens"] == 1600 * items["draft"]
    assert ledger["models"]["rollout"]["cached_tokens"] == 500 * items["rollout"]
    spent = 1.5 * items["draft"] + 0.5 * items["rollout"]
    assert ledger["per_accepted_task"]["usd"] == pytest.approx(spent / tasks)


def test_each_task_and_each_refused_item_says_what_it_cost(tmp_path: Path) -> None:
    dataset, _ = _published(tmp_path, refused=True)
    task = next(rows(dataset, "tasks"))
    assert (task["wall_sec"], task["cpu_sec"], task["stored_bytes"]) == (142, 26.75, 5100)
    assert (task["tokens"], task["cost_usd"]) == (1000, 0.5)
    assert json.loads(task["costs"])["validate"]["cpu_sec"] == 20.25
    refused = {row["stage"]: row for row in rows(dataset, "rejected")}
    assert (refused["draft"]["wall_sec"], refused["draft"]["tokens"], refused["draft"]["cost_usd"]) == (
        10,
        3000,
        1.5,
    )
    assert refused["validate"]["stored_bytes"] == 4000


def test_what_was_not_counted_is_said_and_never_taken_for_nothing(tmp_path: Path) -> None:
    dataset, ledger = _published(tmp_path, uncounted="validate")
    assert ledger["stages"]["validate"]["uncounted"] == ledger["stages"]["validate"]["items"] > 0
    assert {row["wall_sec"] for row in rows(dataset, "tasks")} == {None}


def test_a_run_ends_with_what_it_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _published(tmp_path, refused=True)
    (tmp_path / "params.yaml").write_text("")
    console = Console(record=True, width=200)
    monkeypatch.setattr(stages, "out", console)
    stages.publish(root=tmp_path)
    told = console.export_text()
    assert "models: rollout" in told
    assert "per accepted task, failures included: " in told.splitlines()[-1]
