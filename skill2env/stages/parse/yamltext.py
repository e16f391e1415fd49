"""A guarded YAML reader: every scalar is a string, nothing is expanded or constructed, depth is bounded.

It builds values from the events of PyYAML's parsers, since the usual loaders expand aliases and change types (`no`, `1.10`,
`2024-01-01`). libyaml reads what is in order, five times as fast; it dies of deep brackets, which are refused before. What it
doesn't accept the pure Python parser reads, which is not recursive and says best what is wrong.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

MAX_DEPTH = 10
MAX_BRACKETS = 64
"""Depth of brackets, in quotes or not, beyond which a text is not even handed to the scanner."""
MAX_YAML_BYTES = 16_384

BRACKETS = re.compile(r"[\[\]{}]")
COMPACT = re.compile(rf"^[ ]*(?:[-?:][ \t]+){{{MAX_DEPTH + 1},}}", re.MULTILINE)
"""Nesting on one line, as in `- - - - x`."""
LINE_BREAKS = str.maketrans({"\x85": " ", "\u2028": " ", "\u2029": " "})
"""Line breaks to YAML but not to an editor: line numbers would differ."""

FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML has it wherever it was built with libyaml, as the wheels are."""
SLOW = re.compile(r"(?m)[\t\ufeff]|[|>][-+0-9]*#|(?:^|[\s,\[{-])\?(?:\s|$)")
"""What the two parsers see differently: tabs, byte order marks, comments glued to `|`, empty values of explicit keys.

A `?` inside a word in brackets is left to libyaml: YAML allows it, and the Python parser refuses it.
"""
UNREADABLE = (yaml.YAMLError, ValueError, IndexError)
"""Besides YAMLError the scanners raise ValueError and IndexError on some escapes, surrogates and directives."""

Value = str | list["Value"] | dict[str, "Value"]


class Span(NamedTuple):
    """A part of a YAML text, as offsets in characters."""

    start: int
    end: int


NOWHERE = Span(0, 0)


class Source(NamedTuple):
    """Where an entry stands in its YAML text."""

    key: Span
    value: Span


@dataclass(frozen=True)
class Entry:
    """One top-level key with its value."""

    key: str
    value: Value
    line: int
    plain: bool
    """Whether the value is an unquoted scalar."""
    column: int = 0
    """Column of the value, from 1; 0 where it is not known."""
    source: Source | None = None
    """None where the key was not read from valid YAML."""
    key_column: int = 0
    """Column of the key, as `column`."""


class Piece(NamedTuple):
    """The lines of one key as valid YAML, or comments, which have no key."""

    key: str
    text: str


@dataclass
class Loaded:
    """The top-level keys of a text, and the keys given twice at any level, with their lines."""

    entries: list[Entry] = field(default_factory=list)
    duplicates: list[tuple[str, int]] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    """The text as it should be written; empty where it is valid YAML as it stands."""
    left_out: list[str] = field(default_factory=list)
    """Lines that belong to no key."""


class YamlRefused(Exception):
    """The text is not read as YAML; `code` names the finding, `line` counts in the file, `column` from 1."""

    def __init__(self, code: str, problem: str, line: int, column: int = 0) -> None:
        super().__init__(problem)
        self.code, self.problem, self.line, self.column = code, problem, line, column


@dataclass
class _Frame:
    """A list or mapping under construction."""

    value: list[Value] | dict[str, Value]
    line: int
    start: int
    column: int
    key: str | None = None
    key_line: int = 0
    key_column: int = 0
    key_source: Span = NOWHERE


def load(text: str, first_line: int) -> Loaded:
    """Return the keys and values of a YAML mapping; all scalars are strings.

    Args:
        text: YAML without its fences.
        first_line: the line of the file on which the text starts, from 1.

    Raises:
        YamlRefused: syntax, size, depth, an anchor, alias, merge key or tag, or no mapping at the top.
    """
    check_depth(text, first_line)
    if not SLOW.search(text):
        with contextlib.suppress(YamlRefused, *UNREADABLE):
            return _built(text, first_line, FAST)
    try:
        return _built(text, first_line, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (first_line + mark.line, mark.column + 1) if mark else (first_line, 0)
        line = min(line, first_line + text.rstrip("\n").count("\n"))
        raise YamlRefused("yaml-syntax", error.problem or "it can't be read", line, column) from error
    except UNREADABLE as error:
        raise YamlRefused("yaml-syntax", "it can't be read", first_line) from error


def _built(text: str, first_line: int, loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader]) -> Loaded:
    builder = _Builder(first_line)
    for event in yaml.parse(text.translate(LINE_BREAKS), Loader=loader):
        builder.take(event)
    return builder.loaded


