"""Which mutants a file has, by what is in it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import yaml

from skill2env.mutation import archives, programs, sqlite, tables, text
from skill2env.mutation.mutant import Change, Changes
from skill2env.mutation.values import changed_values

Mutate = Callable[[bytes, random.Random, bool], Changes]
"""Content, a generator, and whether order is known to matter, to changed contents. Raises ValueError for other content."""


def mutate_json(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed JSON documents, and two that mean the same."""
    document = json.loads(data)
    plain = data.decode()
    indent = 2 if "\n" in plain.strip() else None
    for made in changed_values(document, rng, ordered):
        text = json.dumps(made.new, indent=indent, ensure_ascii=False) + "\n"
        yield Change(made.operator, made.what, text.encode(), made.field)
    yield Change("null", "the whole becomes null", b"null\n")
    turned = json.dumps(_reversed_keys(document), indent=None if indent else 3, ensure_ascii=False)
    yield Change("same", "keys in reverse order, other white space", turned.encode())
    yield _newline(data)


def mutate_jsonl(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed JSON Lines, and two that mean the same."""
    rows = [json.loads(line) for line in data.decode().split("\n") if line.strip()]
    if not rows:
        raise ValueError("no rows")
    for made in changed_values(rows, rng, ordered):
        if isinstance(made.new, list):
            yield Change(made.operator, made.what, _lines(made.new), made.field)
    yield Change("same", "keys in reverse order", _lines([_reversed_keys(row) for row in rows]))
    yield _newline(data)


def mutate_yaml(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed YAML documents, and one that means the same."""
    try:
        document = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    if not isinstance(document, (dict, list)):
        raise ValueError("no mapping or list")
    for made in changed_values(document, rng, ordered):
        text = yaml.safe_dump(made.new, sort_keys=False, allow_unicode=True)
        yield Change(made.operator, made.what, text.encode(), made.field)
    yield Change("null", "the whole becomes null", b"null\n")
    yield _newline(data)
    if b"#" not in data:
        again = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, indent=6, default_style='"')
        yield Change("same", "every text in quotes, other indentation", again.encode())
    elif (wider := _COMMENT.sub(rb"\1    \2", data)) != data:
        yield Change("same", "more blanks before comments", wider)


_BY_SUFFIX: dict[str, Mutate] = {
    ".json": mutate_json,
    ".jsonl": mutate_jsonl,
    ".ndjson": mutate_jsonl,
    ".yaml": mutate_yaml,
    ".yml": mutate_yaml,
    ".csv": tables.mutate_table,
    ".tsv": tables.mutate_table,
    ".toml": text.mutate_settings,
    ".ini": text.mutate_settings,
    ".cfg": text.mutate_settings,
    ".conf": text.mutate_settings,
    ".env": text.mutate_settings,
    ".py": programs.mutate_python,
    ".sh": programs.mutate_shell,
}


_COMMENT = re.compile(rb"^(\s*[\w.-]+: [\w.-]+) +(#.*)$", re.MULTILINE)
"""A comment after a plain value."""

_DOCUMENTS = (".md", ".html", ".xml", ".rst", ".adoc", ".tex")
"""What is read from top to bottom: the order of its lines always matters."""


def mutations(path: str, data: bytes, rng: random.Random, ordered: bool) -> list[Change]:
    """Return the changes of one file: those of its format, and those that any file can have."""
    changes = [Change("drop", "the file is gone", None)]
    if data:
        changes.append(Change("empty", "the file is empty", b""))
    if len(data) > 1:
        changes.append(Change("truncate", "the second half is gone", data[: len(data) // 2]))
    in_order = ordered or PurePosixPath(path).suffix.lower() in _DOCUMENTS
    for mutate in (_by_content(path, data), text.mutate_text, archives.mutate_bytes):
        try:
            found = list(mutate(data, rng, in_order if mutate is text.mutate_text else ordered))
        except (ValueError, RecursionError):
            continue  # not what its name says: the next reader may know better
        if PurePosixPath(path).suffix.lower() in _DOCUMENTS:
            found.append(Change("same", "an empty line at the end", data + b"\n"))
        return [*changes, *(change for change in found if change.data != data)]
    return changes


def _by_content(path: str, data: bytes) -> Mutate:
    first = data[:64].split(b"\n")[0]
    if data.startswith(b"SQLite format 3\0"):
        return sqlite.mutate_sqlite
    if archives.is_archive(data):
        return archives.mutate_archive
    if first.startswith(b"#!"):
        return programs.mutate_python if b"python" in first else programs.mutate_shell
    known = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
    return known or (text.mutate_settings if text.is_settings(data) else text.mutate_text)


def _lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _newline(data: bytes) -> Change:
    if data.endswith(b"\n"):
        return Change("same", "no newline at the end", data.rstrip(b"\n"))
    return Change("same", "a newline at the end", data + b"\n")


def _reversed_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed_keys(value[key]) for key in reversed(value)}
    return [_reversed_keys(item) for item in value] if isinstance(value, list) else value
