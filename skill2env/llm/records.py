"""Records on disk: what was asked and what was answered, one JSON object a line, shareable and free of keys."""

from __future__ import annotations

import json
import lzma
import os
import re
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from skill2env.errors import UsageError, WorkspaceError, remedy
from skill2env.llm.keys import Keys
from skill2env.models.base import Record
from skill2env.models.chat import Ask, Completion

_KEY = re.compile(rb'\{"key": ?"([0-9a-f]{64})"')
"""How a line begins that was written here, so that its key can be had without reading the rest."""
_PACKED = ".xz"
"""How the name of a compressed file ends. In a conversation each request repeats the ones before, which all but vanishes."""
MAX_UNPACKED_BYTES = 8 << 30
"""What a compressed file of records may hold; a few kilobytes of it can stand for any amount."""
MAX_LINE_BYTES = 256 << 20
_PIECE = 1 << 20
_KINDS = ("*.jsonl", f"*.jsonl{_PACKED}")


class Recorded(Record):
    """One request and its completion."""

    key: str
    """Content id of the request."""
    ask: Ask
    """The request."""
    completion: Completion
    """What came of it."""

    def line(self) -> str:
        """Return it as a line of JSON in ASCII, with its newline."""
        return json.dumps(self.model_dump(mode="json")) + "\n"


@dataclass(frozen=True)
class BadLine:
    """A line that is no record."""

    path: Path
    number: int
    fault: str

    def __str__(self) -> str:
        """Return file, line and fault."""
        return f"{self.path}:{self.number}: {self.fault}"


def files_of(places: Iterable[Path]) -> Iterator[Path]:
    """Yield files of records: those that are named, and the `*.jsonl` and `*.jsonl.xz` of the folders that are.

    Raises:
        UsageError: one is not there.
    """
    for place in places:
        if place.is_dir():
            yield from sorted(path for kind in _KINDS for path in place.glob(kind))
        elif place.is_file():
            yield place
        else:
            raise UsageError(f"{place} is not there; name a file of records or a folder of *.jsonl")


def write_lines(
    path: Path, recorded: Iterable[Recorded], keys: Keys
) -> tuple[int, list[tuple[str, tuple[str, ...]]]]:
    """Write records into a file, whole or not at all, but none that holds the value of a key's variable.

    A file whose name ends in `.xz` is compressed.

    Returns:
        How many were written; and of the others the record's key and the variables.

    Raises:
        WorkspaceError: the file can't be written.
    """
    written, held = 0, []
    part = path.with_name(f".{path.name}.part{os.getpid()}")
    try:
        with (lzma.open if path.suffix == _PACKED else open)(part, "wt", encoding="ascii") as file:
            for each in recorded:
                line = each.line()
                if names := keys.found(line):
                    held.append((each.key, names))
                else:
                    file.write(line)
                    written += 1
        os.replace(part, path)
    except OSError as error:
        raise WorkspaceError(
            f"{path}: can't be written ({error.strerror}); {remedy(error)} or name another file"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return written, held


def read_lines(path: Path) -> Iterator[Recorded | BadLine]:
    """Yield what each line of a file holds, in order; blank lines are passed over.

    Raises:
        UsageError: the file can't be read.
    """
    with _opened(path) as file:
        for number, line in enumerate(_lines(file, path), 1):
            if line.strip():
                yield _parsed(line, path, number)


def _lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, of which none may fill the memory."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise UsageError(
                f"{path}: has a line of more than {MAX_LINE_BYTES >> 20} MB; name a file of records"
            )
        yield line


def _opened(path: Path) -> IO[bytes]:
    """Return a file of records to read and seek in; a compressed one is unpacked into a temporary file.

    Raises:
        UsageError: the file can't be read.
    """
    try:
        if path.suffix != _PACKED:
            return path.open("rb")
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
        with lzma.open(path) as packed:
            while piece := packed.read(_PIECE):
                if unpacked.tell() + len(piece) > MAX_UNPACKED_BYTES:
                    raise UsageError(
                        f"{path}: holds more than {MAX_UNPACKED_BYTES >> 20} MB; name a smaller file of records"
                    )
                unpacked.write(piece)
        unpacked.seek(0)
        return unpacked
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise UsageError(f"{path}: can't be read ({error}); name a file of records") from None


def _parsed(line: bytes, path: Path, number: int) -> Recorded | BadLine:
    try:
        recorded = Recorded.model_validate(json.loads(line))
    except ValidationError as error:
        first = error.errors()[0]
        return BadLine(path, number, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    except (ValueError, RecursionError) as error:
        return BadLine(path, number, f"not JSON ({error})")
    try:
        key = recorded.ask.key
    except (ValueError, RecursionError) as error:
        return BadLine(path, number, f"what was asked has no content id ({error})")
    if key != recorded.key:
        return BadLine(path, number, f"the key is not the content id of what was asked, {key}")
    return recorded


class Layer:
    """Files of records below the store, read-only; only where each record begins is kept in memory."""

    def __init__(self, places: Iterable[Path]) -> None:
        """Take files, and folders of them; they are first read when something is looked for."""
        self._places = tuple(places)
        self._lock = threading.Lock()
        self._unpacked: dict[Path, IO[bytes]] = {}
        self._index: dict[str, tuple[Path, int, int]] | None = None

    def get(self, key: str) -> Completion | None:
        """Return the completion of a key; of several, the first in the order of the places.

        Raises:
            UsageError: a place is not there, or the record is damaged.
        """
        with self._lock:
            if self._index is None:
                self._index = self._indexed()
            if key not in self._index:
                return None
            path, number, offset = self._index[key]
            line = self._line(path, offset)
        recorded = _parsed(line, path, number)
        if isinstance(recorded, BadLine):
            raise UsageError(f"{recorded}; mend the line or take it out")
        if recorded.key != key:
            raise UsageError(f"{path}: changed while it was in use; run again")
        return recorded.completion

    def close(self) -> None:
        """Remove what was unpacked; what is looked for later is read anew."""
        with self._lock:
            for file in self._unpacked.values():
                file.close()
            self._unpacked, self._index = {}, None

    def _line(self, path: Path, offset: int) -> bytes:
        if file := self._unpacked.get(path):
            file.seek(offset)
            return file.readline()
        with path.open("rb") as file:
            file.seek(offset)
            return file.readline()

    def _indexed(self) -> dict[str, tuple[Path, int, int]]:
        index: dict[str, tuple[Path, int, int]] = {}
        for path in files_of(self._places):
            offset, file = 0, _opened(path)
            for number, line in enumerate(_lines(file, path), 1):
                if line.strip():
                    index.setdefault(_key(line, path, number), (path, number, offset))
                offset += len(line)
            if path.suffix == _PACKED:
                self._unpacked[path] = file
            else:
                file.close()
        return index


def _key(line: bytes, path: Path, number: int) -> str:
    if found := _KEY.match(line):
        return found[1].decode()
    recorded = _parsed(line, path, number)
    if isinstance(recorded, BadLine):
        raise UsageError(f"{recorded}; mend the line or take it out")
    return recorded.key
