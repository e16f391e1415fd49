"""Strict readers for what an agent left: sizes first, then syntax, and a plain failure where either is wrong."""

from __future__ import annotations

import configparser
import csv
import hashlib
import io
import json
import math
import os
import shutil
import sqlite3
import stat
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

MAX_BYTES = 16 << 20
MAX_DEPTH = 100
MAX_ROWS = 1_000_000
_QUERY_SEC = 10
"""Bytes that a tar may have: its members, and headers in plenty."""


def fail(message: str) -> NoReturn:
    """Fail the test with a message and no traceback."""
    raise pytest.fail.Exception(message, pytrace=False) from None


def read_bytes(path: Path | str) -> bytes:
    """Return a regular file's bytes; fails where it is absent, no regular file, or above 16 MB."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        fail(f"{path} can't be read: {error.strerror}")
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
        os.close(handle)
        fail(f"{path} is no regular file of at most {MAX_BYTES} bytes")
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_BYTES)


def read_text(path: Path | str) -> str:
    """Return a file's text; it must be UTF-8, a byte order mark is dropped."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{path} is not UTF-8: {error.reason} at byte {error.start}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _json(text: str, where: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        fail(f"{where} is not valid JSON: {error}")
    _bounded(value, where)
    return value


def _bounded(value: Any, where: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return
    fail(f"{where} is nested more than {MAX_DEPTH} levels deep")


def _inner(value: Any) -> list[Any]:
    if isinstance(value, float) and not math.isfinite(value):
        fail("a number is too big")
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def read_json(path: Path | str) -> Any:
    """Return a JSON file's value: no NaN, no Infinity, no duplicate keys, at most 100 levels."""
    return _json(read_text(path), str(path))


def read_jsonl(path: Path | str) -> list[Any]:
    """Return the values of a JSON Lines file; empty lines at the end are allowed."""
    lines = read_text(path).rstrip("\n").split("\n")
    return [
        _json(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line or number < len(lines)
    ]


def read_csv(path: Path | str, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a CSV file by its header; duplicate header names and ragged rows fail."""
    text = read_text(path)
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row
        ]
    except csv.Error as error:
        fail(f"{path} is not valid CSV: {error}")
    if not rows:
        fail(f"{path} is empty")
    header = rows[0]
    if len(set(header)) != len(header):
        fail(f"{path}: a column name stands twice in the header")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            fail(f"{path}: row {number} has {len(row)} fields, the header has {len(header)}")
    return [dict(zip(header, row, strict=True)) for row in rows[1:]]


class _PlainLoader(yaml.SafeLoader):
    """A safe loader without aliases and with unique keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if len(set(map(repr, keys))) != len(keys):
            raise yaml.YAMLError("a key stands twice in one mapping")
        return super().construct_mapping(node, deep)


def read_yaml(path: Path | str) -> Any:
    """Return a YAML file's value: one document, safe types, no aliases, no duplicate keys."""
    try:
        return yaml.load(read_text(path), Loader=_PlainLoader)
    except (
        yaml.YAMLError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        fail(
            f"{path} is not valid YAML: {error}"
        )  # PyYAML's own constructors raise all of these on odd scalars


def read_toml(path: Path | str) -> dict[str, Any]:
    """Return a TOML file's value."""
    try:
        return tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        fail(f"{path} is not valid TOML: {error}")


def read_ini(path: Path | str) -> dict[str, dict[str, str]]:
    """Return an INI file as section to option to text; duplicates fail, nothing is interpolated."""
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(read_text(path))
    except (configparser.Error, AttributeError) as error:
        fail(f"{path} is not a valid INI file: {error}")
    return {name: dict(parser.items(name)) for name in parser.sections()}


def read_xml(path: Path | str) -> ElementTree.Element:
    """Return an XML file's root element; entity declarations fail."""
    text = read_text(path)
    if "<!ENTITY" in text:
        fail(f"{path} declares entities")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        fail(f"{path} is not valid XML: {error}")


def query(path: Path | str, sql: str, params: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of one statement over a copy of a SQLite file, opened read-only, within ten seconds.

    The file's own views and functions are not trusted (sqlite.org, "Defense Against The Dark Arts"), and what it yields is
    bounded: at most 16 MB a value and a million rows.
    """
    read_bytes(path)
    folder = Path(tempfile.mkdtemp(dir="/scratch"))
    deadline = time.monotonic() + _QUERY_SEC
    try:
        copy = shutil.copyfile(path, folder / "copy.sqlite")
        database = sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)
        try:
            for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
                database.execute(f"PRAGMA {pragma}")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            database.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
            rows = database.execute(sql, params).fetchmany(MAX_ROWS + 1)
            if len(rows) > MAX_ROWS:
                fail(f"{path}: more than {MAX_ROWS} rows")
            return rows
        finally:
            database.close()
    except (sqlite3.Error, UnicodeError) as error:
        fail(f"{path}: {error}")
    finally:
        shutil.rmtree(folder)


def digest(path: Path | str) -> str:
    """Return the sha256 (hex) of a file."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def near(actual: object, expected: float, tol: float) -> bool:
    """Return whether a value is a finite real number within `tol` of the expected one; text and booleans are not."""
    if isinstance(actual, bool) or not isinstance(actual, (int, float)):
        return False
    try:
        return math.isfinite(actual) and abs(actual - expected) <= tol
    except OverflowError:
        return False
