"""The wild skills that were labelled by hand, where a copy is at hand."""

from __future__ import annotations

import csv
import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("SKILL2ENV_SHARED", HERE.parents[1].parent / "shared"))
SKILLS = SHARED / "wild" / "skills.jsonl.gz"


def labels(name: str, split: str) -> list[dict[str, str]]:
    """Return the rows of a table of labels that belong to a split, `development` or `held`; all for an empty one."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if split in ("", row["split"])]


def skills(wanted: set[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], Skill]]:
    """Yield the wanted skills, by repository and path, as parse reads them; bundled files are empty stand-ins."""
    with gzip.open(SKILLS, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        for line in lines:
            row = json.loads(line)
            key = (row["repo"], row["path"])
            if key in wanted:
                with tempfile.TemporaryDirectory() as place:
                    answer = read_skill(_folder(Path(place), row), Path(row["path"]).parent.name or "skill")
                if isinstance(answer, Accepted):
                    yield key, answer.record


def _folder(place: Path, row: dict[str, Any]) -> Path:
    (place / row["filename"]).write_bytes(row["skill_md"].encode("utf-8", "surrogatepass"))
    for item in row["siblings"]:
        path = place / item["path"]
        if path.resolve().is_relative_to(place.resolve()) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return place
