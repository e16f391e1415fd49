"""Finds the commands in shell blocks with a real grammar; nothing is executed and no shell is asked.

The grammar is tree-sitter's for bash. Blanks to fill in (`<file>`, `{{name}}`) are no shell: they are masked while a
block is parsed and stand in the commands as written. What the grammar can't read is taken line by line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from skill2env.models.skill import CodeBlock, Command
from skill2env.stages.parse.words import words

SHELLS = words(
    "bash sh shell zsh ksh ash dash console terminal shell-session shellsession sh-session shellscript "
    "shell-script bash-session fish"
)
MIN_CONFIDENCE = 0.7
"""From here a block without a language counts as what it is guessed to be."""
PROMPT = re.compile(
    r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[^$#%\n]{0,80})?[$%]\s+(?=\S)|^\s*\w+@[\w.-]+[^$#\n]{0,80}#\s+"
)
PLACEHOLDER = re.compile(
    r"<[A-Za-z][\w .:/-]*>|\{\{|\bYOUR[-_ ]|\byour[-_]|\bYOUR\b|(?<![./\w])\.\.\.(?!\w)|…"
    r"|_HERE\b|\bpath/to\b|\[[A-Z_]{3,}\]"
)
MASKED = re.compile(rb"(?<!<)<[A-Za-z\x80-\xff](?:[^<>\n]{0,80}[^\s<>])?>|\{\{[^{}\n]{0,80}\}\}")
HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
CONTINUED = re.compile(r"\\\n[ \t]*|(?<=[|&])[ \t]*\n\s*")
REMARKED = re.compile(r"\\[ \t]+#[^\n]*(?=\n[ \t]*-)")
"""A line that goes on behind its remark: no shell would take it, but what is meant is plain."""
WRAPPERS = frozenset(("sudo", "env", "time", "nohup", "exec", "command", "timeout", "nice", "xargs", "doas"))
ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")

LANGUAGE = Language(tree_sitter_bash.language())
QUERY = Query(
    LANGUAGE,
    """(command) @command (declaration_command) @declaration (comment) @comment
    (string) @kept (raw_string) @kept (ansi_c_string) @kept (heredoc_body) @kept
    (simple_expansion (variable_name) @read) (expansion (variable_name) @read)
    (variable_assignment name: (variable_name) @set)""",
)

MAX_PIECE_BYTES = 8_000
MAX_PIPES = 200
"""The grammar's time grows with the square of the pipes and here-documents in one text."""
MAX_SHELL_BYTES = 200_000
"""Of all shell blocks of a skill; commands are not looked for below them."""
MAX_LINE_BYTES = 2_000
"""A longer line is taken as one command of which only the beginning is kept."""
MAX_GROWN_LINES = 12
MAX_TRIES = 60
"""Attempts in one piece to find where a command ends that the grammar can't read with its neighbours."""


@dataclass(frozen=True)
class _Found:
    """One command of a piece: text, first and last line within the piece, and what the grammar says of it."""

    text: str
    first: int
    last: int
    programs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


def is_shell(block: CodeBlock) -> bool:
    """Return whether a block holds shell commands: by its language, its guessed language, or its prompts."""
    if block.language:
        return block.language in SHELLS
    return (block.guess == "bash" and block.confidence >= MIN_CONFIDENCE) or _prompted(block.text)


def shell_commands(blocks: list[CodeBlock]) -> tuple[Command, ...]:
    """Return the commands of all shell blocks in order.

    Where a block shows prompts, lines without one are output and left out. Only the first MAX_SHELL_BYTES of
    shell text are read.
    """
    commands: list[Command] = []
    room = MAX_SHELL_BYTES
    for index, block in enumerate(blocks):
        if not is_shell(block):
            continue
        room -= len(block.text)
        if room < 0:
            break
        commands.extend(_commands(block, index))
    return tuple(commands)


def _prompted(text: str) -> bool:
    return ("$" in text or "%" in text or "#" in text) and any(
        PROMPT.match(line) for line in text.split("\n")
    )


