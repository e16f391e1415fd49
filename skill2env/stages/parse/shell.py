"""Finds the commands in shell blocks, as text: nothing is executed and no shell is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skill2env.models.skill import CodeBlock, Command

SHELLS = frozenset(
    [
        "bash",
        "sh",
        "shell",
        "zsh",
        "ksh",
        "ash",
        "dash",
        "console",
        "terminal",
        "shell-session",
        "shellsession",
        "sh-session",
        "shellscript",
        "shell-script",
        "bash-session",
        "fish",
    ]
)
PROMPT = re.compile(
    r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[^$#%\n]{0,80})?[$%]\s+(?=\S)|^\s*\w+@[\w.-]+[^$#\n]{0,80}#\s+"
)
HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|[^\s\"']*)\s*")
WRAPPER = re.compile(r"^(?:(?:sudo|env|time|nohup|exec|command)(?:\s+-[A-Za-z]+)*\s+|\(\s*|\{\s+|!\s+)")
WORD = re.compile(r"^[^\s;|&<>()\"'`]+")
PLACEHOLDER = re.compile(
    r"<[A-Za-z][\w .:/-]*>|\{\{|\bYOUR[-_ ]|\byour[-_]|\bYOUR\b|(?<![./\w])\.\.\.(?!\w)|…"
    r"|_HERE\b|\bpath/to\b|\[[A-Z_]{3,}\]"
)
OPENERS = re.compile(r"(?:^|[;&|]\s*|\b(?:then|do|else)\s+)(?:if|for|while|until|case|select)\b")
CLOSERS = re.compile(r"(?:^|[;&|]\s*|\s)(?:fi|done|esac)\b(?!=)")
MAX_COMMAND_LINES = 200
"""A quote, here-document or compound that is not closed within so many lines is taken line by line."""

MAX_FAILURES = 5
"""Of such commands in one block; below them every line is taken alone, which bounds the time."""


def shell_commands(blocks: list[CodeBlock]) -> tuple[Command, ...]:
    """Return the commands of all shell blocks in order.

    A block counts when its language is a shell's, or it has none and its lines show prompts. Where there
    are prompts, lines without one are output and left out.
    """
    return tuple(command for index, block in enumerate(blocks) for command in _commands(block, index))


def _commands(block: CodeBlock, index: int) -> Iterator[Command]:
    lines = block.text.split("\n")
    prompted = any(PROMPT.match(line) for line in lines)
    if block.language not in SHELLS and (block.language or not prompted):
        return
    first = block.start_line + (block.kind == "fenced")
    position = failures = 0
    while position < len(lines):
        line = lines[position]
        prompt = PROMPT.match(line)
        if prompted and not prompt:
            position += 1
            continue
        start = line[prompt.end() :] if prompt else line
        reach = MAX_COMMAND_LINES if failures < MAX_FAILURES else 0
        text, used = _join(start, lines[position + 1 : position + 1 + reach], prompted)
        failures += used < 0
        used = max(used, 0)
        if text:
            yield Command(
                text=text,
                program=_program(text),
                line=first + position,
                end_line=first + position + used,
                block=index,
                placeholder=bool(PLACEHOLDER.search(text)),
            )
        position += used + 1


def _join(start: str, below: list[str], prompted: bool) -> tuple[str, int]:
    """Return one command and how many lines below its first it takes; -1 where it does not end in them."""
    reader = _Reader()
    reader.feed(start)
    if not reader.open:
        return reader.text(), 0
    for used, line in enumerate(below, start=1):
        rest = re.sub(r"^\s*>\s?", "", line) if prompted else line
        reader.feed(rest)
        if not reader.open:
            return reader.text(), used
    alone = _Reader()
    alone.feed(start)
    return alone.text(), -1


class _Reader:
    """Takes lines until a command is complete: quotes, continuations, here-documents, compound commands."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.quote = ""
        self.heredocs: list[str] = []
        self.depth = 0
        self.continued = False

    @property
    def open(self) -> bool:
        """Whether the command goes on in the next line."""
        return bool(self.quote or self.heredocs or self.continued or self.depth > 0)

    def text(self) -> str:
        """Return the command so far."""
        return "\n".join(self.lines).strip()

    def feed(self, line: str) -> None:
        """Take the next line."""
        if self.heredocs:
            self.lines.append(line)
            if line.strip() == self.heredocs[0]:
                self.heredocs.pop(0)
            return
        in_quote = bool(self.quote)
        code, bare = self._scan(line)
        joined = self.continued and not in_quote
        self.continued = False
        if not code.strip() and not in_quote:
            self.continued = joined and bool(self.lines)
            return
        self.heredocs = [match[2] for match in HEREDOC.finditer(code) if "<<<" not in code]
        if not self.quote and code.rstrip().endswith("\\") and not code.rstrip().endswith("\\\\"):
            code, self.continued = code.rstrip()[:-1].rstrip(), True
        elif not self.quote and re.search(r"(?:&&|\|\|?)\s*$", bare):
            code, self.continued = code.rstrip(), True
        if joined and self.lines:
            self.lines[-1] += " " + code.strip()
        else:
            self.lines.append(code.rstrip())
        self._count(bare)

    def _scan(self, line: str) -> tuple[str, str]:
        """Return the line without its comment, and once more with quoted text taken out."""
        bare: list[str] = []
        position = 0
        while position < len(line):
            char = line[position]
            if self.quote:
                if char == "\\" and self.quote == '"':
                    position += 1
                elif char == self.quote:
                    self.quote = ""
            elif char == "\\":
                position += 1
            elif char in "\"'":
                self.quote = char
            elif char == "#" and (position == 0 or line[position - 1] in " \t;"):
                return line[:position], "".join(bare)
            else:
                bare.append(char)
            position += 1
        return line, "".join(bare)

    def _count(self, bare: str) -> None:
        """Follow the nesting of compound commands; `{` and `(` count only at the end of a line."""
        text = bare.strip()
        self.depth += len(OPENERS.findall(text)) - len(CLOSERS.findall(text))
        self.depth += text.endswith(("{", "(")) - (text[:1] in "})" and bool(text))
        self.depth = max(self.depth, 0)


def _program(text: str) -> str:
    """Return the first word that names a program."""
    rest = text
    while True:
        shorter = WRAPPER.sub("", ASSIGNMENT.sub("", rest, count=1), count=1)
        if shorter == rest:
            break
        rest = shorter
    word = WORD.match(rest)
    return word[0] if word else ""
