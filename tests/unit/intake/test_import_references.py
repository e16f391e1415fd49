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


def test_what_a_mistake_refers_to_is_touched_too(tmp_path: Path) -> None:
    spec = {"skill_refs": ["SKILL.md:1"], "rubric": [{"source": "SKILL.md:2-3"}]}
    files = {
        "a/task/blueprint.yaml": yaml.safe_dump(spec),
        "a/task/mistakes/hasty.sh": "# Slip: hurries\n# Fails at: easy\n# Source: SKILL.md:3\n#> Go.\nls\n",
        "a/task/mistakes/lazy.sh": "# Slip: rests\n# Fails at: easy\n# Source: SKILL.md:4\n#> Go.\nls\n",
        "a/task/mistakes/silent.sh": "# Slip: says nothing\n# Fails at: easy\n#> Go.\nls\n",
    }
    write(tmp_path, files)
    before, after = "One.\nTwo.\nThree.\nFour.\n", "One.\nNew.\nTwo.\nThree.\n4.\n"
    assert told(tmp_path / "a", before, after) == [
        ("SKILL.md:2-3", "SKILL.md:3-4"),
        ("SKILL.md:3", "SKILL.md:4"),
        ("SKILL.md:4", ""),
    ]