def _commands(block: CodeBlock, index: int) -> Iterator[Command]:
    lines = block.text.split("\n")
    if _prompted(block.text):
        lines = _typed(lines)
    first = block.start_line + (block.kind == "fenced")
    for offset, piece in _pieces(lines):
        for found in _read(piece):
            yield Command(
                text=found.text,
                program=found.programs[0] if found.programs else "",
                programs=found.programs,
                reads=found.reads,
                sets=found.sets,
                line=first + offset + found.first,
                end_line=first + offset + found.last,
                block=index,
                placeholder=bool(PLACEHOLDER.search(found.text)),
            )


def _typed(lines: list[str]) -> list[str]:
    """Return the lines with prompts taken off and output blanked; what goes on below a prompt is kept."""
    kept: list[str] = []
    ends: list[str] = []
    for line in lines:
        prompt = PROMPT.match(line)
        above = kept[-1] if kept else ""
        if ends:
            kept.append(re.sub(r"^> ?", "", line))
            if kept[-1].strip() == ends[0]:
                ends.pop(0)
        elif prompt:
            kept.append(line[prompt.end() :])
            ends = [match[2] for match in HEREDOC.finditer(kept[-1]) if "<<<" not in kept[-1]]
        elif above.endswith("\\") or (above and re.match(r"\s*> ", line)):
            kept.append(re.sub(r"^\s*>\s?", "", line))
        else:
            kept.append("")
    return kept


