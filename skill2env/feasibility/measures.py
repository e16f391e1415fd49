"""Measures a skill in numbers: its signals, its size, and which words stand in its title, its headings and its text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from skill2env.feasibility.signals import signals, title_of
from skill2env.models.feasibility import Evidence
from skill2env.models.skill import Skill

Place = Literal["title", "headings", "text"]
WORD = re.compile(r"[a-z][a-z+#.-]*[a-z+#]")
MAX_LINE_CHARS = 1_000


@dataclass(frozen=True)
class Measures:
    """What the verdict is computed from, and nothing else."""

    signals: tuple[Evidence, ...]
    """The signals, with their points."""
    sizes: dict[str, float]
    """Logarithms of one more than each count."""
    words: dict[Place, dict[str, int]]
    """The words of each place, with the line where each is first seen; 0 where it has none."""

    @property
    def points(self) -> dict[str, float]:
        """Points of each signal."""
        return {item.signal: item.points for item in self.signals}


def measure(skill: Skill) -> Measures:
    """Return the measures of a skill; a pure function of what was parsed."""
    lines = skill.text.split("\n")[skill.body_line - 1 :]
    characters = sum(map(len, lines))
    sizes = {
        "characters": characters,
        "characters-without-code": 0 if skill.code_blocks else characters,
        "blocks": len(skill.code_blocks),
        "commands": len(skill.commands),
        "languages": len({block.guess for block in skill.code_blocks}),
        "sections": len(skill.sections),
        "statements": len(skill.statements),
    }
    return Measures(
        signals=signals(skill),
        sizes={name: math.log1p(count) for name, count in sizes.items()},
        words={
            "title": _words([(0, title_of(skill))]),
            "headings": _words((section.start_line, section.title) for section in skill.sections),
            "text": _words(enumerate(lines, skill.body_line)),
        },
    )


def _words(lines: Iterable[tuple[int, str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in lines:
        for word in WORD.findall(line[:MAX_LINE_CHARS].lower()):
            found.setdefault(word, number)
    return found
