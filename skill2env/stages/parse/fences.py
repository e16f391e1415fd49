"""Closes code fences that were never closed, where the text shows where, without moving a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skill2env.models.skill import CodeBlock
from skill2env.stages.parse.body import read_body
from skill2env.stages.parse.codes import Findings

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})(.*)$")
HEADING = re.compile(r"^(#{1,6})\s+\S")
TEMPLATES = ("markdown", "md", "mdx", "text", "txt")
"""Languages whose blocks may hold headings of their own."""
MAX_LINES = 5_000
"""Of a text in which anything is looked for: every round reads it once more."""
MAX_READ = 200_000
"""Lines that all rounds together read."""


class _Change(NamedTuple):
    """What was done to a line, as a finding."""

    code: str
    message: str
    line: int
    column: int


def closed(lines: list[str], findings: Findings) -> list[str]:
    """Return the lines of a text with fences closed or moved to the margin, as many as were given.

    A fence inside a list item whose code stands at the margin is moved there; one that runs to the end of
    the text is closed in the empty line above the next heading. What can't be told is left as it is, and so is a text
    in which each fence that is closed shows another one for too long.
    """
    if len(lines) > MAX_LINES or _balanced(lines):
        return lines
    mended, changes = lines, dict[_Change, None]()
    for _ in range(MAX_READ // len(lines)):
        before, mended = mended, _once_closed(mended, changes)
        if mended == before:
            for change in changes:
                findings.add(change.code, change.message, change.line, column=change.column)
            return mended
    return lines


def _once_closed(lines: list[str], changes: dict[_Change, None]) -> list[str]:
    blocks = [block for block in read_body(lines, Findings()).blocks if not block.closed]
    mended = list(lines)
    for block in blocks:
        changes.update(dict.fromkeys(_move_to_margin(mended, block)))
    if mended == lines and blocks:
        changes.update(dict.fromkeys(_close_above_heading(mended, blocks[-1])))
    return mended


def with_last_closed(lines: list[str]) -> list[str]:
    """Return the lines with a fence added where the last block runs to the end of the text and is code alone."""
    blocks = read_body(lines, Findings()).blocks if not _balanced(lines) else []
    last = blocks[-1] if blocks else None
    opening = FENCE.match(lines[last.start_line - 1]) if last and not last.closed else None
    if last is None or opening is None or opening[1] or not _runs_to_end(last, lines):
        return lines
    content = lines[last.start_line : last.end_line]
    if (
        not last.text.strip()
        or any(FENCE.match(line) or line.startswith("##") for line in content)
        or last.language in TEMPLATES
    ):
        return lines
    end = max(index for index in range(len(lines)) if lines[index].strip()) + 1
    return [*lines[:end], opening[2], *lines[end:]]


def _balanced(lines: list[str]) -> bool:
    """Return whether every fence is followed by one that closes it at the same depth; cheap, and mostly true."""
    opened: tuple[str, str] | None = None
    for line in lines:
        if "```" not in line and "~~~" not in line:
            continue
        match = FENCE.match(line)
        if match is None:
            continue
        if opened is None:
            opened = (match[1], match[2])
        elif not match[3].strip() and match[2].startswith(opened[1]):
            if match[1] != opened[0]:
                return False
            opened = None
    return opened is None


def _move_to_margin(lines: list[str], block: CodeBlock) -> Iterator[_Change]:
    """Move an indented opening fence to the margin where its code and its closing fence stand there."""
    start = block.start_line - 1
    opening = FENCE.match(lines[start])
    if opening is None or not opening[1]:
        return
    below = next((index for index in range(start + 1, len(lines)) if FENCE.match(lines[index])), -1)
    if below < 0 or lines[below].rstrip() != opening[2]:
        return
    content = [line for line in lines[start + 1 : below] if line.strip()]
    if content and not any(line.startswith(opening[1]) for line in content):
        lines[start] = lines[start].lstrip()
        message = "The code fence is indented and its code is not; move it to the margin."
        yield _Change("code-fence-indented", message, start + 1, len(opening[1]) + 1)


def _close_above_heading(lines: list[str], block: CodeBlock) -> Iterator[_Change]:
    """Close a block that runs to the end in the last empty line above the first heading in it."""
    opening = FENCE.match(lines[block.start_line - 1])
    if opening is None or opening[1] or block.language in TEMPLATES or not _runs_to_end(block, lines):
        return
    for index in range(block.start_line + 1, block.end_line):
        heading = HEADING.match(lines[index])
        if FENCE.match(lines[index]):
            return
        if heading and len(heading[1]) > 1 and not lines[index - 1].strip():
            lines[index - 1] = opening[2]
            glued = lines[index - 2].rstrip()
            if glued.endswith(opening[2]) and glued != opening[2]:
                lines[index - 2] = glued.removesuffix(opening[2])
            message = f"The code fence is never closed; it was closed above the heading on line {index + 1}."
            yield _Change("code-fence-unclosed", message, block.start_line, 1)
            return


def _runs_to_end(block: CodeBlock, lines: list[str]) -> bool:
    return not any(line.strip() for line in lines[block.end_line :])
