"""The meter: counts what the work on one item costs, wherever it is spent, without anything being handed through."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skill2env.models.chat import Spent
from skill2env.models.cost import Cost


class Meter:
    """Sums; safe under threads."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.cost = Cost()
        self._lock = threading.Lock()

    def add(self, cost: Cost) -> None:
        """Count what was spent."""
        with self._lock:
            self.cost += cost


_RUNNING: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """Count what the block spends; other threads are told of the meter by a copy of the context.

    Where the block is itself a part of metered work in another thread, its CPU seconds and all else go to that work's account,
    whose wall seconds run already, and its own meter stays at nothing: so nothing is counted twice.
    """
    outer, meter = _RUNNING.get(), Meter()
    token = _RUNNING.set(outer or meter)
    wall, cpu = time.monotonic(), time.thread_time()
    try:
        yield meter
    finally:
        _RUNNING.reset(token)
        cpu = time.thread_time() - cpu
        if outer:
            outer.add(Cost(cpu_sec=cpu))
        else:
            meter.add(Cost(wall_sec=time.monotonic() - wall, cpu_sec=cpu))


def charge(
    cpu_sec: float = 0.0, stored_bytes: int = 0, purpose: str = "", spent: Spent | None = None
) -> None:
    """Count something for the item that is worked on; outside of such work it is counted nowhere."""
    if meter := _RUNNING.get():
        models = {purpose: spent} if spent else {}
        meter.add(Cost(cpu_sec=cpu_sec, stored_bytes=stored_bytes, models=models))
