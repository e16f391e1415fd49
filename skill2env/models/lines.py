"""How the lines of a text are counted, wherever a reference, a listing or a finding names one."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, which are LF, CR LF or CR and nothing else.

    `str.splitlines` ends lines at form feeds and at U+2028 too, which parse and most editors do not.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
