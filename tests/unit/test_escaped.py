"""Whatever a stranger writes, a page shows it as text, and a log takes it for one message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from skill2env.escaped import annotation, fenced, markdown, one_line

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
NASTY = (
    "<img src=x onerror=alert(1)>",
    "](javascript:alert(1)) [x](http://e.example) ![y](z)",
    "| a | b |\n|---|---|",
    "1. one",
    "- item",
    "> quote",
    "# heading",
    "a ``` b `c` ~~d~~ **e** _f_",
    "    code",
    "===",
    "http://e.example www.e.example @everyone $x$ &lt;b&gt; \\",
    "::error::boo",
    "<div onclick=x",
    "<!-- gone",
    "<script",
)


def _inline(text: str) -> list[Token]:
    cell = [token for token in READER.parse(text) if token.type == "inline"]
    return [child for token in cell for child in token.children or ()]


AROUND = pytest.mark.parametrize(
    "around", ["{}", "- {}", "| a |\n|---|\n| {} |"], ids=("paragraph", "item", "cell")
)


def _shows(around: str, text: str) -> None:
    """Assert that Markdown shows a text as it is, and nothing else."""
    page = around.format(markdown(text))
    blocks = {token.type.removesuffix("_open").removesuffix("_close") for token in READER.parse(page)}
    assert blocks <= {
        "paragraph",
        "inline",
        "bullet_list",
        "list_item",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    children = _inline(page)
    assert {child.type for child in children} <= {"text", "text_special"}
    shown = "".join(child.content for child in children).removeprefix("a" if "|" in around else "")
    assert shown.replace("\u2060", "").strip() == one_line(text).strip()


@AROUND
@pytest.mark.parametrize("text", NASTY)
def test_markdown_shows_a_nasty_text_as_it_is(around: str, text: str) -> None:
    _shows(around, text)


@AROUND
@given(text=st.text(max_size=60) | st.text("<>[]()*_`|#!\\&$@-+=.1 \n:/w~", max_size=40))
def test_markdown_shows_any_text_as_it_is(around: str, text: str) -> None:
    _shows(around, text)


@given(text=st.text(max_size=80) | st.text("`~\n x", max_size=40))
def test_a_fenced_text_does_not_get_out(text: str) -> None:
    tokens = READER.parse("\n".join([*fenced(text), "", "after"]))
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


def _read_by_github(line: str) -> tuple[str, dict[str, str], str]:
    """Take a workflow command apart as the runner does."""
    head, message = line[2:].split("::", 1)
    level, _, told = head.partition(" ")
    properties = dict(part.split("=", 1) for part in told.split(",") if part)
    return level, {key: _plain(value) for key, value in properties.items()}, _plain(message)


def _plain(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@given(
    message=st.text(max_size=60) | st.sampled_from(["a\n::error::b", "100%0A%25", "##[error]x\r\n"]),
    file=st.text(st.characters(categories=("L", "N", "P", "S")), max_size=20),
    title=st.sampled_from(["", "a::b,c=d", "x\ny"]),
)
def test_an_annotation_is_one_command_with_one_message(message: str, file: str, title: str) -> None:
    line = annotation("error", message, file, 7, title)
    assert len(line.splitlines()) == 1
    level, properties, shown = _read_by_github(line)
    assert level == "error"
    if message.isprintable():
        assert shown == message
    assert properties.get("file", "") == file
    assert properties.get("line", "") == ("7" if file else "")
    assert properties.get("title", "") == title


def test_what_can_not_be_seen_is_written_out() -> None:
    assert one_line("a\x1b[31m\u202eb\n c") == "a\\x1b[31m\\u202eb c"
    assert one_line("x" * 50, 10) == "xxxxxxxxx…"
