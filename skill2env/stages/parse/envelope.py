"""Finds the frontmatter of a SKILL.md: where it starts and ends, strictly first, then leniently."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from skill2env.stages.parse.codes import Findings, shown

FENCE = re.compile(r"^ {0,3}(-{3,}|\*{3,}|_{3,}|={3,}|\+{3,}|—+)\s*$")
GLUED = re.compile(r"^-{3,}\s*(?=[^\s-])")
INDENTED_FENCE = re.compile(r"^( {4,})-{3,}\s*$")
CODE_FENCE = re.compile(r"^(`{3,}|~{3,})\s*(markdown|md|yaml|yml|)\s*$", re.IGNORECASE)
ANY_CODE_FENCE = re.compile(r"^(`{3,}|~{3,})")
KEY = re.compile(r"""^["']?[A-Za-z_][\w.-]*["']?\s*:(?:\s|$)""")
LEADING_KEY = re.compile(r"^\s*[\"']?(?:name|description)[\"']?\s*[:=]", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+\S")
TOML_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*=\s*", re.MULTILINE)

MAX_LEAD_LINES = 40
"""How far down a late frontmatter is looked for."""


@dataclass
class Envelope:
    """One block of frontmatter and what of the file is not body."""

    yaml: str
    line: int
    """Line of the file on which the YAML starts, from 1."""
    hidden: list[range] = field(default_factory=list)
    """Line indices (from 0) that are no part of the body."""
    glued: dict[int, str] = field(default_factory=dict)
    """Line index to the body text that was glued to a fence there."""
    end: int = 0
    """Index of the first line after the block."""
    closed: bool = True
    """False for a block without keys that no fence ends."""
    second: Envelope | None = None
    """A second block right below the first."""


def strict(lines: list[str]) -> Envelope | None:
    """Return the block between a first line `---` and the next line `---`, or None."""
    if not lines or lines[0] != "---":
        return None
    try:
        close = lines.index("---", 1)
    except ValueError:
        return None
    return _with_second(lines, _envelope(lines, 0, close, close + 1))


def lenient(lines: list[str], findings: Findings) -> Envelope | None:
    """Return the frontmatter of a damaged file, with findings on what was tolerated, or None.

    Tolerated: blank lines, comments or text before the fence, a code fence around it, fences that are
    indented, too long, of another character, glued to text or missing altogether.
    """
    start = _skip_lead(lines, 0)
    found = _open_at(lines, start, findings)
    if found is None:
        start = _late_start(lines, start)
        found = _open_at(lines, start, findings) if start >= 0 else None
    if found is None:
        return None
    _report_lead(lines, start, findings)
    return _with_second(lines, found)


def _envelope(lines: list[str], first: int, close: int, end: int) -> Envelope:
    block = "\n".join(lines[first + 1 : close])
    return Envelope(yaml=block, line=first + 2, hidden=[range(max(first, 0), end)], end=end)


def _skip_lead(lines: list[str], index: int) -> int:
    """Return the index of the first line that is neither blank nor part of an HTML comment."""
    while index < len(lines):
        line = lines[index].strip()
        if line.startswith("<!--"):
            while index < len(lines) and "-->" not in lines[index]:
                index += 1
        elif line:
            return index
        index += 1
    return index


def _report_lead(lines: list[str], start: int, findings: Findings) -> None:
    lead = lines[:start]
    if _skip_lead(lines, 0) < start:
        text = shown(lines[_skip_lead(lines, 0)])
        findings.add("text-before-frontmatter", f"`{text}` stands before the frontmatter; move it below.", 1)
    elif any("<!--" in line for line in lead):
        message = "A comment stands before the frontmatter; move it below, the fence must be the first line."
        findings.add("comment-before-frontmatter", message, 1)
    elif lead:
        message = "Blank lines stand before the frontmatter; the fence must be the first line."
        findings.add("blank-before-frontmatter", message, 1)


def _late_start(lines: list[str], start: int) -> int:
    """Return the index of a fence within the first lines that has `name` or `description` below, or -1."""
    for index in range(start, min(len(lines), start + MAX_LEAD_LINES)):
        if FENCE.match(lines[index]) and any(
            LEADING_KEY.match(line) for line in lines[index + 1 : index + 5]
        ):
            return index
    return -1


def _open_at(lines: list[str], start: int, findings: Findings) -> Envelope | None:
    """Return the block that opens at a line, if one does."""
    if start >= len(lines):
        return None
    line = lines[start]
    if CODE_FENCE.match(line):
        return _in_code(lines, start, findings)
    fence = FENCE.match(line)
    key = TOML_KEY if fence and fence[1][0] == "+" else KEY
    if fence and any(key.match(below) for below in lines[start + 1 : start + 10]):
        _report_fence(line, fence[1], start, findings)
        return _close(lines, start, findings)
    glued = GLUED.match(line)
    if glued and LEADING_KEY.match(line[glued.end() :]):
        findings.add("fence-glued", "Text follows the opening fence; put it on its own line.", start + 1)
        lines = [*lines[:start], "---", line[glued.end() :], *lines[start + 1 :]]
        found = _close(lines, start, findings)
        return _shifted(found)
    if (
        LEADING_KEY.match(line)
        and ":" in line
        and sum(bool(KEY.match(x)) for x in lines[start : start + 8]) > 1
    ):
        findings.add("frontmatter-unopened", "The keys have no `---` above them; add it.", start + 1)
        return _close(lines, start - 1, findings)
    return _without_keys(lines, start) if fence else None


def _without_keys(lines: list[str], start: int) -> Envelope:
    """Return a block without keys, to be searched for translated ones."""
    for index in range(start + 1, len(lines)):
        if FENCE.match(lines[index]):
            return _envelope(lines, start, index, index + 1)
        if HEADING.match(lines[index]):
            return Envelope("\n".join(lines[start + 1 : index]), start + 2, end=len(lines), closed=False)
    return Envelope("\n".join(lines[start + 1 :]), start + 2, end=len(lines), closed=False)


def _shifted(found: Envelope) -> Envelope:
    """Undo the line that was added for a glued opening fence."""
    hidden = [range(span.start, max(span.stop - 1, span.start)) for span in found.hidden]
    glued = {index - 1: text for index, text in found.glued.items()}
    return Envelope(found.yaml, found.line - 1, hidden, glued, found.end - 1)


def _in_code(lines: list[str], start: int, findings: Findings) -> Envelope | None:
    """Return frontmatter inside a code fence: the whole file wrapped, or YAML in a block of its own."""
    inner = _skip_lead(lines, start + 1)
    if inner >= len(lines):
        return None
    message = "The frontmatter is inside a code fence; take the fence away."
    marker = lines[start].strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    if FENCE.match(lines[inner]) and any(KEY.match(line) for line in lines[inner + 1 : inner + 10]):
        findings.add("frontmatter-in-code", message, start + 1)
        found = _close(lines, inner, findings)
        last = next((i for i in range(len(lines) - 1, found.end - 1, -1) if lines[i].strip()), start)
        if lines[last].strip() == marker:
            found.hidden.append(range(last, last + 1))
        found.hidden.append(range(start, inner))
        return found
    if LEADING_KEY.match(lines[inner]):
        close = next((i for i in range(inner, len(lines)) if lines[i].strip() == marker), len(lines))
        findings.add("frontmatter-in-code", message, start + 1)
        return _envelope(lines, start, close, close + 1)
    return None


def _report_fence(line: str, marks: str, index: int, findings: Findings) -> None:
    if line == "---":
        return
    if marks[0] != "-":
        message = f"`{shown(line, 20)}` is no fence of frontmatter; use `---`."
        findings.add("fence-wrong-character", message, index + 1)
    else:
        message = "The fence has spaces around it or too many hyphens; use `---` alone."
        findings.add("fence-not-exact", message, index + 1)


def _close(lines: list[str], first: int, findings: Findings) -> Envelope:
    """Return the block that opens at line index `first`, ended at the best closing there is."""
    for index in range(first + 1, len(lines)):
        line = lines[index]
        fence = FENCE.match(line)
        glued = GLUED.match(line)
        if fence or line.rstrip() == "...":
            _report_fence(line, fence[1] if fence else ".", index, findings)
            return _toml(lines, _envelope(lines, first, index, index + 1), first)
        if glued:
            findings.add("fence-glued", "Text follows the closing fence; put it on its own line.", index + 1)
            found = _envelope(lines, first, index, index)
            found.glued[index] = line[glued.end() :]
            return found
        if ANY_CODE_FENCE.match(line) or (HEADING.match(line) and _ends_keys(lines, first, index)):
            return _unclosed(lines, first, index, findings)
    return _unclosed(lines, first, len(lines), findings)


def _unclosed(lines: list[str], first: int, end: int, findings: Findings) -> Envelope:
    for index in range(first + 1, end):
        indent = INDENTED_FENCE.match(lines[index])
        if indent and any(line.strip().startswith("# ") for line in lines[index + 1 : index + 3]):
            message = "The closing fence is indented, and the text below it; start both at the margin."
            findings.add("fence-not-exact", message, index + 1)
            found = _envelope(lines, first, index, index + 1)
            found.glued = {i: lines[i].removeprefix(indent[1]) for i in range(index + 1, len(lines))}
            return found
    message = "The frontmatter has no closing `---`; it was ended where the keys end."
    findings.add("frontmatter-unclosed", message, first + 1 or 1)
    return _envelope(lines, first, end, end)


def _ends_keys(lines: list[str], first: int, index: int) -> bool:
    """Return whether a `# ...` line is the first heading of the text and not a YAML comment."""
    if index == first + 1 or not any(KEY.match(lines[i]) for i in range(first + 1, index)):
        return False
    below = next((lines[i] for i in range(index + 1, len(lines)) if lines[i].strip()), "")
    return not (KEY.match(below) or below.startswith((" ", "-", "#")) or FENCE.match(below))


def _toml(lines: list[str], found: Envelope, first: int) -> Envelope:
    """Turn `key = value` lines between `+++` fences into YAML's form."""
    if first >= 0 and lines[first].lstrip().startswith("+++"):
        found.yaml = TOML_KEY.sub(r"\1: ", found.yaml)
    return found


def _with_second(lines: list[str], found: Envelope) -> Envelope:
    """Attach a second block of frontmatter that follows the first directly."""
    start = next((i for i in range(found.end, len(lines)) if lines[i].strip()), len(lines))
    if found.glued or start >= len(lines) or lines[start].rstrip() != "---":
        return found
    for close in range(start + 1, len(lines)):
        if lines[close].rstrip() == "---":
            if any(LEADING_KEY.match(line) for line in lines[start + 1 : close]):
                found.second = _envelope(lines, start, close, close + 1)
                found.hidden.extend(found.second.hidden)
            break
        if not lines[close].strip() and not any(LEADING_KEY.match(x) for x in lines[start + 1 : close]):
            break
    return found
