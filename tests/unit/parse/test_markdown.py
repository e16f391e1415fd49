"""Asking each rule only about lines that it can begin with changes nothing of what is read."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from skill2env.stages.parse.markdown import MARKDOWN

PLAIN = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
"""markdown-it's own reader of the same language."""
MARGINS = st.sampled_from(
    ("", "", "", " ", "   ", "    ", "\t", "> ", ">", ">> ", "- ", "  - ", "1. ", "   2) ")
)
MARKS = st.sampled_from(
    (
        "",
        "words",
        "# head",
        "#none",
        "```",
        "```py",
        "~~~",
        "***",
        "---",
        "- - -",
        "___",
        "===",
        "=",
        "--",
        "* item",
        "+ item",
        "7. item",
        "-",
        "**bold**",
        "[a]: /b",
        "[a]:",
        "'title'",
        "[link](x)",
        "<div>",
        "<!-- c",
        "-->",
        "</p>",
        "| a | b |",
        "|---|:-:|",
        "a | b",
        "--- | ---",
        "\\| c",
        "\u00a0wide",
        "é`",
    )
)
LINES = st.lists(st.tuples(MARGINS, MARGINS, MARKS).map("".join), max_size=14)


def seen(tokens: list[Token]) -> list[dict[str, object]]:
    return [token.as_dict() for token in tokens]


@given(lines=LINES)
@example(lines=["two", "lines", "==="])
@example(lines=["- a", "  b", "  ---", "c", "---"])
@example(lines=["> a", "---", "lazy", "==="])
@example(lines=["| a |", "|---|", "| b |", "> c"])
def test_blocks_are_those_of_the_plain_reader(lines: list[str]) -> None:
    text = "\n".join(lines)
    ours: dict[str, object] = {}
    theirs: dict[str, object] = {}
    assert seen(MARKDOWN.parse(text, ours)) == seen(PLAIN.parse(text, theirs))
    assert ours == theirs


def test_every_rule_is_asked_in_the_same_order() -> None:
    assert MARKDOWN.block.ruler.get_active_rules() == PLAIN.block.ruler.get_active_rules()
    for chain in ("", "paragraph", "reference", "blockquote", "list"):
        assert len(MARKDOWN.block.ruler.getRules(chain)) == len(PLAIN.block.ruler.getRules(chain))
