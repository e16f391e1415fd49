"""The store of results: whole results or none, under threads, processes and kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skill2env.errors import WorkspaceError
from skill2env.store.results import ResultStore, Stored

WRITER = """
import sys
from pathlib import Path
from skill2env.store.results import ResultStore
store = ResultStore(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while True:
    blob = bytes([number % 256]) * 200_000
    store.put(f"key-{number}", "kind", f"item-{number}", str(number), blob)
    print(number, flush=True)
    number += 1
"""


def test_what_was_put_is_got(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "deep/results.sqlite")
    assert store.get("a") is None
    store.put("a", "trial", "item", '{"x": "\u00e9"}', b"\0\1")
    store.put("b", "trial", "item", "{}")
    assert store.get("a") == Stored('{"x": "\u00e9"}', b"\0\1")
    assert store.get("b") == Stored("{}", None)
    store.put("a", "trial", "item", "new")
    assert store.get("a") == Stored("new", None)
    assert (store.count("trial"), store.count("world")) == (2, 0)


def test_results_outlive_the_store(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    store.put("a", "trial", "item", "1")
    store.close()
    assert ResultStore(tmp_path / "results.sqlite").get("a") == Stored("1", None)
    with pytest.raises(WorkspaceError):
        store.get("a")


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    barrier = threading.Barrier(8)

    def work(thread: int) -> list[bool]:
        barrier.wait()
        seen = []
        for number in range(40):
            key = f"{thread}-{number}"
            store.put(key, "kind", key, key * 50, key.encode())
            seen.append(store.get(key) == Stored(key * 50, key.encode()))
        return seen

    with ThreadPoolExecutor(8) as pool:
        results = [seen for found in pool.map(work, range(8)) for seen in found]
    assert results == [True] * 320
    assert store.count("kind") == 320


def test_two_stores_on_one_file_see_each_other(tmp_path: Path) -> None:
    one, other = (ResultStore(tmp_path / "results.sqlite") for _ in range(2))
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(
                lambda store: [store.put(f"{id(store)}-{i}", "kind", "", "") for i in range(100)],
                (one, other),
            )
        )
    assert one.count("kind") == other.count("kind") == 200


@pytest.mark.parametrize("patience", [0.05, 0.3])
def test_a_writer_that_is_killed_leaves_whole_results_only(tmp_path: Path, patience: float) -> None:
    path = tmp_path / "results.sqlite"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    assert process.stdout.readline() == "0\n"
    time.sleep(patience)
    os.kill(process.pid, signal.SIGKILL)
    told = [int(line) for line in process.stdout.read().split()]
    process.wait()
    store = ResultStore(path)
    last = max(told, default=0)
    for number in range(last + 1):
        assert store.get(f"key-{number}") == Stored(str(number), bytes([number % 256]) * 200_000)
    assert last + 1 <= store.count("kind") <= last + 2
    store.put("after", "kind", "", "well")
    assert store.get("after") == Stored("well", None)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_text("no database at all, but a text that is long enough")
    with pytest.raises(WorkspaceError, match=r"results\.sqlite: the result store can't be opened"):
        ResultStore(tmp_path / "results.sqlite")
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="can't be opened"):
        ResultStore(tmp_path / "file/results.sqlite")
