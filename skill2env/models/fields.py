"""Kinds of text that blueprints are made of: names, paths, regular expressions, references to lines."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SOURCE = re.compile(r"^[\w./-]+:\d+(-\d+)?$")
_ABSOLUTE = re.compile(
    r"^/(?!proc(/|$)|sys(/|$)|dev(/|$)|tests(/|$)|solution(/|$)|logs(/|$))[\w.@+-]+(/[\w.@+-]+)*$"
)


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a valid regular expression: {error}") from None
    return text


def is_slug(text: str) -> bool:
    """Return whether a text may be a `Slug`."""
    return len(text) <= SLUG_CHARS and bool(_SLUG.fullmatch(text))


def is_source(text: str) -> bool:
    """Return whether a text is FILE:LINE or FILE:FIRST-LAST."""
    return bool(_SOURCE.match(text))


def _source(text: str) -> str:
    if not is_source(text):
        raise ValueError("write FILE:LINE or FILE:FIRST-LAST, for instance SKILL.md:12-16")
    return text


def _absolute(text: str) -> str:
    if not _ABSOLUTE.match(text) or ".." in text.split("/"):
        raise ValueError(
            "write an absolute path of plain characters outside /proc, /sys, /dev, /tests, /solution and /logs"
        )
    return text


def spans(reference: str) -> tuple[str, int, int]:
    """Return file, first line and last line of a reference such as `SKILL.md:12-16`, which must be well-formed."""
    file, _, span = reference.rpartition(":")
    first, _, last = span.partition("-")
    return file, int(first), int(last or first)


Regex = Annotated[str, AfterValidator(_regex)]
Source = Annotated[str, AfterValidator(_source)]
AbsolutePath = Annotated[str, AfterValidator(_absolute)]
SLUG_CHARS = 64
Slug = Annotated[str, Field(pattern=rf"^{_SLUG.pattern}$", max_length=SLUG_CHARS)]
SnakeCase = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Line = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]+$")]
