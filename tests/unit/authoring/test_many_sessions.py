"""A small number of the sessions of `make bench`: memory does not grow with them, and disk grows by what is said."""

from __future__ import annotations

from pathlib import Path

from authoring import many
from authoring.script import turns

from skill2env.llm.recorder import kept
from skill2env.store.results import ResultStore


def test_sessions_leave_nothing_in_memory_and_little_on_disk(tmp_path: Path) -> None:
    figures = many.hold_many(tmp_path, 10)
    assert figures.completions == 10 * len(turns(many.SESSION.name))
    assert figures.growth_mb < 10
    assert figures.disk_bytes / figures.sessions < many.SESSION_BYTES
    store = ResultStore(tmp_path / "results.sqlite")
    try:
        longest = max(len(recorded.ask.messages) for recorded in kept(store))
    finally:
        store.close()
    assert longest > 20, "the whole conversation can be had back"
