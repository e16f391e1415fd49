"""Normative statements with polarity, strength and line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill2env.stages.parse.body import Paragraph
from skill2env.stages.parse.statements import CUES, Cue, find_statements

LETTERS = st.characters(max_codepoint=0x9FFF, exclude_characters="ſİıK")
"""All but letters that lose their form in lower case."""


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
        ("Don't forget to save.", ("do", "must", "don't forget")),
        ("❌ Don't use eval.", ("dont", "must", "don't")),
        ("⚠️ Do not blend them.", ("dont", "must", "do not")),
        ("If it fails → do not retry.", ("dont", "must", "do not")),
        ("不建议使用旧版本。", ("dont", "should", "不建议")),
        ("ここでは使うべきではない。", ("dont", "should", "べきではない")),
        ("古い形式は非推奨です。", ("dont", "should", "非推奨")),
        ("ここで使用してはいけません。", ("dont", "must", "てはいけません")),
        ("先に保存しなければなりません。", ("do", "must", "なければなりません")),
        ("建议先备份。", ("do", "should", "建议")),
        ("Do **not** push.", ("dont", "must", "do not")),
        ("**Do** not push.", ("dont", "must", "do not")),
        ("You may *not* push.", ("dont", "must", "may not")),
        ("Do  not push.", ("dont", "must", "do not")),
        ("Please do\nnot push.", ("dont", "must", "do not")),
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
        "The header is not always honored.",
        "如果服务不可用,请稍后再试。",
        "这个操作不可逆。",
        "这一步不是必须的。",
        "它不总是有效。",
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


@pytest.mark.parametrize("cue", CUES)
@given(data=st.data())
def test_a_hint_is_in_all_that_a_cue_matches(cue: Cue, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(cue.pattern, alphabet=LETTERS)).lower()
    assert any(hint in " ".join(text.split()) for hint in cue.hints)
