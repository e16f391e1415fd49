"""A disk that is full: one sentence with the file, and what was there before stays."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from skill2env.errors import WorkspaceError
from skill2env.store.dataset import DatasetWriter
from skill2env.store.shards import Row, ShardWriter, read_shard
from skill2env.store.workspace import Workspace, write_text

ROW = Row("item", "id", "accepted", "{}", b"x")


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    path = tmp_path / "data/build/outcomes.parquet"
    with ShardWriter(path) as writer:
        writer.add(ROW)
    return path


def untouched(path: Path) -> bool:
    return list(read_shard(path)) == [ROW] and [found.name for found in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("what", ["write_table", "close"])
def test_a_shard_that_cannot_be_written(shard: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, what, full)
        told = r"outcomes\.parquet: can't be written .*free space"
        with pytest.raises(WorkspaceError, match=told), ShardWriter(shard) as writer:
            for _ in range(20):
                writer.add(ROW)
    assert untouched(shard)


def test_a_shard_that_cannot_be_begun(shard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pq, "ParquetWriter", full)
        with pytest.raises(WorkspaceError, match="can't be written"), ShardWriter(shard):
            pass
    assert untouched(shard)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_made_the_block_fail_is_told_and_not_that_the_file_cannot_be_closed(
    shard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "close", full)
        with pytest.raises(ZeroDivisionError), ShardWriter(shard):
            _ = 1 / 0
    assert untouched(shard)


def test_a_dataset_tells_what_made_its_block_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skill2env.store.dataset._SplitFile.drop", full)
    with pytest.raises(ZeroDivisionError), DatasetWriter(tmp_path / "dataset") as dataset:
        dataset._file("tasks", "train")
        _ = 1 / 0


def test_shards_that_killed_runs_have_begun_are_removed(shard: Path) -> None:
    shard.with_suffix(".part12345").write_text("half")
    with ShardWriter(shard) as writer:
        writer.add(ROW)
    assert untouched(shard)


def test_a_text_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text(tmp_path / "a.json", "old")
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", full)
        with pytest.raises(WorkspaceError, match=r"a\.json: can't be written \(No space left on device\)"):
            write_text(tmp_path / "a.json", "new")
        with pytest.raises(WorkspaceError, match=r"build\.json: can't be written"):
            Workspace(tmp_path).write_metrics("build", {})
    assert [(path.name, path.read_text()) for path in tmp_path.glob("*.json")] == [("a.json", "old")]
    assert list(tmp_path.glob(".*")) == []
