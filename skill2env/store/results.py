"""The content-addressed store of results: one SQLite file, written atomically as results come."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from skill2env.errors import WorkspaceError, remedy
from skill2env.meter import charge

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    item TEXT NOT NULL,
    outcome TEXT NOT NULL,
    blob BLOB
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Stored:
    """One stored result: JSON text, and bytes where the result has some."""

    outcome: str
    blob: bytes | None


class ResultStore:
    """Results by content key; safe under threads, several processes, and being killed at any moment.

    A result is either wholly there or not at all: SQLite's write-ahead log is the journal.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the store at `path`.

        Raises:
            WorkspaceError: the file can't be opened or is no store.
        """
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise WorkspaceError(
                f"{path}: the result store can't be opened ({error}); {_remedy(error)}"
            ) from error

    def get(self, key: str) -> Stored | None:
        """Return the result of a key, or None.

        Raises:
            WorkspaceError: the store can't be read.
        """
        row = self._execute("SELECT outcome, blob FROM results WHERE key = ?", (key,))
        return Stored(row[0][0], row[0][1]) if row else None

    def put(self, key: str, kind: str, item: str, outcome: str, blob: bytes | None = None) -> None:
        """Keep a result; the last one wins.

        Raises:
            WorkspaceError: the store can't be written, for instance because the disk is full.
        """
        self._execute(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", (key, kind, item, outcome, blob)
        )
        charge(stored_bytes=len(outcome) + len(blob or b""))

    def count(self, kind: str) -> int:
        """Return how many results of a kind are kept."""
        return int(self._execute("SELECT count(*) FROM results WHERE kind = ?", (kind,))[0][0])

    def keys(self, kind: str) -> list[str]:
        """Return the keys of all results of a kind, sorted."""
        return [
            str(row[0])
            for row in self._execute("SELECT key, NULL FROM results WHERE kind = ? ORDER BY key", (kind,))
        ]

    def close(self) -> None:
        """Close the file; the store can't be used afterwards."""
        with self._lock:
            self._db.close()

    def _execute(self, sql: str, values: tuple[object, ...]) -> list[tuple[str, bytes | None]]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise WorkspaceError(f"{self._path}: {error}; {_remedy(error)}") from error


def _remedy(error: OSError | sqlite3.Error) -> str:
    """Return what helps; nobody is told to delete a sound file, and with it what was answered, only since it can't be written."""
    if isinstance(error, OSError):
        return f"{remedy(error)} and run again"
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return "it is damaged, so delete it to start anew"
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
        return "make its folder yours to write, with free space, and run again"
    return "free space on the disk, or delete the file to start anew"