def check_depth(text: str, first_line: int) -> None:
    """Refuse a text that is too large, or whose brackets or one-line lists are nested too deeply.

    Raises:
        YamlRefused: `frontmatter-too-large` or `frontmatter-too-deep`.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_YAML_BYTES:
        problem = f"{size:,} bytes of frontmatter are more than {MAX_YAML_BYTES:,}"
        raise YamlRefused("frontmatter-too-large", problem, first_line)
    depth = 0
    for match in BRACKETS.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(depth - 1, 0)
        if depth > MAX_BRACKETS:
            line = first_line + text.count("\n", 0, match.start())
            raise YamlRefused("frontmatter-too-deep", f"more than {MAX_DEPTH} levels of brackets", line)
    compact = COMPACT.search(text)
    if compact:
        line = first_line + text.count("\n", 0, compact.start())
        raise YamlRefused("frontmatter-too-deep", f"more than {MAX_DEPTH} levels on one line", line)


class _Builder:
    """Builds the value of the first document from parser events, with an explicit stack."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.loaded = Loaded()
        self.stack: list[_Frame] = []
        self.documents = 0
        self.end = 0
        """Offset of the end of the last scalar or bracket: a block's own end lies behind comments."""

    def take(self, event: yaml.Event) -> None:
        """Take one event; raise YamlRefused for what is not allowed."""
        assert event.start_mark and event.end_mark
        start, end = event.start_mark, event.end_mark
        line, column = self.first_line + start.line, start.column + 1
        if isinstance(event, yaml.AliasEvent):
            raise YamlRefused("yaml-anchor", f"`*{event.anchor}` is an alias", line, column)
        if isinstance(event, yaml.NodeEvent):
            self._node(event, start.index, end.index, line, column)
        elif isinstance(event, yaml.CollectionEndEvent):
            if end.index > start.index:
                self.end = end.index
            frame = self.stack.pop()
            self._place(frame.value, frame.line, frame.start, frame.column, plain=False)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1 or event.version or event.tags:
                raise YamlRefused("yaml-syntax", "a second document or a directive starts", line, 1)

    def _node(self, event: yaml.NodeEvent, start: int, end: int, line: int, column: int) -> None:
        if event.anchor is not None:
            raise YamlRefused("yaml-anchor", f"`&{event.anchor}` is an anchor", line, column)
        tag: str | None = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise YamlRefused("yaml-tag", f"`{tag}` is a tag", line, column)
        if isinstance(event, yaml.ScalarEvent):
            self.end = end
            self._place(text_of(event.value), line, start, column, plain=not event.style)
            return
        self._refuse_as_key(line, column)
        if len(self.stack) >= MAX_DEPTH:
            raise YamlRefused("frontmatter-too-deep", f"more than {MAX_DEPTH} levels of values", line, column)
        value: list[Value] | dict[str, Value] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self.stack.append(_Frame(value, line, start, column))

    def _refuse_as_key(self, line: int, column: int) -> None:
        frame = self.stack[-1] if self.stack else None
        if frame and isinstance(frame.value, dict) and frame.key is None:
            problem = "a list or mapping stands where a key belongs"
            raise YamlRefused("yaml-syntax", problem, line, column)

    def _place(self, value: Value, line: int, start: int, column: int, *, plain: bool) -> None:
        if not self.stack:
            if not isinstance(value, dict):
                raise YamlRefused("yaml-not-a-mapping", "it is no list of keys and values", line, column)
            return
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is None:
            frame.key, frame.key_line, frame.key_column = str(value), line, column
            frame.key_source = Span(start, self.end)
            if frame.key == "<<":
                raise YamlRefused("yaml-anchor", "`<<` is a merge key", line, column)
        else:
            source = Source(frame.key_source, Span(start, self.end))
            entry = Entry(frame.key, value, frame.key_line, plain, column, source, frame.key_column)
            self._put(frame, entry)

    def _put(self, frame: _Frame, entry: Entry) -> None:
        assert isinstance(frame.value, dict)
        if entry.key in frame.value:
            self.loaded.duplicates.append((entry.key, entry.line))
        frame.value[entry.key] = entry.value
        frame.key = None
        if len(self.stack) == 1:
            self.loaded.entries = [known for known in self.loaded.entries if known.key != entry.key]
            self.loaded.entries.append(entry)


def text_of(text: str) -> str:
    """Return a text with pairs of surrogate escapes joined, lone ones replaced, and controls dropped."""
    if text.isascii():
        return text.translate(_NO_CONTROLS)
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.translate(_NO_CONTROLS)


_NO_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)))
