"""Normative statements with polarity, strength and line."""

from __future__ import annotations

import pytest

from skill2env.stages.parse.body import Paragraph
from skill2env.stages.parse.statements import find_statements


def found(text: str) -> list[tuple[str, str, str]]:
    statements = find_statements([Paragraph(text, 7, 0, heading=False)])
    return [(item.polarity, item.strength, item.cue) for item in statements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You must sort first.", ("do", "must", "must")),
        ("The file must not be empty.", ("dont", "must", "must not")),
        ("Never parse this with a regex.", ("dont", "must", "never")),
        ("ALWAYS keep a copy.", ("do", "must", "always")),
        ("Do not edit in place.", ("dont", "must", "do not")),
        ("Sort first, don't guess.", ("dont", "must", "don't")),
        ("Avoid `eval`.", ("dont", "should", "avoid")),
        ("You should not guess.", ("dont", "should", "should not")),
        ("Rows should be sorted.", ("do", "should", "should")),
        ("Prefer awk.", ("do", "should", "prefer")),
        ("Before deleting, take a copy.", ("do", "should", "before deleting")),
        ("Take a copy before you delete.", ("do", "should", "before you")),
        ("Make sure the clock is right.", ("do", "must", "make sure")),
        ("删除之前必须备份。", ("do", "must", "必须")),
        ("不要直接修改文件。", ("dont", "must", "不要")),
        ("必ずバックアップを取る。", ("do", "must", "必ず")),
    ],
)
def test_polarity_strength_and_cue(text: str, expected: tuple[str, str, str]) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The logs are old.",
        "If you don't have a copy, stop.",
        "It ran the day before.",
        "You don't need root.",
    ],
)
def test_plain_sentences_are_none(text: str) -> None:
    assert found(text) == []


def test_each_sentence_has_its_line_and_no_marks() -> None:
    text = "Some text\nthat runs on. **Never** use [this](x.md).\nAlways\nsort `a*b*`. Nothing here."
    statements = find_statements([Paragraph(text, 7, 3, heading=False)])
    assert [(item.line, item.text, item.section) for item in statements] == [
        (8, "Never use this.", 3),
        (9, "Always sort `a*b*`.", 3),
    ]
