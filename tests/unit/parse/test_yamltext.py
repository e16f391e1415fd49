"""The guarded YAML reader."""

from __future__ import annotations

import re
import time

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skill2env.stages.parse import yamltext
from skill2env.stages.parse.yamltext import Source, Span, YamlRefused, load


def values(text: str) -> dict[str, object]:
    return {entry.key: entry.value for entry in load(text, 1).entries}


def test_every_scalar_is_a_string() -> None:
    text = "a: no\nb: 1.10\nc: 2024-01-01\nd:\ne: ~\nf: [1, {g: 0x1F}]\n1: on\n"
    assert values(text) == {
        "a": "no",
        "b": "1.10",
        "c": "2024-01-01",
        "d": "",
        "e": "~",
        "f": ["1", {"g": "0x1F"}],
        "1": "on",
    }


def test_duplicates_at_any_level_have_their_line() -> None:
    loaded = load("a: 1\nb:\n  c: 2\n  c: 3\na: 4\n", 2)
    assert loaded.duplicates == [("c", 5), ("a", 6)]
    assert {entry.key: entry.value for entry in loaded.entries} == {"a": "4", "b": {"c": "3"}}


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a: b: c", "yaml-syntax", 1),
        ("a: 1\n  b: 2", "yaml-syntax", 2),
        ("a: &x 1", "yaml-anchor", 1),
        ("a: 1\nb: *x", "yaml-anchor", 2),
        ("a:\n  <<: {b: c}", "yaml-anchor", 2),
        ("a: !!str b", "yaml-tag", 1),
        ("a: !x b", "yaml-tag", 1),
        ("- a", "yaml-not-a-mapping", 1),
        ("text", "yaml-not-a-mapping", 1),
        ("? [a]\n: b", "yaml-syntax", 1),
        ("a: 1\n--- \nb: 2", "yaml-syntax", 2),
        ("%YAML 1.1\n---\na: b", "yaml-syntax", 1),
        ('a: "\\x"', "yaml-syntax", 1),
        ("a: " + "x" * 20_000, "frontmatter-too-large", 1),
        ("a: " + "[" * 11 + "]" * 11, "frontmatter-too-deep", 1),
        ("b: 1\na: " + "[" * 100, "frontmatter-too-deep", 2),
        ("a:\n  " + "- " * 11 + "x", "frontmatter-too-deep", 2),
        ("\n".join(" " * i + "a:" for i in range(12)), "frontmatter-too-deep", 11),
    ],
)
def test_refused_with_code_and_line(text: str, code: str, line: int) -> None:
    with pytest.raises(YamlRefused) as caught:
        load(text, 1)
    assert (caught.value.code, caught.value.line) == (code, line)


def test_ten_levels_are_read() -> None:
    assert values("a: " + "[" * 9 + "]" * 9)


@pytest.mark.parametrize(
    "text", ["[" * 16_000, "a: " + ("[" * 60 + "\n") * 260, "- " * 8000, "? " * 8000, '"' + "\\" * 16_000]
)
def test_bombs_cost_little(text: str) -> None:
    start = time.process_time()
    with pytest.raises(YamlRefused):
        load(text, 1)
    assert time.process_time() - start < 1


PARTS = st.sampled_from(
    [
        "name",
        "key",
        "🔐 한국 é",
        ": ",
        ":",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "'",
        '"',
        "\\n",
        "\\ud83d",
        " # note",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "|\n",
        ">-\n",
        "? ",
        "?",
        "\ufeff",
        "|#",
        "&a ",
        "*a",
        "!t ",
        "%",
        "---",
        "...",
        "\t",
        "\x85",
        "1.10",
        "yes",
        "<<",
        "@",
        "`",
    ]
)


@given(text=st.lists(PARTS, max_size=14).map("".join))
@settings(max_examples=500, derandomize=True)
def test_what_the_fast_parser_reads_the_slow_one_reads_alike(text: str) -> None:
    assume(not yamltext.SLOW.search(text) and not ("?" in text and re.search(r"[\[{]", text)))
    try:
        fast = yamltext._built(text, 5, yamltext.FAST)
    except (YamlRefused, *yamltext.UNREADABLE):
        return
    assert fast == yamltext._built(text, 5, yaml.SafeLoader)


def test_behind_a_byte_order_mark_values_stand_where_they_are() -> None:
    text = "\ufeff\nname: a"
    assert load(text, 1).entries[0].source == Source(Span(2, 6), Span(8, 9))
    assert yamltext._built(text, 1, yamltext.FAST).entries[0].source == Source(Span(1, 5), Span(7, 8))


def test_a_comment_glued_to_a_block_is_refused() -> None:
    assert yamltext._built("name: |#\n  a", 1, yamltext.FAST).entries
    with pytest.raises(YamlRefused):
        load("name: |#\n  a", 1)


def test_a_question_in_brackets_is_read() -> None:
    assert load("triggers: [what is new?, why?]", 1).entries[0].value == ["what is new?", "why?"]
