"""Reads many skills with all cores: reading is pure Python, so that threads gain nothing."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TypeVar

ItemT = TypeVar("ItemT")
AnswerT = TypeVar("AnswerT")

MIN_ITEMS = 200
"""Fewer are read before the processes would have started."""
BATCH = 8
"""Items that a process takes at once; each alone would cost the asking process a twentieth of the reading."""
AHEAD = 8
"""Batches given to each process before the first answer is taken, which bounds memory."""


def reading_pool(workers: int = 0) -> ProcessPoolExecutor:
    """Return processes that have the reader loaded; as many as there are cores where no number is given."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["skill2env.stages.parse.stage"])
    return ProcessPoolExecutor(workers or os.cpu_count() or 1, mp_context=context, initializer=_settle)


def in_order(
    function: Callable[[ItemT], AnswerT], items: Iterable[ItemT], pool: ProcessPoolExecutor, workers: int
) -> Iterator[AnswerT]:
    """Yield a function's answer to each item, in their order, with a bounded number of them in memory."""
    waiting: deque[Future[list[AnswerT]]] = deque()
    rest = iter(items)
    while batch := tuple(islice(rest, BATCH)):
        waiting.append(pool.submit(_each, function, batch))
        if len(waiting) >= AHEAD * workers:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _each(function: Callable[[ItemT], AnswerT], batch: tuple[ItemT, ...]) -> list[AnswerT]:
    return [function(item) for item in batch]


def _settle() -> None:
    """Keep the collector away from what is loaded, and from looking at every few hundred tokens."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
