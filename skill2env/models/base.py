"""The base of every record, and canonical JSON, from which content ids are made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value; unknown keys are refused and docstrings under fields describe the columns."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    def record_id(self) -> str:
        """Return the sha256 (hex) of the record's canonical JSON."""
        return content_id(self.model_dump(mode="json"))


def printable(name: str) -> str:
    """Return a file name as valid Unicode; bytes that are none are written as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, no NaN, not ASCII-escaped.

    Raises:
        ValueError: the value holds NaN or an infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_id(value: Any) -> str:
    """Return the sha256 (hex) of a value's canonical JSON; lone surrogates are kept as they are."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def some(names: Sequence[str], most: int) -> str:
    """Return the first names as a list, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
