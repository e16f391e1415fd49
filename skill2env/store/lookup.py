"""Finds single outcomes of a shard by their item, so that shards can be read side by side in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from skill2env.errors import WorkspaceError
from skill2env.store.shards import Row, unreadable

_GROUPS_KEPT = 2


class Lookup:
    """A shard by item id: the ids and kinds of all rows, and the contents of the last few row groups, are in memory."""

    def __init__(self, path: Path) -> None:
        """Open a shard and read its ids.

        Raises:
            WorkspaceError: the file is missing or damaged.
        """
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._kinds: dict[str, str] = {}
        self._groups: OrderedDict[int, list[dict[str, Any]]] = OrderedDict()
        try:
            self._file = pq.ParquetFile(path)
            for group in range(self._file.num_row_groups):
                ids = self._file.read_row_group(group, columns=["item_id", "kind"]).to_pylist()
                for offset, row in enumerate(ids):
                    self._places[row["item_id"]] = (group, offset)
                    self._kinds[row["item_id"]] = row["kind"]
        except (OSError, pa.ArrowException) as error:
            raise self._damaged(error) from error

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def ids(self, kind: str) -> tuple[str, ...]:
        """Return the ids of all items with an outcome of a kind, sorted."""
        return tuple(sorted(item for item, found in self._kinds.items() if found == kind))

    def kind(self, item_id: str) -> str:
        """Return the kind of an item's outcome; empty where the shard has no such item."""
        return self._kinds.get(item_id, "")

    def get(self, item_id: str) -> Row | None:
        """Return an item's outcome, or None.

        Raises:
            WorkspaceError: the file is damaged.
        """
        if item_id not in self._places:
            return None
        group, offset = self._places[item_id]
        if group not in self._groups:
            self._groups[group] = self._read(group)
            while len(self._groups) > _GROUPS_KEPT:
                self._groups.popitem(last=False)
        self._groups.move_to_end(group)
        return Row(**self._groups[group][offset])

    def costs(self) -> Iterator[tuple[str, str]]:
        """Yield the kind of each outcome, and what it has cost as JSON; empty where that was not counted.

        Raises:
            WorkspaceError: the file is damaged.
        """
        try:
            known = "cost" in self._file.schema_arrow.names
            for batch in self._file.iter_batches(columns=["kind", "cost"] if known else ["kind"]):
                for row in batch.to_pylist():
                    yield row["kind"], row.get("cost") or ""
        except (OSError, pa.ArrowException) as error:
            raise self._damaged(error) from error

    def _read(self, group: int) -> list[dict[str, Any]]:
        try:
            rows: list[dict[str, Any]] = self._file.read_row_group(group).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise self._damaged(error) from error
        return rows

    def _damaged(self, error: Exception) -> WorkspaceError:
        return unreadable(self._path, error)
