"""The published dataset: written beside its place and exchanged at the end; read back row by row."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import compress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from skill2env.errors import UsageError, WorkspaceError, remedy
from skill2env.models.base import Record, canonical_json
from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS, SPLITS
from skill2env.models.tree import BadTree, Tree, tree_id, unpack
from skill2env.store import arrow
from skill2env.store.swap import install, recover, remove
from skill2env.store.workspace import write_text

_GROUP_ROWS = 100
_GROUP_BYTES = 4 << 20
_BATCH = 16


class DatasetWriter:
    """Writes one parquet file per config and split beside the dataset's place, and puts the whole there at the end.

    `datasets` can't load a config without rows ("corresponds to no data"), so such a config gets one row of nulls, which
    `rows` and `fingerprint` pass over. Files are the same bytes for the same rows.
    """

    def __init__(self, folder: Path) -> None:
        """Begin the dataset that will be at `folder`."""
        self._folder = folder
        self.part = folder.with_name(f".{folder.name}.part")
        """Where the dataset is until the block ends."""
        self._files: dict[tuple[str, str], _SplitFile] = {}
        self.counts: dict[str, Counter[str]] = {config: Counter() for config in CONFIGS}
        """Rows by config and split."""
        self.digests: dict[str, str] = {}
        """After `finish`: sha256 over the files of each config."""

    def __enter__(self) -> Self:
        """Clear what an earlier, killed run left, and make the folder.

        Raises:
            WorkspaceError: the disk can't be written.
        """
        with _writing(self._folder):
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            recover(self._folder)
            remove(self.part)
            self.part.mkdir()
        return self

    def add(self, config: str, split: str, row: Record) -> None:
        """Append one row; the rows of a file keep the order in which they come.

        Raises:
            WorkspaceError: the disk can't be written.
        """
        with _writing(self._folder):
            self._file(config, split).add(arrow.values(CONFIGS[config], row))
        self.counts[config][split] += 1

    def finish(self) -> None:
        """Close all files and fill `digests`; no row may follow.

        Raises:
            WorkspaceError: the disk can't be written.
        """
        with _writing(self._folder):
            for config in CONFIGS:
                if not self.counts[config]:
                    self._file(config, SPLITS[0]).add({})
            for file in self._files.values():
                file.close()
            for config in CONFIGS:
                paths = [_path(self.part, config, split) for split in self.splits(config)]
                self.digests[config] = hashlib.sha256(" ".join(map(_sha256, paths)).encode()).hexdigest()

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits for which a config has a file."""
        return tuple(split for split in SPLITS if (config, split) in self._files)

    def card(self, text: str) -> None:
        """Write the dataset card."""
        with _writing(self._folder):
            write_text(self.part / "README.md", text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the dataset into its place, or drop it where the block failed."""
        if kind is None:
            with _writing(self._folder):
                install(self.part, self._folder)
            return
        # What made the block fail is to be told, not that the rest of it can't be written either.
        for file in self._files.values():
            with suppress(OSError, pa.ArrowException):
                file.drop()
        with suppress(OSError):
            remove(self.part)

    def _file(self, config: str, split: str) -> _SplitFile:
        if (config, split) not in self._files:
            self._files[config, split] = _SplitFile(_path(self.part, config, split), CONFIGS[config])
        return self._files[config, split]


class _SplitFile:
    """One parquet file; its row groups end at a number of rows or bytes, so that memory is bounded."""

    def __init__(self, path: Path, model: type[Record]) -> None:
        path.parent.mkdir(exist_ok=True)
        self._model = model
        self._writer = pq.ParquetWriter(path, arrow.schema(model), compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self._bytes += arrow.size(row)
        if len(self._rows) >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def drop(self) -> None:
        self._rows.clear()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(arrow.table(self._model, self._rows))
        self._rows.clear()
        self._bytes = 0


def rows(dataset: Path, config: str, where: dict[str, str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a config, all splits in order, as plain values with a key `split`.

    Args:
        dataset: folder of the dataset.
        config: name of the config.
        where: columns of text, and the value that each must have.

    Raises:
        UsageError: there is no dataset, or no such config.
        WorkspaceError: a file is damaged.
    """
    for split, row in _stored(dataset, config, [column.name for column in columns(_model(config))], where):
        for column in columns(_model(config)):
            if column.base is dict:
                row[column.name] = [json.loads(text) for text in row[column.name]]
        yield {"split": split, **row}


def read_back(dataset: Path, task_id: str) -> Tree:
    """Return a task's directory as a tree with the content id that its row states.

    Raises:
        UsageError: there is no dataset, or no such task in it.
        WorkspaceError: a file is damaged, or the tree has another content id.
    """
    for _, row in _stored(dataset, "tasks", ["task_id", "content_id", "files"], {"task_id": task_id}):
        try:
            tree = unpack(row["files"] or b"")
        except BadTree as error:
            raise WorkspaceError(
                f"{dataset}: the files of {task_id} are damaged ({error}); run `dvc repro`"
            ) from error
        if tree_id(tree) != row["content_id"]:
            raise WorkspaceError(
                f"{dataset}: the files of {task_id} have another content id than the row; run `dvc repro`"
            )
        return tree
    raise UsageError(f"{dataset} has no task {task_id!r}; `skill2env show` names the tasks that it has")


def fingerprint(dataset: Path) -> str:
    """Return the sha256 (hex) over all rows of all configs and splits, measured columns left out.

    Two runs over the same corpus have the same fingerprint, however long anything took.

    Raises:
        UsageError: there is no dataset.
        WorkspaceError: a file is damaged.
    """
    digest = hashlib.sha256()
    for config, model in CONFIGS.items():
        names = [column.name for column in columns(model) if not column.measured]
        for split, row in _stored(dataset, config, names):
            plain = {
                name: hashlib.sha256(v).hexdigest() if isinstance(v, bytes) else v for name, v in row.items()
            }
            digest.update(canonical_json([config, split, plain]).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _stored(
    dataset: Path, config: str, names: list[str], where: dict[str, str] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield split and row of a config, columns as named, a few in memory at a time; rows of nulls are left out."""
    model = _model(config)
    key = next(iter(model.model_fields))
    if not (dataset / "README.md").is_file():
        raise UsageError(f"{dataset} holds no dataset; run `dvc repro` or `skill2env publish` first")
    for split in SPLITS:
        path = _path(dataset, config, split)
        if not path.exists():
            continue
        try:
            with pq.ParquetFile(path) as file:
                for row in _matching(file, names, key, where or {}):
                    yield split, row
        except (OSError, pa.ArrowException) as error:
            raise WorkspaceError(
                f"{path}: can't be read ({error}); run `dvc repro`, which makes it again"
            ) from error


def _matching(file: Any, names: list[str], key: str, where: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows with a key and with the wanted values; row groups without any are not read."""
    for group in range(file.num_row_groups):
        known = file.read_row_group(group, columns=[key, *where]).to_pylist()
        wanted = [
            row[key] is not None and all(row[name] == value for name, value in where.items()) for row in known
        ]
        if not any(wanted):
            continue
        batches = file.iter_batches(batch_size=_BATCH, row_groups=[group], columns=names)
        rows_of = (row for batch in batches for row in batch.to_pylist())
        yield from compress(rows_of, wanted)


def _model(config: str) -> type[Record]:
    if config not in CONFIGS:
        raise UsageError(f"the dataset has no config {config!r}; it has {', '.join(CONFIGS)}")
    return CONFIGS[config]


def _path(folder: Path, config: str, split: str) -> Path:
    return folder / config / f"{split}.parquet"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise WorkspaceError(
            f"{folder}: can't be written ({error}); {remedy(error)}, then run `dvc repro` again"
        ) from error
