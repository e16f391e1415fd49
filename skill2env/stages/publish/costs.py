"""What tasks, refused items and the whole dataset have cost."""

from __future__ import annotations

from typing import Any

from skill2env.models.base import canonical_json
from skill2env.models.chat import Spent
from skill2env.models.cost import Cost
from skill2env.stages import ITEM_STAGES
from skill2env.stages.publish.inputs import Inputs, Published

_DIGITS = 3


def task_costs(published: Published) -> dict[str, Any]:
    """Return the columns that say what an accepted task has cost."""
    costs, made = published.costs, published.task.blueprint.made
    counted = ("build", "validate", "rollout") if published.rollout else ("build", "validate")
    whole = sum(costs.values(), Cost())
    columns = figures_of(whole)
    if not set(counted) <= costs.keys():
        columns |= {"wall_sec": None, "cpu_sec": None, "stored_bytes": None}
    if "rollout" not in costs:
        columns |= _attempts(published)
    if made:
        share, usd = (made.input_tokens + made.output_tokens) / published.siblings, columns["cost_usd"]
        columns["tokens"] += round(share)
        known = None if usd is None or made.money is None else usd + made.money / published.siblings
        columns["cost_usd"] = known
    by_stage = {stage: cost.model_dump(mode="json") for stage, cost in costs.items()}
    return {**columns, "costs": canonical_json(by_stage)}


def _attempts(published: Published) -> dict[str, Any]:
    """Return what the attempts of models have cost by what was recorded of them."""
    trials = [one.trial.model for one in (published.rollout.trajectories if published.rollout else ())]
    parts = [part for part in trials if part is not None]
    prices = [part.money for part in parts]
    return {
        "tokens": sum(part.tokens.input + part.tokens.output for part in parts),
        "cost_usd": None if None in prices else sum(price for price in prices if price is not None),
    }


def figures_of(cost: Cost) -> dict[str, Any]:
    """Return a cost as columns."""
    spent = cost.spent
    return {
        "wall_sec": round(cost.wall_sec, _DIGITS),
        "cpu_sec": round(cost.cpu_sec, _DIGITS),
        "stored_bytes": cost.stored_bytes,
        "tokens": spent.tokens.input + spent.tokens.output,
        "cost_usd": None if spent.unpriced else spent.money,
    }


def ledger(inputs: Inputs) -> dict[str, Any]:
    """Return what everything has cost, whatever came of it: by stage, by outcome, by purpose of models, and per accepted task.

    Items that were worked on before costs were counted are in no sum; `uncounted` says how many they are.
    """
    stages: dict[str, Any] = {}
    kinds: dict[str, Cost] = {kind: Cost() for kind in ("accepted", "rejected", "errored")}
    for stage in ITEM_STAGES:
        sums, items, uncounted = Cost(), 0, 0
        for kind, cost in inputs.costs(stage):
            items += 1
            uncounted += cost is None
            sums += cost or Cost()
            kinds[kind] += cost or Cost()
        stages[stage] = {"items": items, "uncounted": uncounted, **_sums(sums)}
    whole = sum(kinds.values(), Cost())
    return {
        "stages": stages,
        "outcomes": {kind: _sums(cost) for kind, cost in kinds.items()},
        "models": {purpose: _spent(spent) for purpose, spent in whole.models.items()},
        "total": _sums(whole),
        "accepted_tasks": len(inputs.tasks),
        "per_accepted_task": _per(whole, len(inputs.tasks)),
    }


def _sums(cost: Cost) -> dict[str, Any]:
    seconds = {"wall_sec": round(cost.wall_sec, 1), "cpu_sec": round(cost.cpu_sec, 1)}
    return {**seconds, "stored_bytes": cost.stored_bytes, **_spent(cost.spent)}


def _spent(spent: Spent) -> dict[str, Any]:
    """Return what models have cost; of those without a price the money is not known."""
    return {
        "completions": spent.completions,
        "requests": spent.requests,
        "input_tokens": spent.tokens.input,
        "cached_tokens": spent.tokens.cached,
        "output_tokens": spent.tokens.output,
        "usd": round(spent.money, 6),
        "unpriced": spent.unpriced,
        "model_sec": round(spent.seconds, 1),
    }


def _per(cost: Cost, tasks: int) -> dict[str, Any] | None:
    """Return the whole cost, failures included, for each accepted task; None without any."""
    if not tasks:
        return None
    spent = cost.spent
    return {
        "wall_sec": round(cost.wall_sec / tasks, 2),
        "cpu_sec": round(cost.cpu_sec / tasks, 2),
        "stored_bytes": cost.stored_bytes // tasks,
        "tokens": round((spent.tokens.input + spent.tokens.output) / tasks),
        "usd": None if spent.unpriced else round(spent.money / tasks, 6),
    }
