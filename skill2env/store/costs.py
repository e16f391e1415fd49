"""What the work on each item has cost, in the result store beside its answer."""

from __future__ import annotations

from skill2env.models.base import content_id
from skill2env.models.cost import Cost
from skill2env.store.results import ResultStore

KIND = "cost"


def kept_cost(store: ResultStore, key: str) -> Cost | None:
    """Return what the work on the answer of a key has cost in all runs; None where it was not counted.

    Raises:
        WorkspaceError: the store can't be read.
    """
    stored = store.get(content_id([KIND, key]))
    return Cost.model_validate_json(stored.outcome) if stored else None


def add_cost(store: ResultStore, key: str, item: str, cost: Cost) -> Cost:
    """Add to what the work on the answer of a key has cost, also where no answer came of it, and return the sum.

    Raises:
        WorkspaceError: the store can't be read or written.
    """
    whole = (kept_cost(store, key) or Cost()) + cost
    store.put(content_id([KIND, key]), KIND, item, whole.model_dump_json())
    return whole
