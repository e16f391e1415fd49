"""How many requests an endpoint gets at the same time, and how soon after each other."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Pace:
    """The limits of one endpoint, over all threads."""

    def __init__(self, concurrency: int, requests_per_minute: float | None) -> None:
        """Take the limits; None is none."""
        self._slots = threading.BoundedSemaphore(concurrency)
        self._apart = 60 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[float]:
        """Wait for a turn and hold it; gives the seconds that were waited."""
        began = time.monotonic()
        with self._slots:
            time.sleep(self._reserve())
            yield time.monotonic() - began

    def hold(self, seconds: float) -> None:
        """Let no request begin for a while, as the endpoint has asked for."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def _reserve(self) -> float:
        """Return the seconds until the next free time, which is then taken."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = max(self._next, at + self._apart)
            return at - now
