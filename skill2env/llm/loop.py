"""One event loop in a thread of its own, in which the requests of all callers' threads run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import TypeVar

from skill2env.errors import ModelError

T = TypeVar("T")


class Loop:
    """Runs coroutines for callers that are no coroutines; safe under threads."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._closing = False
        self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Return what a coroutine returns, or raise what it raises; it is cancelled when the caller is interrupted.

        Raises:
            ModelError: the loop was closed before it came to its end.
        """
        if self._closing:
            work.close()
            raise ModelError("the connections to the models are closed; run again")
        return self._run(work)

    def close(self, *last: Coroutine[object, object, None]) -> None:
        """End what still runs, then run the last ones, and end the thread."""
        self._closing = True
        for work in (_cancel_others(), *last):
            self._run(work)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[object, object, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise ModelError(
                "the connections to the models were closed while a request was under way; run again"
            ) from None
        except BaseException:
            future.cancel()
            raise


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
