"""Findings point at the very characters that they speak of."""

from __future__ import annotations

from pathlib import Path

from skill2env.models.outcome import Accepted
from skill2env.stages.parse import read_skill

TEXT = """---
name: probe
description: Adds columns.
  # a comment
Version: 1
author: me
---

See the [guide]( <docs/my guide.md> ) and [notes](notes.md).

- First

  ````python
  print(1)
  ````python
  ````

~~~text
never closed
"""


def test_columns_are_those_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(TEXT)
    answer = read_skill(tmp_path, "probe")
    assert isinstance(answer, Accepted)
    lines = TEXT.split("\n")
    wanted = {
        ("unknown-key", "Version"),
        ("unknown-key", "author"),
        ("missing-bundled-file", "docs/my guide.md"),
        ("missing-bundled-file", "notes.md"),
        ("code-fence-nested", "````python"),
        ("code-fence-unclosed", "~~~text"),
    }
    pointed = {
        (item.code, lines[item.line - 1][item.column - 1 :]) for item in answer.record.findings if item.column
    }
    missing = [
        (code, text) for code, text in wanted if not any(c == code and t.startswith(text) for c, t in pointed)
    ]
    assert missing == [], pointed


def test_what_is_dropped_behind_the_last_line_counts_to_it(tmp_path: Path) -> None:
    """Found by `make fuzz`: the finding spoke of a line that the text does not have."""
    for rest in ("\0\0", "\x01", "\0\x01"):
        (tmp_path / "SKILL.md").write_text(f"---\nname: probe\ndescription: Adds.\n---\nWords.\n{rest}")
        answer = read_skill(tmp_path, "probe")
        assert isinstance(answer, Accepted)
        assert max(item.line for item in answer.record.findings) == answer.record.text_lines == 5
