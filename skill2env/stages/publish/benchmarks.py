"""Reads the texts of public benchmarks as a stranger's files, and compares the instructions of tasks with them.

No link is followed below a path that was named, nothing but regular files is opened, and everything is bounded.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from skill2env.errors import UsageError
from skill2env.models.base import content_id, printable
from skill2env.stages.publish.overlap import Overlap, Overlaps
from skill2env.store.folders import open_regular, read_regular

INSTRUCTION = "instruction.md"
MAX_BYTES = 4 << 30
"""Text of all benchmarks together."""
MAX_ITEM_BYTES = 4 << 20
"""Text of one item, and one line of JSON."""
MAX_ITEMS = 2_000_000
MAX_GROUP_BYTES = 1 << 30
"""What a row group of a parquet file says that it takes when it is unpacked."""
MAX_ENTRIES = 1_000_000
"""Files and folders that are looked at below one path."""
MAX_LEVELS = 30
_BATCH = 16
"""Rows of a parquet file that are unpacked at a time: a text may stand once in the file and in every row."""
_KINDS = (".md", ".txt", ".jsonl", ".parquet")

Item = tuple[str, str]
"""Name and text."""


@dataclass(frozen=True)
class Benchmark:
    """What was read below one path."""

    name: str
    """Last part of the path."""
    items: int
    sha256: str
    """Content id of the items: their names and texts, in order."""


@dataclass(frozen=True)
class Comparison:
    """All benchmarks, and what of each task's instruction stands in one of their items."""

    benchmarks: tuple[Benchmark, ...]
    overlaps: Mapping[str, Overlap]

    @property
    def sha256(self) -> str:
        """Content id of all that was read."""
        return content_id([[one.name, one.sha256] for one in self.benchmarks])

    def figures(self) -> dict[str, Any]:
        """Return the figures of `metrics/publish.json`, JSON-able."""
        return {
            "benchmarks": [vars(one) for one in self.benchmarks],
            "sha256": self.sha256,
            "items": sum(one.items for one in self.benchmarks),
            "tasks_sharing": sum(one.item is not None for one in self.overlaps.values()),
            "share_max": max((round(one.share, 4) for one in self.overlaps.values()), default=0.0),
        }


def compare(root: Path, paths: Iterable[str], instructions: Mapping[str, str]) -> Comparison:
    """Return what of instructions, by task, stands in the texts below paths, which are relative to a root or absolute.

    Raises:
        UsageError: a path is missing, can't be read, holds no text, or holds more than is read.
    """
    overlaps, reader = Overlaps(instructions), Reader()
    benchmarks = []
    for path in paths:
        named = root / path
        name = printable(named.name or named.resolve().name)
        digest, count = hashlib.sha256(), 0
        for item, text in reader.items(named, name):
            count += 1
            digest.update(content_id([item, text]).encode())
            overlaps.look(item, text)
        if not count:
            raise UsageError(
                f"publish.benchmarks: {printable(path)} holds no text; name a folder of task directories with {INSTRUCTION}, or "
                f"files that end in {', '.join(_KINDS)}"
            )
        benchmarks.append(Benchmark(name, count, digest.hexdigest()))
    return Comparison(tuple(benchmarks), overlaps.found())


