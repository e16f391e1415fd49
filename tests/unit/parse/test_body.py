"""Structure of the Markdown: sections, blocks, lists, with the lines of the file."""

from __future__ import annotations

import pytest

from skill2env.stages.parse.body import Body, read_body
from skill2env.stages.parse.codes import Findings

TEXT = """\
# Top

Intro here.

## One

1. First thing
   - [ ] unticked
   - [x] ticked
2. Second thing

   1. Inner

```bash
true
```

### Deep

    indented code

## Step 2: verify

Title by underline
==================

~~~json
{}
"""


def read(text: str) -> tuple[Body, dict[str, int]]:
    findings = Findings("SKILL.md")
    body = read_body(text.split("\n"), findings)
    return body, {finding.code: finding.line for finding in findings.all()}


def test_sections_form_a_tree_with_spans() -> None:
    body, _ = read(TEXT)
    found = [(x.title, x.level, x.start_line, x.end_line, x.parent) for x in body.sections]
    assert found == [
        ("Top", 1, 1, 23, -1),
        ("One", 2, 5, 21, 0),
        ("Deep", 3, 18, 21, 1),
        ("Step 2: verify", 2, 22, 23, 0),
        ("Title by underline", 1, 24, 28, -1),
    ]


def test_code_blocks_have_language_span_and_section() -> None:
    body, codes = read(TEXT)
    found = [(x.language, x.kind, x.start_line, x.end_line, x.text, x.closed, x.section) for x in body.blocks]
    assert found == [
        ("bash", "fenced", 14, 16, "true\n", True, 1),
        ("", "indented", 20, 20, "indented code\n", True, 2),
        ("json", "fenced", 27, 28, "{}\n", False, 4),
    ]
    assert codes == {"code-fence-unclosed": 27}


def test_steps_and_checklist() -> None:
    body, _ = read(TEXT)
    assert [(x.number, x.text, x.depth, x.line) for x in body.steps] == [
        (1, "First thing", 1, 7),
        (2, "Second thing", 1, 10),
        (1, "Inner", 2, 12),
        (2, "Step 2: verify", 1, 22),
    ]
    assert [(x.text, x.checked, x.line, x.section) for x in body.checklist] == [
        ("unticked", False, 8, 1),
        ("ticked", True, 9, 1),
    ]


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("Step 3: cut", 3),
        ("3. Cut", 3),
        ("3 - Cut", 3),
        ("3.剪切", 3),
        ("第 3 步: 剪切", 3),
        ("第十二步：剪切", 12),
        ("步骤 1：剪切", 1),
        ("阶段二：剪切", 2),
        ("ステップ1: 切る", 1),
        ("手順 2: 切る", 2),
        ("フェーズ二十一: 切る", 21),
    ],
)
def test_numbered_headings_are_steps(heading: str, number: int) -> None:
    assert [step.number for step in read(f"## {heading}\n\nWords.\n")[0].steps] == [number]


@pytest.mark.parametrize(
    "heading",
    [
        "1.1 Inputs",
        "1.0.0",
        "24-hour review",
        "2-Factor login",
        "404 Not found",
        "三つの規則",
        "十分な注意",
        "一、概述",
    ],
)
def test_other_headings_with_numbers_are_none(heading: str) -> None:
    assert read(f"## {heading}\n\nWords.\n")[0].steps == []


def test_blocks_inside_lists_and_quotes() -> None:
    body, codes = read("- a\n\n  ```Python title=x\n  1\n  ```\n\n> ```\n> q\n> ```\n")
    assert [(x.language, x.info, x.text, x.closed) for x in body.blocks] == [
        ("python", "Python title=x", "1\n", True),
        ("", "", "q\n", True),
    ]
    assert codes == {}


def test_heading_inside_a_list_is_no_section() -> None:
    body, _ = read("# A\n\n- # B\n")
    assert [section.title for section in body.sections] == ["A"]


def test_first_paragraph_says_something() -> None:
    text = "# Title\n\n[![badge](b.svg)](x)\n\n[Other language](x.md)\n\nUse it so:\n\nRotates **old** logs\ndaily.\n"
    assert read(text)[0].first_paragraph == "Rotates old logs daily."
    assert read("# Only a title\n")[0].first_paragraph == "Only a title"
    assert read("")[0].first_paragraph == ""


def test_long_and_empty_bodies_are_reported() -> None:
    assert read("\n\n")[1] == {"body-empty": 0}
    assert read("\n".join(["text"] * 501))[1] == {"body-too-long": 0}
    assert read("\n".join(["text"] * 500))[1] == {}
