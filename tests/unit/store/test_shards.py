"""Shards: whole or absent, read in a stream."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.errors import WorkspaceError
from skill2env.store.shards import Row, ShardWriter, read_shard


def rows(count: int) -> list[Row]:
    return [
        Row(
            f"item-{i}",
            f"id-{i}",
            "rejected" if i % 3 else "accepted",
            f'{{"n": {i}}}',
            bytes([i % 256]) * i or None,
        )
        for i in range(count)
    ]


def write(path: Path, given: list[Row]) -> None:
    with ShardWriter(path) as writer:
        for row in given:
            writer.add(row)


@pytest.mark.parametrize("count", [0, 1, 16, 17, 100])
def test_rows_come_back_in_order(tmp_path: Path, count: int) -> None:
    path = tmp_path / "data/parse/outcomes.parquet"
    write(path, rows(count))
    assert list(read_shard(path)) == rows(count)
    assert list(read_shard(path, "accepted")) == [row for row in rows(count) if row.kind == "accepted"]
    assert [entry.name for entry in path.parent.iterdir()] == ["outcomes.parquet"]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name / "outcomes.parquet", rows(40))
    assert (tmp_path / "a/outcomes.parquet").read_bytes() == (tmp_path / "b/outcomes.parquet").read_bytes()


def test_a_failed_block_leaves_the_old_shard(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.parquet"
    write(path, rows(3))
    with pytest.raises(ZeroDivisionError), ShardWriter(path) as writer:
        for row in rows(50):
            writer.add(row)
        _ = 1 / 0
    assert list(read_shard(path)) == rows(3)
    assert [entry.name for entry in tmp_path.iterdir()] == ["outcomes.parquet"]


def test_a_shard_is_not_there_before_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.parquet"
    with ShardWriter(path) as writer:
        for row in rows(40):
            writer.add(row)
        assert not path.exists()
    assert len(list(read_shard(path))) == 40


def test_text_of_any_kind_is_kept(tmp_path: Path) -> None:
    row = Row("\u00e9\u4e2d\U0001f600", "", "accepted", "\0\n\"'", b"")
    write(tmp_path / "s.parquet", [row])
    assert list(read_shard(tmp_path / "s.parquet")) == [row]


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"x" + data[1:-4] + b"nope"],
)
def test_a_damaged_shard_is_named(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "outcomes.parquet"
    write(path, rows(20))
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(WorkspaceError, match=r"outcomes\.parquet: can't be read"):
        list(read_shard(path))


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    told = r"build/outcomes\.parquet: is not there; run `skill2env build` first, or `dvc repro`"
    with pytest.raises(WorkspaceError, match=told):
        list(read_shard(tmp_path / "build" / "outcomes.parquet"))
