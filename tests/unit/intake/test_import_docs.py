"""docs/import.md names every answer, finding and limit with what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from skill2env.intake import codes
from skill2env.intake.outcome import Fate
from skill2env.intake.screens.screen import MAX_TEXT_BYTES
from skill2env.intake.sources import archives, git, source

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "import.md").read_text("utf-8")
ROWS = {match[1]: match[2] for match in re.finditer(r"^\| `([\w -]+)` \| (.*) \|$", PAGE, re.MULTILINE)}
SOURCES = ROOT / "skill2env" / "intake"


def test_every_finding_is_in_the_table_with_its_severity_and_meaning() -> None:
    for code, kind in codes.KINDS.items():
        assert ROWS.get(code) == f"{kind.severity} | {kind.about[0].upper()}{kind.about[1:]}."


def test_every_answer_is_in_the_table_and_nothing_else_is_in_either() -> None:
    assert set(ROWS) == {str(fate) for fate in Fate} | set(codes.KINDS)


def test_codes_used_in_the_source_are_those_defined() -> None:
    text = "\n".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py") if path.name != "codes.py")
    for code in codes.KINDS:
        assert f'"{code}"' in text, f"{code} is defined and never used"
    for code in re.findall(r'findings\.add\(\s*"([\w-]+)"', text):
        assert code in codes.KINDS


def test_limits_are_stated() -> None:
    limits = (
        source.MAX_ENTRIES,
        source.MAX_READ_BYTES,
        archives.MAX_ARCHIVE_BYTES,
        git.FETCH_SEC,
        MAX_TEXT_BYTES,
    )
    for limit in limits:
        assert re.search(rf"(?<![\d,]){limit:,}(?![\d,])", PAGE), f"{limit:,} is not in docs/import.md"
