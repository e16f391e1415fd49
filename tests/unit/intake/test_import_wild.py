"""Thousands of public skills as one folder, where a copy is at hand: every one gets an answer, and a second import changes nothing.

`SKILL2ENV_SHARED` names the folder that holds `wild/`; without it the folder `shared` beside the checkout is looked at.
`SKILL2ENV_WILD_STEP=1` imports all of them; by default it is one in twenty.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from identify.vendor.licenses import LICENSES
from unit.intake.repositories import imported

from skill2env.intake.outcome import Result
from skill2env.params import ImportParams

ROOT = Path(__file__).parents[3]
WILD = Path(os.environ.get("SKILL2ENV_SHARED", ROOT.parent / "shared")) / "wild"
STEP = int(os.environ.get("SKILL2ENV_WILD_STEP", "20"))
UNCAPPED = ImportParams(max_per_repository=10_000, max_per_author=10_000)

pytestmark = pytest.mark.skipif(
    not (WILD / "skills.jsonl.gz").exists(),
    reason="No wild skills here; name the folder that holds `wild/` in SKILL2ENV_SHARED to run this.",
)


def expanded(top: Path) -> int:
    """Write the skills as the repositories that they come from, each with a licence file, and return how many there are."""
    texts, count = dict(LICENSES), 0
    with gzip.open(WILD / "skills.jsonl.gz", "rt", encoding="utf-8", errors="surrogatepass") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if number % STEP:
                continue
            place = top / row["repo"] / row["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(row["skill_md"].encode("utf-8", "surrogatepass"))
            licence = top / row["repo"] / "LICENSE"
            licence.write_text(texts["Apache-2.0" if "Apache" in row["licence"] else "MIT"])
            count += 1
    return count


def shown(found: dict[str, Result]) -> str:
    fates = Counter(str(result.fate) for result in found.values())
    codes = Counter(code for result in found.values() for code in {item.code for item in result.findings})
    return "\n".join(f"{count:6} {name}" for name, count in [*fates.most_common(), *codes.most_common()])


@pytest.mark.slow
def test_the_wild_skills_as_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = expanded(tmp_path / "wild")
    found = imported(tmp_path / "wild", tmp_path / "corpus", UNCAPPED)
    with capsys.disabled():
        print(f"\n{count} wild skills\n{shown(found)}")
    assert len(found) == count
    assert all(result.findings or str(result.fate) != "refused" for result in found.values())
    taken = {result.skill_id for result in found.values() if str(result.fate) == "new"}
    assert len(taken) > count / 2
    assert taken == {path.name for path in (tmp_path / "corpus" / "skills").iterdir()}
    again = imported(tmp_path / "wild", tmp_path / "corpus", UNCAPPED)
    assert {p: str(r.fate).replace("unchanged", "new") for p, r in again.items()} == {
        p: str(r.fate) for p, r in found.items()
    }


def test_the_nasty_skills_as_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(WILD, tmp_path / "corpus")
    with capsys.disabled():
        print(f"\n{shown(found)}")
    folders = {f"nasty/{path.name}" for path in (WILD / "nasty").iterdir() if path.is_dir()}
    assert set(found) == folders and len(folders) == 40
    stated = {path for path, result in found.items() if str(result.fate) == "new"}
    assert {found[path].licence for path in stated} <= {"MIT", "MIT-0", "Apache-2.0"} and len(stated) == 3
    rest = [result for path, result in found.items() if path not in stated]
    assert all("licence-missing" in {item.code for item in result.findings} for result in rest)
