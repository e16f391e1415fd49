"""Reads the Markdown of a skill into sections, code blocks, lists and paragraphs, with line numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markdown_it.token import Token

from skill2env.models.skill import ChecklistItem, CodeBlock, Section, Step
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.markdown import MARKDOWN

MAX_BODY_LINES = 500
CHECKBOX = re.compile(r"^\[([ xX])\]\s+")
NUMBERED_HEADING = re.compile(
    r"^(?:(?P<word>step|phase|stage|步骤|步驟|阶段|階段|ステップ|手順|フェーズ)\s*|(?P<nth>第)\s*)?"
    r"(?:(?P<digits>\d{1,3})|(?P<numeral>[一二三四五六七八九十]{1,3}))"
    r"(?:\s*步|[.)](?![\d.])|\s*[:：、\u2014\u2013]|\s+-\s|\s*$)",
    re.I,
)
NUMERALS = "一二三四五六七八九"
CELLS: dict[str, Literal["", "head", "body"]] = {
    "thead_open": "head",
    "thead_close": "",
    "tbody_open": "body",
    "tbody_close": "",
}
LANGUAGE = re.compile(r"^[{.]*([A-Za-z][\w+#./-]*)")
CODE_IN_INFO = re.compile(r"[=;(){}\[\]\"'<>|]")
ATTRIBUTES = re.compile(r"\{.*\}|\w+(?:\s+[\w.:-]+=(?:\"[^\"]*\"|'[^']*'|[^\s\"']+))+")
"""What documentation tools read from a fence's line: `{r plot, echo=FALSE}`, `ts title="a.ts"`."""
MAX_LANGUAGE_CHARS = 20
BANG = re.compile(r"!`[^`\n]+`")


class Paragraph(NamedTuple):
    """One run of inline text."""

    text: str
    line: int
    section: int
    heading: bool
    cell: Literal["", "head", "body"] = ""
    """Which part of a table it stands in."""


@dataclass
class Body:
    """The structure of a text."""

    sections: list[Section] = field(default_factory=list)
    blocks: list[CodeBlock] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    checklist: list[ChecklistItem] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    references: dict[str, object] = field(default_factory=dict)
    """markdown-it's environment with the link definitions of the text."""
    first_paragraph: str = ""


def read_body(lines: list[str], findings: Findings) -> Body:
    """Return the structure of a text; line numbers count from 1 in the given lines."""
    body = Body()
    tokens = MARKDOWN.parse("\n".join(lines), body.references)
    last = _last_line(lines)
    body.sections = _sections(tokens, last)
    starts = [section.start_line for section in body.sections]
    _Walker(body, starts, lines, findings).walk(tokens)
    body.first_paragraph = _first_paragraph(body)
    _report(body, lines, last, findings)
    return body


def _last_line(lines: list[str]) -> int:
    return next((index + 1 for index in range(len(lines) - 1, -1, -1) if lines[index].strip()), 0)