class Reader:
    """Yields items until bounds are reached that hold for all paths together."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._bytes = 0
        self._items = 0

    def items(self, path: Path, name: str) -> Iterator[Item]:
        """Yield the items of a path that have a text, in an order that does not vary, named from its last part on.

        A text that is no UTF-8 is read with marks in the place of what is none.

        Raises:
            UsageError: it is missing or can't be read, a file is not what its ending says, or there is more than is read.
        """
        try:
            # Whoever named the path means what it leads to; a cache of downloads is full of such links.
            files = _files(path.resolve(strict=True), name, Path(name).suffix)
            for place, item, ending in files:
                yield from self._counted(self._read(place, item, ending))
        except FileNotFoundError as error:
            raise UsageError(
                f"publish.benchmarks: {printable(str(error.filename or path))} is not there; correct the path, or leave it out"
            ) from error
        except OSError as error:
            raise _refused(
                printable(str(error.filename or path)), f"can't be read ({error.strerror})"
            ) from error
        except RuntimeError as error:
            raise _refused(printable(str(path)), "is a link that leads to itself") from error

    def _read(self, place: Path, item: str, ending: str) -> Iterator[Item]:
        if ending == ".jsonl":
            with open_regular(place) as stream:
                yield from self._lines(stream, item)
        elif ending == ".parquet":
            with open_regular(place) as stream:
                yield from _rows(stream, item)
        else:
            data = read_regular(place, MAX_ITEM_BYTES + 1)
            yield item, data.decode("utf-8", "replace")

    def _lines(self, stream: BinaryIO, file: str) -> Iterator[Item]:
        number = 0
        while line := stream.readline(MAX_ITEM_BYTES + 1):
            number += 1
            name = f"{file}:{number}"
            self._spend(len(line), name)
            try:
                value = json.loads(line.decode("utf-8-sig", "replace")) if line.strip() else None
            except (ValueError, RecursionError) as error:
                raise _refused(name, f"is no JSON ({str(error)[:100]})") from None
            yield name, _joined(value)

    def _counted(self, items: Iterator[Item]) -> Iterator[Item]:
        for name, text in items:
            self._spend(len(text.encode("utf-8", "surrogatepass")), name)
            if text.strip():
                self._items += 1
                yield name, text
            if self._items > MAX_ITEMS:
                raise _refused(name, f"is beyond the {MAX_ITEMS:,} items that are compared")

    def _spend(self, size: int, name: str) -> None:
        """Count bytes that were read; of lines both what stands there and what they say."""
        self._bytes += size
        if size > MAX_ITEM_BYTES:
            raise _refused(name, f"has more than the {MAX_ITEM_BYTES >> 20} MB that one item may have")
        if self._bytes > MAX_BYTES:
            raise _refused(name, f"is beyond the {MAX_BYTES >> 30} GB that are read of all benchmarks")


def _refused(name: str, why: str) -> UsageError:
    return UsageError(f"publish.benchmarks: {name} {why}; mend it, or name paths without it")


def _files(top: Path, name: str, ending: str) -> Iterator[tuple[Path, str, str]]:
    """Yield what is read below a path: place, name of the item or file, ending in lower case; links are passed over.

    A folder with an instruction is a task directory: nothing else in it is read.
    """
    if not top.is_dir():
        if ending.lower() in _KINDS:
            yield top, name, ending.lower()
        return
    pending, seen = [(top, name)], 0
    while pending:
        place, label = pending.pop()
        with os.scandir(place) as listing:
            some = islice(listing, MAX_ENTRIES + 1 - seen)
            entries = sorted(some, key=lambda entry: os.fsencode(entry.name))
        seen += len(entries)
        if seen > MAX_ENTRIES or label.count("/") > MAX_LEVELS:
            raise _refused(
                label, f"is beyond the {MAX_ENTRIES:,} entries or {MAX_LEVELS} levels that are read"
            )
        files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
        if any(entry.name == INSTRUCTION for entry in files):
            yield place / INSTRUCTION, label, ".md"
            continue
        for entry in files:
            if (kind := Path(entry.name).suffix.lower()) in _KINDS:
                yield Path(entry.path), f"{label}/{printable(entry.name)}", kind
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name != ".git"]
        pending += [(Path(one.path), f"{label}/{printable(one.name)}") for one in reversed(folders)]


def _rows(stream: BinaryIO, name: str) -> Iterator[Item]:
    number = 0
    try:
        with pq.ParquetFile(stream) as file:
            columns = [field.name for field in file.schema_arrow if _textual(field.type)]
            for group in range(file.num_row_groups if columns else 0):
                if file.metadata.row_group(group).total_byte_size > MAX_GROUP_BYTES:
                    raise _refused(name, f"has a row group of more than {MAX_GROUP_BYTES >> 30} GB")
                for batch in file.iter_batches(_BATCH, row_groups=[group], columns=columns):
                    for row in batch.to_pylist():
                        number += 1
                        yield f"{name}:{number}", _joined(row)
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:
        raise _refused(name, f"can't be read as parquet ({' '.join(str(error).split())[:100]})") from error


def _textual(kind: Any) -> bool:
    """Return whether a type of Arrow holds text anywhere."""
    if isinstance(kind, pa.BaseExtensionType):
        return _textual(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _textual(kind.value_type)
    if pa.types.is_nested(kind):
        return any(_textual(kind.field(at).type) for at in range(kind.num_fields))
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _joined(value: Any) -> str:
    """Return all texts in a value, keys of objects left out, one after another."""
    texts, pending = [], [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, dict):
            pending += reversed(one.values())
        elif isinstance(one, (list, tuple)):
            pending += reversed(one)
    return "\n".join(texts)
