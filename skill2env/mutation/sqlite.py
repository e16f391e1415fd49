"""Mutants of SQLite files: rows, values, and what the schema holds."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator

from skill2env.mutation.mutant import Change, Changes, Operator, short

_TABLES = 4
_VALUES: tuple[tuple[Operator, str], ...] = (
    ("null", "NULL"),
    ("zero", "CASE typeof({c}) WHEN 'text' THEN '' ELSE 0 END"),
    ("perturb", "CASE typeof({c}) WHEN 'text' THEN {c} || 'x' ELSE {c} + 1 END"),
    ("retype", "CASE typeof({c}) WHEN 'text' THEN CAST({c} AS BLOB) ELSE 'v' || {c} END"),
)


def mutate_sqlite(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed databases; a change that the database's own constraints refuse is left out.

    Raises:
        ValueError: it can't be read.
    """
    try:
        with _opened(data) as database:
            objects = database.execute(
                "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
            ).fetchall()
            tables = [name for kind, name in objects if kind == "table"]
            counts = {
                name: database.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0]
                for name in tables
            }
            columns = {
                name: [row[1] for row in database.execute(f"PRAGMA table_info({_quoted(name)})")]
                for name in tables
            }
    except sqlite3.Error as error:
        raise ValueError(str(error)) from None
    filled = [name for name in tables if counts[name] and columns[name]]
    for table in rng.sample(filled, min(len(filled), _TABLES)):
        column = rng.choice(columns[table])
        row = rng.randrange(counts[table])
        where = f"rowid = (SELECT rowid FROM {_quoted(table)} LIMIT 1 OFFSET {row})"
        statements: list[tuple[Operator, str, str]] = [
            ("drop", f"row {row} of {table} is gone", f"DELETE FROM {_quoted(table)} WHERE {where}"),
            ("truncate", f"{table} is empty", f"DELETE FROM {_quoted(table)}"),
        ]
        for operator, value in _VALUES:
            named = _quoted(column)
            what = f"{table}.{column} of row {row}: {operator}"
            statements.append(
                (
                    operator,
                    what,
                    f"UPDATE {_quoted(table)} SET {named} = {value.format(c=named)} WHERE {where}",
                )
            )
        for operator, what, sql in statements:
            yield from _changed(data, operator, what, sql)
    extras = [(kind, name) for kind, name in objects if kind != "table"]
    for kind, name in rng.sample(extras, min(len(extras), 2)):
        yield from _changed(
            data, "drop", f"the {kind} {short(name)} is gone", f"DROP {kind.upper()} {_quoted(name)}"
        )


def _changed(data: bytes, operator: Operator, what: str, sql: str) -> Iterator[Change]:
    with contextlib.suppress(sqlite3.Error), _opened(data) as database:
        before = database.total_changes
        database.execute(sql)
        database.commit()
        if database.total_changes != before or sql.startswith("DROP"):
            yield Change(operator, what, database.serialize())


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """Open a copy in memory; the file's own functions and views are not trusted."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(_without_wal(data))
        database.execute("PRAGMA trusted_schema=OFF")
        database.set_progress_handler(None, 0)
        yield database
    finally:
        database.close()


def _without_wal(data: bytes) -> bytes:
    """Return a database that says of itself that it keeps no write-ahead log, which one in memory can't have."""
    return data[:18] + b"\x01\x01" + data[20:] if data[18:20] == b"\x02\x02" else data


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
