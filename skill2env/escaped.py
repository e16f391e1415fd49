"""Text of strangers made harmless where a page, a log or a job summary would read it as markup or as a command."""

from __future__ import annotations

import re

_BACKSLASHED = re.compile(r"([\\`*_\[\]#|~])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;&#8288;", "$": "&#36;"}
_OPENING = re.compile(r"^(\d+)([.)])|^([-+=])")
_LONGEST = 2000


def visible(text: str, kept: str = "") -> str:
    """Return a text with every character that can't be seen written as an escape, blanks and those in `kept` left alone."""
    return "".join(char if char.isprintable() or char in kept else _written(char) for char in text)


def one_line(text: str, longest: int = _LONGEST) -> str:
    """Return a text on one line: white space folded, what can't be seen written out, shortened."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def markdown(text: str, longest: int = _LONGEST) -> str:
    """Return a text as Markdown that shows it as it is, in a paragraph, a list item or a cell of a table."""
    marked = _BACKSLASHED.sub(r"\\\1", one_line(text, longest))
    safe = "".join(_ENTITIES.get(char, char) for char in marked)
    safe = safe.replace("://", "&#58;//").replace("www.", "www&#46;").replace("WWW.", "WWW&#46;")
    return _OPENING.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", safe)


def fenced(text: str) -> list[str]:
    """Return the lines of a Markdown code block that holds a text whatever is in it."""
    lines = [visible(line, "\t") for line in text.splitlines()]
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def annotation(level: str, message: str, file: str = "", line: int = 0, title: str = "") -> str:
    """Return a workflow command of GitHub that shows a message at a file and line.

    Source: docs.github.com, "Workflow commands for GitHub Actions"; what is escaped is what `@actions/core` escapes.

    Args:
        level: error, warning or notice.
        message: what is said; all of it is kept.
        file: path relative to the repository's top.
        line: from 1; 0 for the whole file.
        title: a few words above the message.
    """
    properties = {"file": file, "line": str(line) if line and file else "", "title": title}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {told}::{_data(message)}" if told else f"::{level}::{_data(message)}"


def _data(text: str) -> str:
    shown = visible(text, "\r\n\t")
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _written(char: str) -> str:
    return (
        char.encode("ascii", "backslashreplace").decode("ascii") if ord(char) > 127 else f"\\x{ord(char):02x}"
    )
