"""The figures of docs/feasibility.md on the parts of the labels that no rule or weight was made from, where a copy is at hand."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "feasibility.md").read_text("utf-8")
ACCURACY = re.compile(r"balanced accuracy ([\d.]+) \(found ([\d.]+), refused ([\d.]+)\)")
BLOCKS = re.compile(r"held: roles (\d+) of (\d+) \(([\d.]+)\), commands (\d+ of \d+) \(([\d.]+)\)")


def printed(module: str, pattern: re.Pattern[str], shared: Path) -> tuple[str, ...]:
    command = (sys.executable, "-m", f"tests.wild.{module}", "held")
    environment = os.environ | {"SKILL2ENV_SHARED": str(shared)}
    said = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    match = pattern.search(said)
    assert match, said
    return match.groups()


def test_verdicts_on_the_held_part(shared: Path) -> None:
    balanced, found, refused = printed("feasibility", ACCURACY, shared)
    assert float(balanced) >= 0.85
    with (ROOT / "tests" / "wild" / "labels.csv").open(encoding="utf-8", newline="") as lines:
        held = [row["verdict"] for row in csv.DictReader(lines) if row["split"] == "held"]
    parts = f"{len(held)} | {held.count('practicable')}"
    assert f"| `held` | {parts} | **{balanced}** | {found} | {refused} |" in PAGE


def test_code_blocks_of_the_held_part(shared: Path) -> None:
    right, blocks, roles, of_commands, commands = printed("blocks", BLOCKS, shared)
    assert int(blocks) >= 100
    assert float(roles) >= 0.9
    assert float(commands) >= 0.9
    assert f"| `held` | {blocks} | {right} (**{roles}**) | {of_commands} ({commands}) |" in PAGE
