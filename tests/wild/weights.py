"""Learns the weights of the feasibility verdict from the development part of the labels: `make weights`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from skill2env.feasibility.measures import measure
from tests.environment import ROOT, python_of
from tests.wild.samples import SKILLS, labels, skills

HERE = Path(__file__).parent
WEIGHTS = ROOT / "skill2env" / "feasibility" / "weights.json"


def main() -> int:
    """Measure the labelled skills, learn, and write the weights."""
    python = python_of("weights", HERE / "fit-requirements.txt")
    if not SKILLS.exists() or python is None:
        print(
            "There are no wild skills here, or scikit-learn can't be fetched; the weights stay as they are."
        )
        return 1
    wanted = {(row["repository"], row["path"]): row["verdict"] for row in labels("labels", "development")}
    lines = []
    for key, skill in skills(set(wanted)):
        found = measure(skill)
        words = {place: sorted(found.words[place]) for place in found.words}
        lines.append(
            json.dumps({"label": wanted[key], "points": found.points, "sizes": found.sizes, "words": words})
        )
    command = (str(python), "-I", str(HERE / "fit.py"))
    done = subprocess.run(command, input="\n".join(lines), text=True, stdout=subprocess.PIPE, check=True)
    answer = json.loads(done.stdout)
    rows = {kind: _rows(table) for kind, table in answer.pop("weights").items()}
    head = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in answer.items())
    body = ",\n".join(f"{json.dumps(kind)}: {{\n{table}\n}}" for kind, table in rows.items())
    WEIGHTS.write_text(f'{{\n{head},\n"weights": {{\n{body}\n}}\n}}\n', "utf-8")
    print(f"learned from {answer['skills']} skills: {WEIGHTS.relative_to(ROOT)}")
    return 0


def _rows(table: dict[str, list[float]]) -> str:
    return ",\n".join(
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(row)}" for name, row in table.items()
    )


if __name__ == "__main__":
    sys.exit(main())
