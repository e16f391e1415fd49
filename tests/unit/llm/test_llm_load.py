"""A thousand completions: memory and disk stay bounded, and nothing is lost."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from llm.clients import ask_many, scripted, throughput
from llm.server import Reply

CHARS = 40_000
BEFORE, TIMES = 200, 1000
MAX_GROWTH_MB = 12
"""Holding on to what the last 800 asked would take 32 MB."""
MAX_DISK_MB = 8
"""All of it is 40 MB as it stands; it repeats itself as a conversation does, and is kept compressed."""


def _resident_mb() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@pytest.mark.slow
def test_memory_and_disk_stay_bounded(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("Done."), tmp_path, endpoint={"concurrency": 4}, keep=1) as made:
        ask_many(made.client, BEFORE, threads=4, chars=CHARS)
        before = _resident_mb()
        ask_many(made.client, TIMES - BEFORE, threads=4, first=BEFORE, chars=CHARS)
        grown = _resident_mb() - before
        assert (made.server.count, made.store.count("completion")) == (TIMES, TIMES)
        assert made.client.ledger.now().completions == TIMES
    disk = sum(file.stat().st_size for file in tmp_path.iterdir()) / (1 << 20)
    print(f"{TIMES} completions: memory grew by {grown:.1f} MB, {disk:.1f} MB on disk")
    assert grown < MAX_GROWTH_MB
    assert disk < MAX_DISK_MB


def test_throughput_is_a_rate() -> None:
    rate = throughput(60)
    print(f"{rate:.0f} completions a second")
    assert rate > 2
