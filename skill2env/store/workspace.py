"""The paths of a workspace: where the corpus, the shards, the metrics and the dataset are; and its lock."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.errors import WorkspaceError, remedy


@dataclass(frozen=True)
class Workspace:
    """A folder with `params.yaml`, `skills_corpus/`, `data/` and `metrics/`."""

    root: Path

    def shard(self, stage: str) -> Path:
        """Return the path of a stage's shard of outcomes."""
        return self.root / "data" / stage / "outcomes.parquet"

    @property
    def results(self) -> Path:
        """Path of the content-addressed store of results."""
        return self.root / "data" / "store" / "results.sqlite"

    @property
    def dataset(self) -> Path:
        """Path of the published dataset."""
        return self.root / "data" / "dataset"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other run out of the workspace until the block ends, or the process does, however it does.

        Raises:
            WorkspaceError: another run is in it, or the lock can't be made.
        """
        path = self.root / "data" / "lock"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+")
        except OSError as error:
            raise WorkspaceError(
                f"{path}: can't be made ({error.strerror}); {remedy(error)} and run again"
            ) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.seek(0)
                owner = file.read().strip() or "unknown"
                raise WorkspaceError(
                    f"{self.root}: the workspace is in use by another run (process {owner}); wait for it to end, then run again"
                ) from error
            # The number is only there to be shown: a disk without room for it is no reason to stop here.
            with contextlib.suppress(OSError):
                file.truncate(0)
                file.write(f"{os.getpid()}\n")
                file.flush()
            yield

    def metrics(self, name: str) -> Path:
        """Path of a small JSON file of figures, kept in git."""
        return self.root / "metrics" / f"{name}.json"

    def write_metrics(self, name: str, figures: dict[str, Any]) -> None:
        """Write a small JSON file of figures, whole or not at all."""
        write_text(
            self.metrics(name), json.dumps(figures, indent=2, sort_keys=False, ensure_ascii=False) + "\n"
        )

    def read_metrics(self, name: str) -> dict[str, Any] | None:
        """Return the figures of a file, or None where it was never written.

        Raises:
            WorkspaceError: the file is damaged.
        """
        path = self.metrics(name)
        if not path.exists():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise WorkspaceError(
                f"{path}: can't be read ({error}); run `dvc repro`, which makes it again"
            ) from error
        if not isinstance(data, dict):
            raise WorkspaceError(f"{path}: holds no figures; run `dvc repro`, which makes it again")
        return data


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all.

    Raises:
        WorkspaceError: it can't be written.
    """
    part = path.with_name(f".{path.name}.part{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise WorkspaceError(
            f"{path}: can't be written ({error.strerror}); {remedy(error)} and run again"
        ) from error
