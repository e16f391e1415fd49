"""The paths of a workspace: where the corpus, the shards, the metrics and the dataset are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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

    def metrics(self, name: str) -> Path:
        """Path of a small JSON file of figures, kept in git."""
        return self.root / "metrics" / f"{name}.json"

    def write_metrics(self, name: str, figures: dict[str, Any]) -> None:
        """Write a small JSON file of figures, whole or not at all."""
        write_text(
            self.metrics(name), json.dumps(figures, indent=2, sort_keys=False, ensure_ascii=False) + "\n"
        )

    def read_metrics(self, name: str) -> dict[str, Any] | None:
        """Return the figures of a file, or None where it was never written."""
        path = self.metrics(name)
        if not path.exists():
            return None
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return data


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
