"""Finds the pitfalls that a skill warns of: what stands under such a heading, and labelled warnings anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from skill2env.models.skill import Pitfall, Section
from skill2env.stages.parse.body import Paragraph

HEADING = re.compile(
    r"\b(?:pitfalls?|gotchas?|common (?:mistakes?|errors?|issues?|problems?)|anti-?patterns?|mistakes?|caveats?|limitations"
    r"|known (?:issues|problems)|warnings?|things to avoid|what not to do|don['’]?ts?\b|never do|traps?|sharp edges|red flags"
    r"|failure modes?|troubleshooting|false friends)\b"
    r"|陷阱|坑|常见(?:错误|问题)|注意事项|反模式|避坑|警告|落とし穴|故障排[除查]|(?:已知|使用)限制|よくある(?:間違い|ミス|問題|エラー)|トラブルシューティング|制限事項|アンチパターン|注意点|避けるべき",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^(?:\W{0,6})(?:warning|caution|gotcha|pitfall|beware|danger|important caveat|trap|anti-?pattern"
    r"|警告|注意|陷阱|坑|危険)\W{0,3}[:：]",
    re.IGNORECASE,
)
MAX_CHARS = 400


def find_pitfalls(paragraphs: list[Paragraph], sections: list[Section]) -> tuple[Pitfall, ...]:
    """Return list items, paragraphs and table cells of sections about pitfalls, and labelled warnings, by line."""
    about = _about(sections)
    return tuple(_pitfalls(paragraphs, about))


def _about(sections: list[Section]) -> frozenset[int]:
    """Return the sections that are about pitfalls, those inside them included."""
    found: set[int] = set()
    for index, section in enumerate(sections):
        if HEADING.search(section.title[:200]) or section.parent in found:
            found.add(index)
    return frozenset(found)


def _rows(paragraphs: list[Paragraph]) -> Iterator[tuple[Paragraph, str]]:
    """Yield paragraphs with their texts; the cells of a table's row as one, its head not at all."""
    for _, group in groupby(paragraphs, key=lambda item: (item.line, item.cell)):
        first, *others = group
        if first.cell == "body":
            yield first, " | ".join(item.text for item in (first, *others) if item.text.strip())
        elif not first.cell:
            yield from ((item, item.text) for item in (first, *others))


def _pitfalls(paragraphs: list[Paragraph], about: frozenset[int]) -> Iterator[Pitfall]:
    seen = 0
    for paragraph, whole in _rows(paragraphs):
        if paragraph.line == seen:
            continue
        if paragraph.section not in about and ":" not in whole and "：" not in whole:
            continue  # no labelled warning either: its label ends in a colon
        text = " ".join(whole[: MAX_CHARS * 2].replace("**", "").split())
        inside = paragraph.section in about and not (paragraph.heading and HEADING.search(text))
        if (inside and len(text) > 3) or LABEL.match(text):
            seen = paragraph.line
            yield Pitfall(
                text=text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…",
                line=paragraph.line,
                end_line=paragraph.line + paragraph.text.rstrip().count("\n"),
                section=paragraph.section,
            )
