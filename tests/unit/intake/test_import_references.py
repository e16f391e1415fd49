"""Which references of blueprints an update of a skill touches."""

from __future__ import annotations

from pathlib import Path

import yaml
from unit.intake.repositories import write

from skill2env.intake.changes import touched
from skill2env.intake.shelf import File


def told(blueprints: Path, before: str, after: str) -> list[tuple[str, str]]:
    """Return the references that are touched where SKILL.md changes, and where their lines are now."""
    one, other = ({"SKILL.md": File(text.encode(), False)} for text in (before, after))
    return [(found.reference, found.now) for found in touched(blueprints, one, other)]


def test_lines_are_counted_as_parse_counts_them(tmp_path: Path) -> None:
    spec = {"skill_refs": ["SKILL.md:2", "SKILL.md:3"], "rubric": [{"source": "SKILL.md:4"}]}
    write(tmp_path, {"a/task/blueprint.yaml": yaml.safe_dump(spec)})
    before = "One.\nTwo\x0cand \u2028 a half.\nThree.\nFour.\n"
    assert told(tmp_path / "a", before, before.replace("Three", "3")) == [("SKILL.md:3", "")]