def _pieces(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield texts that the grammar reads in a bounded time, with their offsets in lines."""
    text = "\n".join(lines)
    if len(text) <= MAX_PIECE_BYTES and text.count("|") <= MAX_PIPES and text.count("<<") <= MAX_PIPES:
        yield 0, lines
        return
    start = size = marks = 0
    for index, line in enumerate(lines):
        more = line.count("|") + line.count("<<")
        if index > start and (size + len(line) > MAX_LINE_BYTES or marks + more > MAX_PIPES):
            yield start, lines[start:index]
            start, size, marks = index, 0, 0
        size, marks = size + len(line) + 1, marks + more
    yield start, lines[start:]


def _read(lines: list[str]) -> Iterator[_Found]:
    """Yield the commands of a piece; lines that the grammar can't read are read anew, from fewest lines up."""
    found, bad = _parsed(lines)
    again: list[_Found] = []
    tries, line = 0, 0
    while line < len(lines):
        if line not in bad or not lines[line].strip():
            line += 1
            continue
        end = line + 1
        while tries < MAX_TRIES and end <= min(line + MAX_GROWN_LINES, len(lines)):
            tries += 1
            more, wrong = _parsed(lines[line:end])
            if not wrong:
                break
            end += 1
        else:
            more, end = _alone(lines[line]), line + 1
        again.extend(_moved(item, line) for item in more)
        line = end
    yield from sorted([*found, *again], key=lambda item: item.first)


def _moved(found: _Found, lines: int) -> _Found:
    return _Found(
        found.text, found.first + lines, found.last + lines, found.programs, found.reads, found.sets
    )


def _alone(line: str) -> list[_Found]:
    """Return a line that is no shell as one command, by its first word."""
    text = line.strip()[:MAX_LINE_BYTES]
    if text.startswith("#"):
        return []
    word = re.match(r"[^\s;|&<>()\"'`]+", text)
    return [_Found(text, 0, 0, (word[0],) if word and word[0][0] != "-" else ())]


def _parsed(lines: list[str]) -> tuple[list[_Found], frozenset[int]]:
    """Return the commands that the grammar reads, and the lines that it can't read."""
    if len(lines) == 1 and len(lines[0]) > MAX_LINE_BYTES:
        return [], frozenset((0,))
    source = REMARKED.sub(r"\\", "\n".join(lines)).encode("utf-8", "replace")
    masked = MASKED.sub(lambda match: b"_" * len(match[0]), source)
    root = Parser(LANGUAGE).parse(masked + b"\n").root_node
    nodes = [node for node in root.children if node.is_named and node.type != "comment"]
    bad: set[int] = set()
    if root.has_error:
        for node in root.children:
            if node.has_error or node.is_error or node.is_missing:
                end = node.end_point.row - (
                    node.end_point.column == 0 and node.end_point.row > node.start_point.row
                )
                bad.update(range(node.start_point.row, end + 1))
        nodes = [
            node for node in nodes if bad.isdisjoint(range(node.start_point.row, node.end_point.row + 1))
        ]
    return _described(root, nodes, source), frozenset(line for line in bad if line < len(lines))


def _described(root: Node, nodes: list[Node], source: bytes) -> list[_Found]:
    captures = QueryCursor(QUERY).captures(root) if nodes else {}
    starts = [node.start_byte for node in nodes]
    owned: list[dict[str, list[Node]]] = [{} for _ in nodes]
    for kind, items in captures.items():
        for item in items:
            index = bisect_right(starts, item.start_byte) - 1
            if index >= 0 and item.end_byte <= nodes[index].end_byte:
                owned[index].setdefault(kind, []).append(item)
    return [_describe(node, inside, source) for node, inside in zip(nodes, owned, strict=True)]


def _describe(node: Node, inside: dict[str, list[Node]], source: bytes) -> _Found:
    names = [(item.start_byte, _program(item, source)) for item in inside.get("command", ())]
    names += [(item.start_byte, _word(item.children[0], source)) for item in inside.get("declaration", ())]
    end = node.end_point
    return _Found(
        text=_text(node, inside, source),
        first=node.start_point.row,
        last=end.row - (end.column == 0 and end.row > node.start_point.row),
        programs=_unique(name for _, name in sorted(names) if name),
        reads=_names(inside.get("read", ()), source),
        sets=_names(inside.get("set", ()), source),
    )


def _names(nodes: Iterable[Node], source: bytes) -> tuple[str, ...]:
    """Return each name once in the order of the text; captures come in any order."""
    return _unique(_word(item, source) for item in sorted(nodes, key=lambda item: item.start_byte))


def _unique(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _word(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _program(command: Node, source: bytes) -> str:
    """Return the program that a simple command runs, past `sudo`, `env` and their like."""
    name = command.child_by_field_name("name")
    words = [] if name is None else [_word(name, source)]
    if words and words[0].rsplit("/", 1)[-1] in WRAPPERS:
        words += [_word(item, source) for item in command.children_by_field_name("argument")[:12]]
        past = [
            word
            for word in words[1:]
            if word[:1] != "-" and not ASSIGNMENT.match(word) and not word[:1].isdigit()
        ]
        words = past or words
    return words[0] if words and re.match(r"[\w./~$@{[:+]", words[0]) else ""


def _text(node: Node, inside: dict[str, list[Node]], source: bytes) -> str:
    """Return a command without comments and with continued lines joined, quotes and here-documents as they are."""
    spans = [(item.start_byte, item.end_byte, False) for item in inside.get("comment", ())]
    spans += [(item.start_byte, item.end_byte, True) for item in inside.get("kept", ())]
    if not spans and b"\n" not in source[node.start_byte : node.end_byte]:
        return _word(node, source).strip()
    kept: list[bytes] = []
    parts: list[str] = []
    position = node.start_byte
    for start, end, keep in sorted(spans):
        if start < position:
            continue
        parts.append(source[position:start].decode("utf-8", "replace"))
        if keep:
            parts.append(f"\0{len(kept)}\0")
            kept.append(source[start:end])
        position = end
    parts.append(source[position : node.end_byte].decode("utf-8", "replace"))
    joined = CONTINUED.sub(" ", "".join(parts).replace(" \\\n", "\\\n"))
    lines = (line.rstrip() for line in joined.split("\n"))
    text = "\n".join(line for line in lines if line)
    return re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])].decode("utf-8", "replace"), text).strip()
