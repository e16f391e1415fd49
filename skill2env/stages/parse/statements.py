"""Finds the sentences of a text that demand or forbid something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from skill2env.models.skill import Statement
from skill2env.stages.parse.body import Paragraph
from skill2env.stages.parse.words import containing

Polarity = Literal["do", "dont"]
Strength = Literal["must", "should"]

MAX_STATEMENT_CHARS = 600
SENTENCE_END = re.compile(r"(?<=[.!?])[)\"'”*_]*\s+(?=[A-Z0-9`*_\"'(\[“])|(?<=[。！？])|\n(?=[-*] )")
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*\)")
EMPHASIS = re.compile(r"\*\*|(?<![\w`])__|__(?![\w`])|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
CHECKBOX = re.compile(r"^\[[ xX]\]\s+")


class Cue(NamedTuple):
    """One normative wording."""

    pattern: re.Pattern[str]
    polarity: Polarity
    strength: Strength


def _cue(pattern: str, polarity: Polarity, strength: Strength) -> Cue:
    return Cue(re.compile(pattern, re.IGNORECASE), polarity, strength)


CLAUSE_START = (
    r"(?:^[^\w\s]{0,4}\s*|[,;:.(\u2014\u2013\u2192\u21d2>-]\s*|[\"'*`]"
    r"|\b(?:and|but|then|please|so|or|also|should|just)\s+)"
)
CUES = (
    _cue(r"\b(?:don['’]t|do\s+not|never)\s+forget\b", "do", "must"),
    _cue(r"(?:不要|切勿|别)忘", "do", "must"),
    _cue(r"\b(?:must|shall|may)\s+(?:not|never)\b|\bmustn['’]t\b|\bnever\b", "dont", "must"),
    _cue(r"\bunder no circumstances\b|\b(?:is|are)\s+(?:forbidden|prohibited)\b", "dont", "must"),
    _cue(CLAUSE_START + r"(?:do\s+not|don['’]t)\b", "dont", "must"),
    _cue(
        r"禁止|严禁|切勿|(?<!不)不得(?!不)|不要|不能|绝不|不可(?![用逆变靠知信见及避缺少])"
        r"|ては(?:いけない|いけません|ならない|なりません)|ないでください",
        "dont",
        "must",
    ),
    _cue(r"\b(?:should|ought)\s+(?:not|never)\b|\bshouldn['’]t\b", "dont", "should"),
    _cue(CLAUSE_START + r"avoid(?:ing)?\b|\b(?:to|must|always) avoid\b", "dont", "should"),
    _cue(
        r"避免|避け|不(?:太)?(?:建议|推荐|应该|应当|宜)|非推奨|推奨(?:し|され)(?:ない|ません)|べきでは?(?:ない|ありません)",
        "dont",
        "should",
    ),
    _cue(
        r"\b(?:must|shall)\b|(?<!not )(?<!n't )(?<!n’t )\b(?:always|mandatory)\b|\b(?:is|are)\s+required\b|\bmake\s+sure\b",
        "do",
        "must",
    ),
    _cue(
        r"(?<!不)(?<!不是)必须|务必|(?<!不)(?:始终|总是)|一定要|必ず|なければ(?:ならない|なりません|いけない|いけません)",
        "do",
        "must",
    ),
    _cue(r"\bshould\b|\bprefer(?:red|ably)?\b|\bensure\b|\b(?:is|are)\s+recommended\b", "do", "should"),
    _cue(r"(?:^|[,;:]\s*)before\s+\w+|\bbefore\s+(?:you\b|(?!being\b)\w+ing\b)", "do", "should"),
    _cue(r"应该|应当|建议|之前.{0,20}先|推奨|べき", "do", "should"),
)
"""In order of precedence: prohibitions first, so that `must not` is not taken for `must`."""
LATIN_CUES = tuple(cue for cue in CUES if all(char < "\u3000" for char in cue.pattern.pattern))
"""Those that a text in ASCII can hold."""
HINT_TEXT = (
    "must|shall|never|always|avoid|should|before|don't|don’t|do not|do\nnot|may not|may\nnot|required|sure|prefer|ensure"
    "|recommended|mandatory|forbidden|prohibited|circumstances|ought|禁止|严禁|切勿|不得|不要|不能|绝不|不可|避免|避け|必须"
    "|务必|始终|总是|一定要|必ず|なければならない|应该|应当|建议|之前|推奨|べき|ては|ないで|なければ|推荐|不宜|不要忘|别忘|forget"
)
HINTS = tuple(HINT_TEXT.split("|"))
"""One of these is in every statement; most paragraphs hold none, and looking for them is much faster than for the cues."""


def find_statements(paragraphs: list[Paragraph]) -> tuple[Statement, ...]:
    """Return the normative sentences of all paragraphs, list items, cells and headings, with their lines."""
    maybe = containing([paragraph.text for paragraph in paragraphs], HINTS)
    return tuple(found for index in sorted(maybe) for found in _statements(paragraphs[index]))


def _statements(paragraph: Paragraph) -> Iterator[Statement]:
    for offset, sentence in _sentences(paragraph.text):
        text = _plain(sentence)
        cue = _first_cue(text)
        if cue is not None and len(text) > len(cue[1]):
            yield Statement(
                text=text if len(text) <= MAX_STATEMENT_CHARS else text[: MAX_STATEMENT_CHARS - 1] + "…",
                polarity=cue[0].polarity,
                strength=cue[0].strength,
                cue=cue[1],
                line=paragraph.line + offset,
                section=paragraph.section,
            )


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence with the number of line breaks before its first character."""
    lines, start = 0, 0
    for match in SENTENCE_END.finditer(text):
        sentence = text[start : match.end()]
        yield lines + _leading_breaks(sentence), sentence
        lines += sentence.count("\n")
        start = match.end()
    if start < len(text):
        yield lines + _leading_breaks(text[start:]), text[start:]


def _leading_breaks(sentence: str) -> int:
    return sentence[: len(sentence) - len(sentence.lstrip())].count("\n")


def _plain(sentence: str) -> str:
    """Return the sentence on one line, with link texts in place of links and without emphasis marks."""
    flat = CHECKBOX.sub("", " ".join(sentence.split()))
    parts = LINK.sub(r"\1", flat).split("`")
    return "`".join(
        EMPHASIS.sub("", part) if index % 2 == 0 else part for index, part in enumerate(parts)
    ).strip()


def _first_cue(text: str) -> tuple[Cue, str] | None:
    for cue in LATIN_CUES if text.isascii() else CUES:
        match = cue.pattern.search(text)
        if match:
            word = re.sub(r"^[^\w]+|^(?:and|but|then|please|so|or|also|just)\s+", "", match[0].lower())
            return cue, " ".join(word.split())
    return None
