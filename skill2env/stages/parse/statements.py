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
SENTENCE_END = re.compile(
    r"[.!?。！？\n](?:(?<=[.!?])[)\"'”*_]*\s+(?=[A-Z0-9`*_\"'(\[“])|(?<=[。！？])|(?<=\n)(?=[-*] ))"
)
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*\)")
EMPHASIS = re.compile(r"\*\*|(?<![\w`])__|__(?![\w`])|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
CHECKBOX = re.compile(r"^\[[ xX]\]\s+")


class Cue(NamedTuple):
    """One normative wording."""

    pattern: re.Pattern[str]
    polarity: Polarity
    strength: Strength
    hints: tuple[str, ...]
    """One of these is in every text that matches, as it is written and in lower case; most texts hold none."""


def _cue(pattern: str, polarity: Polarity, strength: Strength, hints: str) -> Cue:
    return Cue(re.compile(pattern, re.IGNORECASE), polarity, strength, tuple(hints.split("|")))


CLAUSE_START = (
    r"(?:^[^\w\s]{0,4}\s*|[,;:.(\u2014\u2013\u2192\u21d2>-]\s*|[\"'*`]"
    r"|\b(?:and|but|then|please|so|or|also|should|just)\s+)"
)
CUES = (
    _cue(r"\b(?:don['’]t|do\s+not|never)\s+forget\b", "do", "must", "forget"),
    _cue(r"(?:不要|切勿|别)忘", "do", "must", "忘"),
    _cue(
        r"\b(?:must|shall|may)\s+(?:not|never)\b|\bmustn['’]t\b|\bnever\b",
        "dont",
        "must",
        "must|shall|never|may",
    ),
    _cue(
        r"\bunder no circumstances\b|\b(?:is|are)\s+(?:forbidden|prohibited)\b",
        "dont",
        "must",
        "circumstances|forbidden|prohibited",
    ),
    _cue(
        CLAUSE_START + r"(?:do\s+not|don['’]t)\b",
        "dont",
        "must",
        "don't|don’t|do not|do\n|do  |do *|do*",
    ),
    _cue(
        r"禁止|严禁|切勿|(?<!不)不得(?!不)|不要|不能|绝不|不可(?![用逆变靠知信见及避缺少])"
        r"|ては(?:いけない|いけません|ならない|なりません)|ないでください",
        "dont",
        "must",
        "禁止|严禁|切勿|不得|不要|不能|绝不|不可|ては|ないで",
    ),
    _cue(
        r"\b(?:should|ought)\s+(?:not|never)\b|\bshouldn['’]t\b",
        "dont",
        "should",
        "should|ought",
    ),
    _cue(CLAUSE_START + r"avoid(?:ing)?\b|\b(?:to|must|always) avoid\b", "dont", "should", "avoid"),
    _cue(
        r"避免|避け|不(?:太)?(?:建议|推荐|应该|应当|宜)|非推奨|推奨(?:し|され)(?:ない|ません)|べきでは?(?:ない|ありません)",
        "dont",
        "should",
        "避|建议|推荐|应该|应当|不宜|不太宜|推奨|べき",
    ),
    _cue(
        r"\b(?:must|shall)\b|(?<!not )(?<!n't )(?<!n’t )\b(?:always|mandatory)\b|\b(?:is|are)\s+required\b|\bmake\s+sure\b",
        "do",
        "must",
        "must|shall|always|mandatory|required|sure",
    ),
    _cue(
        r"(?<!不)(?<!不是)必须|务必|(?<!不)(?:始终|总是)|一定要|必ず|なければ(?:ならない|なりません|いけない|いけません)",
        "do",
        "must",
        "必须|务必|始终|总是|一定要|必ず|なければ",
    ),
    _cue(
        r"\bshould\b|\bprefer(?:red|ably)?\b|\bensure\b|\b(?:is|are)\s+recommended\b",
        "do",
        "should",
        "should|prefer|ensure|recommended",
    ),
    _cue(
        r"(?:^|[,;:]\s*)before\s+\w+|\bbefore\s+(?:you\b|(?!being\b)\w+ing\b)",
        "do",
        "should",
        "before",
    ),
    _cue(r"应该|应当|建议|之前.{0,20}先|推奨|べき", "do", "should", "应该|应当|建议|之前|推奨|べき"),
)
"""In order of precedence: prohibitions first, so that `must not` is not taken for `must`."""
LATIN_CUES = tuple(cue for cue in CUES if all(char < "\u3000" for char in cue.pattern.pattern))
"""Those that a text in ASCII can hold."""
HINTS = sorted({hint for cue in CUES for hint in cue.hints})


def find_statements(paragraphs: list[Paragraph]) -> tuple[Statement, ...]:
    """Return the normative sentences of all paragraphs, list items, cells and headings, with their lines."""
    maybe = containing([paragraph.text for paragraph in paragraphs], HINTS)
    return tuple(found for index in sorted(maybe) for found in _statements(paragraphs[index]))


def _statements(paragraph: Paragraph) -> Iterator[Statement]:
    for offset, sentence in _sentences(paragraph.text):
        lower = sentence.lower()
        possible = [
            cue
            for cue in (LATIN_CUES if lower.isascii() else CUES)
            if any(map(lower.__contains__, cue.hints))
        ]
        if not possible:
            continue
        text = _plain(sentence)
        cue = _first_cue(text, possible)
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
    if "](" in flat:
        flat = LINK.sub(r"\1", flat)
    if "*" in flat or "__" in flat:
        parts = flat.split("`")
        parts[::2] = [EMPHASIS.sub("", part) for part in parts[::2]]
        flat = "`".join(parts)
    return flat.strip()


def _first_cue(text: str, cues: list[Cue]) -> tuple[Cue, str] | None:
    for cue in cues:
        match = cue.pattern.search(text)
        if match:
            word = re.sub(r"^[^\w]+|^(?:and|but|then|please|so|or|also|just)\s+", "", match[0].lower())
            return cue, " ".join(word.split())
    return None
