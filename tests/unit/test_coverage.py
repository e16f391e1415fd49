"""What is exercised of a skill is what blueprints cite by line, and nothing else."""

from __future__ import annotations

from pathlib import Path

from skill2env.coverage import Coverage, coverage, told
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.tree import Tree, text_file
from skill2env.stages.draft import skill_text
from skill2env.stages.draft.read import read_blueprint
from skill2env.stages.parse import read_skill
from skill2env.store.folders import read_folder

BASE = Path(__file__).resolve().parents[1] / "cases" / "blueprints" / "base"
TEXT = """---
name: till-receipts
description: Add up the receipts of a till. Use when asked for a day's takings.
---

# Till receipts

Always look first.
Never count voided receipts.
You should compare the count at the end.

## Common mistakes

- **Cents** are added as floats, which
  must never happen.
- A receipt | of `yesterday` <b>counts</b>.

```text
- no item, but code
```

## Afterwards

- Tidy up.
"""


def _covered(folder: Path, changes: dict[str, tuple[str, str]]) -> Coverage | Rejected:
    """Cover the skill with the good blueprint, in which passages of files are replaced."""
    folder.mkdir()
    (folder / "SKILL.md").write_text(TEXT)
    read = read_skill(folder, "till-receipts")
    assert isinstance(read, Accepted)
    tree: Tree = read_folder(BASE / "blueprint")
    yaml = tree["blueprint.yaml"].data.decode()
    for old, new in (
        ("SKILL.md:9-13", "SKILL.md:8"),
        ("SKILL.md:9", "SKILL.md:8"),
        ("SKILL.md:13", "SKILL.md:8"),
    ):
        yaml = yaml.replace(old, new)
    tree["blueprint.yaml"] = text_file(yaml.replace("SKILL.md:10", "SKILL.md:8"))
    for path, (old, new) in changes.items():
        text = tree[path].data.decode()
        assert old in text
        tree[path] = text_file(text.replace(old, new, 1))
    outcome, _ = read_blueprint(tree, "takings", skill_text(read.record, folder))
    if isinstance(outcome, Rejected):
        return outcome
    assert isinstance(outcome.record, Blueprint)
    return coverage(read.record, [outcome.record])


def test_statements_and_pitfalls_are_advice_once(tmp_path: Path) -> None:
    found = _covered(tmp_path / "skill", {})
    assert isinstance(found, Coverage)
    assert [(advice.kind, advice.line, advice.end_line) for advice in found.advice] == [
        ("must do", 8, 8),
        ("must not", 9, 9),
        ("should do", 10, 10),
        ("pitfall", 14, 15),
        ("pitfall", 16, 16),
    ]
    assert found.advice[3].text == "Cents are added as floats, which must never happen."


def test_only_what_is_cited_is_exercised(tmp_path: Path) -> None:
    found = _covered(tmp_path / "skill", {})
    assert isinstance(found, Coverage)
    assert [advice.line for advice in found.unexercised] == [9, 10, 14, 16]
    first = found.advice[0]
    assert first.blueprints == ("takings",)
    assert first.criteria == (
        "takings/looks-first",
        "takings/keeps-the-export",
        "takings/counts",
        "takings/says-so",
    )
    assert found.uncited == ("takings/counts-the-header", "takings/counts-voided")


def test_a_mistake_exercises_the_lines_of_its_source(tmp_path: Path) -> None:
    header = "# Fails at: easy, medium, hard"
    found = _covered(
        tmp_path / "skill",
        {"mistakes/counts-voided.sh": (header, f"{header}\n# Source: SKILL.md:9-14")},
    )
    assert isinstance(found, Coverage)
    assert [advice.line for advice in found.advice if advice.mistakes] == [9, 10, 14]
    assert found.advice[1].mistakes == ("takings/counts-voided",)
    assert found.uncited == ("takings/counts-the-header",)


def test_a_source_that_points_nowhere_is_told_with_its_line(tmp_path: Path) -> None:
    header = "# Fails at: easy, medium, hard"
    found = _covered(
        tmp_path / "skill",
        {
            "mistakes/counts-voided.sh": (header, f"{header}\n# Source: SKILL.md:99"),
            "mistakes/counts-the-header.sh": (header, f"{header}\n# Source: line nine"),
        },
    )
    assert isinstance(found, Rejected)
    assert [(f.code, f.file, f.line) for f in found.findings] == [
        ("mistake-header", "mistakes/counts-the-header.sh", 3),
        ("source", "mistakes/counts-voided.sh", 3),
    ]


def test_the_table_holds_what_a_skill_says_as_text(tmp_path: Path) -> None:
    found = _covered(tmp_path / "skill", {})
    assert isinstance(found, Coverage)
    row = next(line for line in found.lines() if line.startswith("| 16 "))
    assert (
        row
        == "| 16 | A receipt \\| of \\`yesterday\\` &lt;b&gt;counts&lt;/b&gt;. | pitfall | **nothing** |  |  |"
    )
    assert "  exercised by nothing" in told(found)
    assert found.summary() == "1 of 5 pieces of advice are exercised, 4 by nothing."


def test_a_skill_without_advice_says_so() -> None:
    assert Coverage("empty", (), ()).lines() == [
        "The skill demands, forbids and warns of nothing that could be found."
    ]
