"""Reads many skills with all cores: reading is pure Python, so that threads gain nothing."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")
AnswerT = TypeVar("AnswerT")

MIN_ITEMS = 200
"""Fewer are read before the processes would have started."""
AHEAD = 64
"""Items given to each process before the first answer is taken, which bounds memory."""


def reading_pool(workers: int = 0) -> ProcessPoolExecutor:
    """Return processes that have the reader loaded; as many as there are cores where no number is given."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["skill2env.stages.parse.stage"])
    return ProcessPoolExecutor(workers or os.cpu_count() or 1, mp_context=context, initializer=_settle)


def in_order(
    function: Callable[[ItemT], AnswerT], items: Iterable[ItemT], pool: ProcessPoolExecutor, workers: int
) -> Iterator[AnswerT]:
    """Yield a function's answer to each item, in their order, with a bounded number of them in memory."""
    waiting: deque[Future[AnswerT]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) >= AHEAD * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _settle() -> None:
    """Keep the collector away from what is loaded, and from looking at every few hundred tokens."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
