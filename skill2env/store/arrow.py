"""Row models as Arrow: the schema that `datasets` turns into features, and rows as tables of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from skill2env.models.base import Record
from skill2env.models.columns import Column, columns

_PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), bytes: pa.binary()}


def schema(model: type[Record]) -> Any:
    """Return the Arrow schema of a row model; free JSON is Arrow's JSON type, which `datasets` loads as `Json`."""
    return pa.schema([(column.name, _type(column, pa.json_())) for column in columns(model)])


def values(model: type[Record], row: Record) -> dict[str, Any]:
    """Return a row as plain values; each piece of free JSON is a text that keeps the order of its keys."""
    found = row.model_dump(mode="python")
    for column in columns(model):
        if column.base is dict:
            value = found[column.name]
            found[column.name] = [_text(one) for one in value] if column.many else _text(value)
    return found


def table(model: type[Record], rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows of plain values as a table; a key that is absent is null."""
    plain = pa.schema([(column.name, _type(column, pa.string())) for column in columns(model)])
    return pa.Table.from_pylist(list(rows), schema=plain).cast(schema(model))


def size(row: dict[str, Any]) -> int:
    """Return roughly how many bytes a row of plain values takes."""
    return sum(_size(value) for value in row.values())


def _type(column: Column, free: Any) -> Any:
    if column.parts:
        base = pa.struct([(part.name, _type(part, free)) for part in column.parts])
    else:
        base = free if column.base is dict else _PLAIN[column.base]
    return pa.list_(base) if column.many else base


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes)):
        return len(value)
    return sum(map(_size, value)) if isinstance(value, (list, tuple)) else 8


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