def _sections(tokens: list[Token], last: int) -> list[Section]:
    """Return the outermost headings as a tree; a section ends before the next of its level or higher."""
    found = [
        (int(token.tag[1]), token.map[0] + 1, _plain(tokens[index + 1].content))
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    ends = [last] * len(found)
    parents = [-1] * len(found)
    open_sections: list[int] = []
    for index, (level, line, _) in enumerate(found):
        while open_sections and found[open_sections[-1]][0] >= level:
            ends[open_sections.pop()] = line - 1
        parents[index] = open_sections[-1] if open_sections else -1
        open_sections.append(index)
    return [
        Section(title=title, level=level, start_line=line, end_line=max(end, line), parent=parent)
        for (level, line, title), end, parent in zip(found, ends, parents, strict=True)
    ]


def _number(heading: re.Match[str]) -> int:
    """Return the number of a step: 12 of `12` and of `十二`."""
    if heading["digits"]:
        return int(heading["digits"])
    tens, ten, ones = heading["numeral"].rpartition("十")
    return (NUMERALS.find(tens) + 1 or 1) * (10 if ten else 0) + NUMERALS.find(ones) + 1


def _plain(text: str) -> str:
    return " ".join(text.replace("**", "").split())


class _Walker:
    """Goes through the block tokens once and collects everything but the sections."""

    def __init__(self, body: Body, starts: list[int], lines: list[str], findings: Findings) -> None:
        self.body, self.starts, self.lines, self.findings = body, starts, lines, findings
        self.line = 1
        self.lists: list[bool] = []
        self.item: Token | None = None
        self.heading = False
        self.cell: Literal["", "head", "body"] = ""

    def walk(self, tokens: list[Token]) -> None:
        for token in tokens:
            kind = token.type
            if token.map:
                self.line = token.map[0] + 1
            if kind == "inline":
                self._inline(token.content)
            elif kind in ("list_item_open", "list_item_close"):
                self.item = token if token.nesting > 0 else None
            elif kind in ("fence", "code_block"):
                self._block(token)
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self.lists.append(kind == "ordered_list_open")
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self.lists.pop()
            elif kind in ("heading_open", "heading_close"):
                self.heading = token.nesting > 0
            elif kind in CELLS:
                self.cell = CELLS[kind]

    def _section(self) -> int:
        return bisect_right(self.starts, self.line) - 1

    def _inline(self, content: str) -> None:
        section = self._section()
        self.body.paragraphs.append(Paragraph(content, self.line, section, self.heading, self.cell))
        if self.heading:
            number = NUMBERED_HEADING.match(_plain(content))
            if number and (number["digits"] or number["word"] or number["nth"]):
                self._step(_number(number), content, 1, section)
        elif self.item is not None:
            box = CHECKBOX.match(content)
            if box:
                text = content[box.end() :].strip()
                self.body.checklist.append(
                    ChecklistItem(text=text, checked=box[1] != " ", line=self.line, section=section)
                )
            if self.lists and self.lists[-1]:
                self._step(int(self.item.info or 0), content, sum(self.lists), section)
            self.item = None

    def _step(self, number: int, content: str, depth: int, section: int) -> None:
        text = _plain(content)
        self.body.steps.append(Step(number=number, text=text, depth=depth, line=self.line, section=section))

    def _block(self, token: Token) -> None:
        start, end = token.map or (self.line - 1, self.line)
        fenced = token.type == "fence"
        closed = not fenced or self._closed(token, start, end)
        info = token.info.strip()
        if fenced:
            self._report_fence(token, start, closed)
        kind: Literal["fenced", "indented"] = "fenced" if fenced else "indented"
        self.body.blocks.append(
            CodeBlock(
                language=self._language(info, start),
                info=info,
                text=token.content,
                start_line=start + 1,
                end_line=end,
                kind=kind,
                closed=closed,
                section=self._section(),
            )
        )

    def _closed(self, token: Token, start: int, end: int) -> bool:
        """Return whether the last line of a fence's span closes it, whatever list or quote holds it."""
        last = (
            self.lines[end - 1].lstrip(" >\t").rstrip() if end - 1 > start and end <= len(self.lines) else ""
        )
        return len(last) >= len(token.markup) and set(last) == {token.markup[0]}

    def _language(self, info: str, start: int) -> str:
        first = info.split(maxsplit=1)[0] if info else ""
        match = LANGUAGE.match(first)
        rest = first[match.end() :] if match else first
        if len(info) > MAX_LANGUAGE_CHARS and not ATTRIBUTES.fullmatch(info):
            column = self.lines[start].find(info) + 1
            if not match or not info.isascii():
                message = (
                    f"`{shown(info, 40)}` stands on the fence's own line and is no language; move it out."
                )
                self.findings.add("info-string-is-text", message, start + 1, column=column)
                return ""
            if CODE_IN_INFO.search(info) and (rest.strip("}") or "=" in info[:40]):
                message = f"`{shown(info, 40)}` stands on the fence's own line; move it one line down."
                self.findings.add("info-string-is-code", message, start + 1, column=column)
                return ""
        return match[1].lower().rstrip(".") if match else ""

    def _report_fence(self, token: Token, start: int, closed: bool) -> None:
        if not closed:
            message = "The code fence is never closed; everything below it counts as code."
            self.findings.add(
                "code-fence-unclosed", message, start + 1, column=self._column(start, token.markup)
            )
        marker = token.markup
        for offset, line in enumerate(token.content.split("\n")):
            text = line.lstrip()
            rest = text[len(marker) :]
            if text.startswith(marker) and rest and rest[0].isalpha() and "`" not in rest:
                message = "A code fence opens inside another of the same length; make the outer one longer."
                inner = start + 1 + offset
                self.findings.add("code-fence-nested", message, inner + 1, column=self._column(inner, marker))
                return

    def _column(self, index: int, text: str) -> int:
        """Return where a text begins in a line, from 1; 0 where it does not."""
        return self.lines[index].find(text) + 1 if index < len(self.lines) else 0


def _first_paragraph(body: Body) -> str:
    """Return the first paragraph that says something: no heading, lone link, image or lead-in to a list."""
    for paragraph in body.paragraphs:
        text = re.sub(r"!?\[[^\[\]]*\]\([^()\s]*\)", "", paragraph.text)
        lead_in = text.rstrip("* ").endswith((":", "："))
        if not paragraph.heading and not lead_in and sum(char.isalpha() for char in text) >= 8:
            return _plain(paragraph.text)
    heading = next((item.text for item in body.paragraphs if item.heading and item.text.strip()), "")
    return _plain(heading)


def _report(body: Body, lines: list[str], last: int, findings: Findings) -> None:
    if not any(line.strip() for line in lines):
        findings.add("body-empty", "There is no text after the frontmatter; add instructions.")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if last - first > MAX_BODY_LINES:
        message = (
            f"The text has {last - first} lines, more than {MAX_BODY_LINES}; move detail to references/."
        )
        findings.add("body-too-long", message)
    for index, line in enumerate(lines):
        bang = BANG.search(line) if "!`" in line else None
        if bang:
            message = "Some clients run this command while loading the skill; it was not run."
            findings.add("bang-command", message, index + 1, column=bang.start() + 1)
