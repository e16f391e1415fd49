"""Turns the bytes of SKILL.md into text with line feeds only, and says what had to be done for it."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from skill2env.stages.parse.codes import Findings

CONTROLS = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
"""Everything of the control category except tab and the two line ends; NUL is counted apart."""
MAX_CONTROL_SHARE = 0.1
"""A file with a larger share of control characters is no text."""
HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
KANA = re.compile("[\u3041-\u3093]")
MIN_KANA = 4
"""Hiragana in a file before it is taken for Japanese: every sentence has some, and other encodings give none."""
SAMPLE_BYTES = 4_000


class Decoded(NamedTuple):
    """A file as text."""

    text: str
    encoding: str


def decode(data: bytes, findings: Findings) -> Decoded:
    """Return the text of a file and the encoding that it was read with; never fails.

    UTF-8 and UTF-16 with a byte order mark, then UTF-8, then a legacy encoding with loss. One policy for
    byte order marks, everywhere: those at the very start are taken off.
    """
    text, encoding = _decode_bytes(data, findings)
    if text.startswith("\ufeff"):
        text = text.lstrip("\ufeff")
        message = "The file starts with a byte order mark; save it without."
        findings.add("byte-order-mark", message, 1)
    return Decoded(_without_controls(_with_line_feeds(text, findings), findings), encoding)


def _decode_bytes(data: bytes, findings: Findings) -> tuple[str, str]:
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            findings.add("utf16", "The file is UTF-16; save it as UTF-8.", 1)
            return data.decode(encoding, "replace"), encoding
    unmarked = _unmarked_utf16(data)
    if unmarked:
        findings.add("utf16", "The file is UTF-16; save it as UTF-8.", 1)
        return data.decode(unmarked, "replace"), unmarked
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        encoding = _legacy_encoding(data)
        line = data.count(b"\n", 0, error.start) + 1
        before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
        message = f"The file is not UTF-8; it was read as {encoding}. Save it as UTF-8."
        findings.add("not-utf8", message, line, column=len(before.decode("utf-8", "replace")) + 1)
        return data.decode(encoding, "replace"), encoding


def _unmarked_utf16(data: bytes) -> str:
    """Return the byte order of UTF-16 without a mark, told by the NUL bytes of its ASCII part, or nothing."""
    head = data[:SAMPLE_BYTES]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 == 0 and max(even, odd) > len(head) / 6 and min(even, odd) == 0:
        return "utf-16-be" if even else "utf-16-le"
    return ""


def _legacy_encoding(data: bytes) -> str:
    """Return UTF-8 where most of it is valid, Shift-JIS for kana, GB 18030 for paired bytes, else Windows-1252."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    if sum(map("\x80".__le__, text)) >= 2 * damaged:
        return "utf-8"
    if len(KANA.findall(data.decode("cp932", "ignore"))) >= MIN_KANA and _decodes(data, "cp932"):
        return "cp932"
    if all(len(run) % 2 == 0 for run in HIGH_BYTES.findall(data)) and _decodes(data, "gb18030"):
        return "gb18030"
    return "cp1252"


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _with_line_feeds(text: str, findings: Findings) -> str:
    if "\r" not in text:
        return text
    both, feeds, returns = text.count("\r\n"), text.count("\n"), text.count("\r")
    if both == feeds == returns:
        findings.add("crlf", "Lines end in CR LF; use LF.", 1)
    else:
        findings.add("mixed-line-endings", "Lines end in different ways; use LF throughout.", 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _line(text: str, at: int) -> int:
    """Return the line of a character that is dropped; one that leaves nothing behind the last break counts to the line before."""
    start = text.rfind("\n", 0, at) + 1
    left = start == 0 or CONTROLS.sub("", text[start:].replace("\0", ""))
    return text.count("\n", 0, at) + bool(left)


def _without_controls(text: str, findings: Findings) -> str:
    dropped = 0
    nul = text.find("\0")
    if nul >= 0:
        dropped += text.count("\0")
        message = f"The file holds {dropped} NUL bytes; they were dropped."
        findings.add("nul-byte", message, _line(text, nul), column=_column(text, nul))
    first = CONTROLS.search(text)
    if first:
        controls = len(CONTROLS.findall(text))
        dropped += controls
        line = _line(text, first.start())
        message = f"The file holds {controls} control characters; they were dropped."
        findings.add("control-character", message, line, column=_column(text, first.start()))
    if dropped > MAX_CONTROL_SHARE * len(text):
        findings.add("binary-file", "The file is not text; write SKILL.md as UTF-8 text.")
    return CONTROLS.sub("", text.replace("\0", "")) if dropped else text


def _column(text: str, index: int) -> int:
    return index - text.rfind("\n", 0, index)
