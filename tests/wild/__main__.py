"""Reads every wild skill with all cores and prints what came of it, beside the reference validator's verdicts."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skill2env.stages.parse.many import in_order, reading_pool
from tests.environment import python_of
from tests.wild.reading import Read, read

ROOT = Path(__file__).resolve().parents[2]
WILD = Path(os.environ.get("SKILL2ENV_SHARED") or ROOT.parent / "shared") / "wild"
MIN_USABLE = 0.985
MAX_GROWTH = 1.25
"""Peak memory of a process at the end against that after a fifth of its work."""


@dataclass
class Seen:
    """Sums over all skills."""

    usable: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    cpu_sec: float = 0.0
    peaks: dict[int, list[int]] = field(default_factory=dict)

    def take(self, folder: str, read: Read) -> None:
        """Count one skill."""
        self.usable += read.usable
        self.codes.update(set(read.codes))
        self.rules.update([read.rule] if read.rule else [])
        if not read.usable and not read.rule:
            self.unexplained.append(folder)
        self.cpu_sec += read.cpu_sec
        self.peaks.setdefault(read.pid, []).append(read.peak_kb)

    def growth(self) -> float:
        """Return the largest growth of any process's peak memory after a fifth of its work."""
        return max(peaks[-1] / peaks[len(peaks) // 5] for peaks in self.peaks.values())


def rows() -> Iterator[dict[str, Any]]:
    """Yield the wild skills."""
    with gzip.open(WILD / "skills.jsonl.gz", "rt", encoding="utf-8", errors="surrogatepass") as lines:
        yield from map(json.loads, lines)


def lay_out(place: Path) -> list[str]:
    """Write every skill to a folder of its own, named as it was, and return the folders."""
    folders = []
    for number, row in enumerate(rows()):
        folder = place / str(number) / (Path(row["path"]).parent.name or "skill")
        folder.mkdir(parents=True)
        (folder / str(row["filename"])).write_bytes(row["skill_md"].encode("utf-8", "surrogatepass"))
        folders.append(str(folder))
    return folders + [str(folder) for folder in sorted((WILD / "nasty").iterdir()) if folder.is_dir()]


def ask_reference(python: Path, folders: list[str]) -> list[dict[str, Any]]:
    """Return the reference validator's answers, one a folder."""
    command = (str(python), "-I", str(Path(__file__).with_name("reference.py")))
    done = subprocess.run(
        command, input="\n".join(folders) + "\n", text=True, capture_output=True, check=True, encoding="utf-8"
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(folders: list[str], seen: Seen) -> None:
    """Print what the reference validator accepts of the same folders."""
    python = python_of("reference", Path(__file__).with_name("requirements.txt"))
    if python is None:
        print("The reference validator can't be fetched here; nothing is compared.")
        return
    answers = ask_reference(python, folders)
    accepted = sum(not answer["errors"] and not answer["broke"] for answer in answers)
    broke = Counter(answer["broke"] for answer in answers if answer["broke"])
    why = Counter(_kind(answer["errors"][0]) for answer in answers if answer["errors"])
    print(
        f"reference validator: accepts {accepted} ({accepted / len(folders):.1%}); ends in a traceback: {dict(broke)}"
    )
    for reason, count in why.most_common(6):
        print(f"  refuses {count:5} first for: {reason}")
    print(
        f"skill2env:           accepts {seen.usable} ({seen.usable / len(folders):.2%}); ends in a traceback: none"
    )


def _kind(error: str) -> str:
    """Return an error without what it quotes."""
    return re.split(r"[\n:'(]", error, maxsplit=1)[0].strip()[:60]


def main() -> int:
    """Print the figures, and return 1 where one is not as it must be."""
    if not (WILD / "skills.jsonl.gz").exists():
        print("skipped: no wild skills here; name the folder that holds `wild/` in SKILL2ENV_SHARED")
        return 0
    workers = os.cpu_count() or 1
    seen = Seen()
    with tempfile.TemporaryDirectory() as place, reading_pool(workers) as pool:
        folders = lay_out(Path(place))
        list(in_order(read, folders[: 2 * workers], pool, workers))
        began = time.perf_counter()
        for folder, answer in zip(folders, in_order(read, folders, pool, workers), strict=True):
            seen.take(folder, answer)
        seconds = time.perf_counter() - began
        share = seen.usable / len(folders)
        alone = workers * len(folders) / seen.cpu_sec
        print(f"{len(folders)} skills answered in {seconds:.1f} s, {len(folders) / seconds:.0f} a second;")
        print(f"by the CPU seconds used, {workers} cores that do nothing else answer {alone:.0f} a second")
        print(
            f"with usable name and description: {seen.usable} ({share:.2%}); refused, by rule: {dict(seen.rules)}"
        )
        print(f"peak memory of a process after all its work against after a fifth of it: {seen.growth():.2f}")
        print(f"most frequent findings: {', '.join(f'{code} {n}' for code, n in seen.codes.most_common(12))}")
        compare(folders, seen)
    wrong = share < MIN_USABLE or bool(seen.unexplained) or seen.growth() > MAX_GROWTH
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
