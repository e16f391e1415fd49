"""Columns of the dataset as the row models declare them: type, meaning, and whether a value may vary from run to run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import Field

from skill2env.models.base import Record

_JSON_TEXT = "JSON text"

JsonText = Annotated[str, _JSON_TEXT]
"""A text that holds one JSON value."""
JsonObject = dict[str, Any]
"""A value that keeps exactly its own keys when the dataset is loaded (the `Json` feature)."""


def measured(default: Any = ...) -> Any:
    """Return a field that may vary from run to run although nothing has changed; fingerprints leave it out."""
    return Field(default=default, json_schema_extra={"measured": True})


@dataclass(frozen=True)
class Column:
    """One column, or one key of a column that holds records."""

    name: str
    base: type
    """str, int, float, bool, bytes, dict (free JSON) or Record (see `parts`)."""
    many: bool
    """Whether a value is a list of `base`."""
    nullable: bool
    """Whether a value, or an element of the list, may be null."""
    parts: tuple[Column, ...]
    """The keys of each record."""
    json_text: bool
    """Whether the text holds JSON."""
    measured: bool
    """Whether it may vary from run to run although nothing has changed."""
    meaning: str
    """The field's docstring."""

    @property
    def type_name(self) -> str:
        """The type in words, for documentation."""
        names = {str: "text", int: "int", float: "float", bool: "bool", bytes: "bytes", dict: "JSON object"}
        keys = "{" + ", ".join(part.name for part in self.parts) + "}"
        name = _JSON_TEXT if self.json_text else keys if self.parts else names[self.base]
        return ("list of " if self.many else "") + name + (" or null" if self.nullable else "")


def columns(model: type[Record]) -> tuple[Column, ...]:
    """Return the columns of a row model, in order."""
    found = []
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        base, many, nullable = _taken_apart(field.annotation)
        found.append(
            Column(
                name=name,
                base=Record if issubclass(base, Record) else base,
                many=many,
                nullable=nullable,
                parts=columns(base) if issubclass(base, Record) else (),
                json_text=_JSON_TEXT in field.metadata,
                measured=isinstance(extra, dict) and bool(extra.get("measured")),
                meaning=" ".join((field.description or "").split()),
            )
        )
    return tuple(found)


def _taken_apart(annotation: Any) -> tuple[type, bool, bool]:
    """Return the base type of an annotation, whether it is a list, and whether it or its elements may be null.

    Raises:
        TypeError: a type that has no column type.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _taken_apart(arguments[0])
    if origin in (Union, UnionType) and NoneType in arguments:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        base, many, _ = _taken_apart(inner)
        return base, many, True
    if origin is tuple:
        base, _, nullable = _taken_apart(arguments[0])
        return base, True, nullable
    if origin is Literal or (isinstance(annotation, type) and issubclass(annotation, StrEnum)):
        return str, False, False
    if origin is dict:
        return dict, False, False
    if annotation in (str, int, float, bool, bytes) or (
        isinstance(annotation, type) and issubclass(annotation, Record)
    ):
        return annotation, False, False
    raise TypeError(f"no column can hold {annotation}")
