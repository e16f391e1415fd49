"""A source of skills as a value: paths with kind, size and mode; contents are read one by one, within bounds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Literal

from skill2env.errors import UsageError
from skill2env.intake.codes import Findings

MAX_ENTRIES = 300_000
"""Files of a source; the largest public collections of skills have some 100,000."""
MAX_FILE_BYTES = 20_000_000
"""A larger file belongs to no skill (parse takes 20 MB a folder)."""
MAX_READ_BYTES = 2_000_000_000
"""What is read of one source in all."""
MAX_LINK_BYTES = 4096
MAX_HOPS = 40
MAX_LEVELS = 100
MAX_PATH_CHARS = 4096
"""What Linux takes; the folders above a path are kept, each with its whole name."""


class Unreadable(Exception):
    """One entry can't be read; the message says why."""


@dataclass(frozen=True)
class Entry:
    """One thing of a source that is no folder."""

    kind: Literal["file", "link", "special"]
    size: int = 0
    executable: bool = False
    key: str = ""
    """What its content is known by where that is known before it is read; equal keys are equal contents."""


@dataclass
class Source:
    """Everything that may be imported from one place."""

    origin: str
    """What provenance says of it."""
    commit: str
    """Commit of a repository; else empty."""
    load: Callable[[str, Entry], bytes]
    """Returns at most `entry.size` bytes of a file, or a link's target; raises Unreadable."""
    entries: dict[str, Entry] = field(default_factory=dict)
    """By path, relative to the top."""
    findings: Findings = field(default_factory=Findings)
    """About the source as a whole."""
    guessed: bool = False
    """Whether the origin is only the last part of a path, which other sources may have too."""
    _digests: dict[str, str] = field(default_factory=dict)
    _read: int = 0

    def add(self, path: str, entry: Entry) -> None:
        """Take an entry in; one with an odd path is told of and left out.

        Raises:
            UsageError: there are too many.
        """
        parts = path.split("/")
        shown = ascii(path[:120])
        if "\0" in path or any(part in ("", ".", "..") or part.casefold() == ".git" for part in parts):
            self.findings.add(
                "entry-path", f"The path {shown} is absolute, climbs out, or leads into a .git folder."
            )
        elif len(parts) > MAX_LEVELS or len(path) > MAX_PATH_CHARS:
            message = f"The path {shown} has more than {MAX_LEVELS} levels or {MAX_PATH_CHARS} characters."
            self.findings.add("entry-path", message)
        elif path in self.entries:
            self.findings.add("entry-twice", f"The path {shown} stands twice in the archive; pack it anew.")
        else:
            self.entries[path] = entry
        if len(self.entries) > MAX_ENTRIES:
            raise UsageError(f"{self.origin} has more than {MAX_ENTRIES:,} files; name a part of it")

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            Unreadable: it is damaged, gone or too large.
            UsageError: too much of the source was read.
        """
        entry = self.entries[path]
        if entry.size > MAX_FILE_BYTES:
            raise Unreadable(f"it has {entry.size:,} bytes, more than {MAX_FILE_BYTES:,}")
        self._read += entry.size
        if self._read > MAX_READ_BYTES:
            raise UsageError(
                f"{self.origin}: its skills hold more than {MAX_READ_BYTES:,} bytes; import parts with --path"
            )
        return self.load(path, entry)

    def digest(self, path: str) -> str:
        """Return the sha256 (hex) of a file; equal contents are read once where the source knows them as equal.

        Raises:
            Unreadable: as `read` does.
            UsageError: as `read` does.
        """
        key = self.entries[path].key or f"path:{path}"
        if key not in self._digests:
            self._digests[key] = sha256(self.read(path)).hexdigest()
        return self._digests[key]

    @cached_property
    def paths(self) -> list[str]:
        """All paths, sorted."""
        return sorted(self.entries)

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Folder, "" for the top, to the names of its files and links.

        Raises:
            UsageError: there are too many folders.
        """
        found: dict[str, list[str]] = {"": []}
        for path in self.paths:
            parent, _, name = path.rpartition("/")
            while parent not in found:
                found[parent] = []
                parent = parent.rpartition("/")[0]
            if len(found) > MAX_ENTRIES:
                raise UsageError(f"{self.origin} has more than {MAX_ENTRIES:,} folders; name a part of it")
            found[path.rpartition("/")[0]].append(name)
        return found

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths below a folder, sorted."""
        prefix = f"{folder}/" if folder else ""
        for at in range(bisect_left(self.paths, prefix), len(self.paths)):
            if not self.paths[at].startswith(prefix):
                return
            yield self.paths[at]

    def resolved(self, path: str) -> str | None:
        """Return a path without links, or None where it leads out of the source, nowhere, or in a circle."""
        pending, done, hops = path.split("/")[::-1], list[str](), 0
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not done:
                    return None
                done.pop()
                continue
            at = "/".join([*done, part])
            entry = self.entries.get(at)
            if entry is None or entry.kind != "link":
                done.append(part)
                continue
            hops += 1
            target = self._target(at, entry)
            if hops > MAX_HOPS or target is None or target.startswith("/"):
                return None
            pending.extend(target.split("/")[::-1])
        real = "/".join(done)
        return real if real in self.entries or real in self.names else None

    def _target(self, path: str, entry: Entry) -> str | None:
        if entry.size > MAX_LINK_BYTES:
            return None
        try:
            return self.load(path, entry).decode("utf-8", "surrogateescape")
        except Unreadable:
            return None
