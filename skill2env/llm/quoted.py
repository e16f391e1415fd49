"""Text of strangers in a prompt: always data between marks that it can't contain, never anything else."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Unicode categories of what a reader does not see: controls, directions, zero widths, tags, lone surrogates, private use."""
_KEPT = frozenset("\n\t")
_ROLE_MARKS = re.compile(r"<\|[^|>\n]{1,40}\|>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?s>", re.IGNORECASE)
"""Marks that separate roles in chat templates; an endpoint that does not escape them would see a message of its own."""


def quoted(kind: str, text: str, numbered: bool = False) -> str:
    r"""Return a stranger's text as a block of data.

    The block's marks carry a hash of the text, so the text cannot hold them. What can't be seen is written as `\u{...}`,
    marks of chat templates are taken apart, and nothing else is changed.

    Args:
        kind: what the text is, one word.
        text: the text.
        numbered: give each line its number, from 1.
    """
    shown = visible(text)
    if numbered:
        shown = "\n".join(f"{number:>4} {line}" for number, line in enumerate(shown.split("\n"), 1))
    mark = hashlib.sha256(f"{kind}\0{shown}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f'<data kind="{kind}" id="{mark}">\n{shown}\n</data id="{mark}">'


def visible(text: str) -> str:
    """Return text with everything invisible written out, and marks of chat templates taken apart."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = "".join(
        letter
        if letter in _KEPT or unicodedata.category(letter) not in _INVISIBLE
        else f"\\u{{{ord(letter):x}}}"
        for letter in lines
    )
    return _ROLE_MARKS.sub(lambda match: f"{match[0][0]} {match[0][1:]}", shown)
