"""Shards: the output of a stage as one parquet file, an outcome a row, read and written in a stream."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from skill2env.errors import WorkspaceError, remedy

_SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("input_id", pa.string()),
        ("kind", pa.string()),
        ("outcome", pa.large_string()),
        ("blob", pa.large_binary()),
        ("cost", pa.string()),
    ]
)
_BATCH = 16


@dataclass(frozen=True)
class Row:
    """One outcome of a stage: its item, the content id of its input, what became of it, and its bytes."""

    item_id: str
    input_id: str
    kind: str
    outcome: str
    blob: bytes | None
    cost: str = ""
    """What the work on it has cost, as JSON; empty where that was not counted."""


class ShardWriter:
    """Writes a shard beside its final name and moves it there at the end, so that it is whole or absent."""

    def __init__(self, path: Path) -> None:
        """Begin the shard that will be at `path`."""
        self._path = path
        self._part = path.with_suffix(f".part{os.getpid()}")
        self._rows: list[Row] = []

    def __enter__(self) -> Self:
        """Open the file; what killed runs have left of theirs is removed.

        Raises:
            WorkspaceError: it can't be written.
        """
        with _writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            for left in self._path.parent.glob(f"{self._path.stem}.part*"):
                left.unlink()
            self._writer = pq.ParquetWriter(self._part, _SCHEMA, compression="zstd")
        return self

    def add(self, row: Row) -> None:
        """Append one outcome.

        Raises:
            WorkspaceError: it can't be written.
        """
        self._rows.append(row)
        if len(self._rows) >= _BATCH:
            with _writing(self._path):
                self._flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file, or drop it where the block failed.

        Raises:
            WorkspaceError: it can't be written.
        """
        try:
            if kind is None:
                with _writing(self._path):
                    self._flush()
                    self._writer.close()
                    os.replace(self._part, self._path)
        finally:
            with contextlib.suppress(OSError, pa.ArrowException):
                self._writer.close()
            self._part.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._rows:
            columns = {name: [getattr(row, name) for row in self._rows] for name in _SCHEMA.names}
            self._writer.write_table(pa.table(columns, schema=_SCHEMA))
            self._rows.clear()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise WorkspaceError(f"{path}: can't be written ({error}); {remedy(error)} and run again") from error


def read_shard(path: Path, kind: str | None = None) -> Iterator[Row]:
    """Yield the rows of a shard, of one kind if it is named, a few in memory at a time.

    Raises:
        WorkspaceError: the file is missing or damaged.
    """
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for values in batch.to_pylist():
                    if kind is None or values["kind"] == kind:
                        yield Row(**values)
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> WorkspaceError:
    """Return what is to be said of a shard that is missing or damaged."""
    if isinstance(error, FileNotFoundError):
        stage = path.parent.name
        return WorkspaceError(
            f"{path}: is not there; run `skill2env {stage}` first, or `dvc repro`, which runs all stages"
        )
    return WorkspaceError(f"{path}: can't be read ({error}); run `dvc repro`, which makes it again")
