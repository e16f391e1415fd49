"""A folder as a source; no link of it is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.intake.sources.source import MAX_ENTRIES, Entry, Source, Unreadable
from skill2env.store.folders import read_regular

MAX_LEVELS = 100


@contextmanager
def folder(top: Path, origin: str) -> Iterator[Source]:
    """Give what is below a folder; folders named `.git` are passed over.

    Raises:
        UsageError: it can't be read, or has too many files or levels.
    """

    def load(path: str, entry: Entry) -> bytes:
        try:
            if entry.kind == "link":
                return os.fsencode((top / path).readlink())
            return read_regular(top / path, entry.size)
        except OSError as error:
            raise Unreadable(f"it can't be read ({error.strerror})") from error

    source = Source(origin, "", load)
    try:
        _walk(top, source)
    except OSError as error:
        raise UsageError(f"{error.filename} can't be read ({error.strerror}); make it readable") from error
    yield source


def _walk(top: Path, source: Source) -> None:
    pending, folders = [(top, "")], 0
    while pending:
        place, prefix = pending.pop()
        folders += 1
        if folders > MAX_ENTRIES or prefix.count("/") > MAX_LEVELS:
            raise UsageError(
                f"{top} has more than {MAX_ENTRIES:,} folders or {MAX_LEVELS} levels; name a part of it"
            )
        with os.scandir(place) as listing:
            for item in listing:
                path = prefix + item.name
                if item.is_dir(follow_symlinks=False):
                    if item.name.casefold() != ".git":
                        pending.append((Path(item.path), path + "/"))
                else:
                    source.add(path, _entry(item.stat(follow_symlinks=False)))


def _entry(status: os.stat_result) -> Entry:
    if stat.S_ISLNK(status.st_mode):
        return Entry("link", status.st_size)
    if not stat.S_ISREG(status.st_mode):
        return Entry("special")
    return Entry("file", status.st_size, bool(status.st_mode & stat.S_IXUSR))
