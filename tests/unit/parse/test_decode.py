"""Bytes to text."""

from __future__ import annotations

import pytest

from skill2env.stages.parse.codes import Findings
from skill2env.stages.parse.decode import decode


@pytest.mark.parametrize(
    ("data", "text", "encoding", "codes"),
    [
        (b"a\nb", "a\nb", "utf-8", {}),
        (b"\xef\xbb\xbfa", "a", "utf-8", {"byte-order-mark": 1}),
        ("\ufeffé".encode("utf-16-be"), "é", "utf-16-be", {"utf16": 1, "byte-order-mark": 1}),
        (b"a\r\nb\r\n", "a\nb\n", "utf-8", {"crlf": 1}),
        (b"a\rb\n", "a\nb\n", "utf-8", {"mixed-line-endings": 1}),
        (b"a\nit\x92s", "a\nit’s", "cp1252", {"not-utf8": 2}),
        ("日志文件".encode("gb18030"), "日志文件", "gb18030", {"not-utf8": 1}),
        ("日志é".encode() + b"\xff.", "日志é\ufffd.", "utf-8", {"not-utf8": 1}),
        (b"abcdefghijklmnopqrstuv\n\0w", "abcdefghijklmnopqrstuv\nw", "utf-8", {"nul-byte": 2}),
        (b"abcdefghijk\n\x1b[0m", "abcdefghijk\n[0m", "utf-8", {"control-character": 2}),
        (b"\0\1\2\3abc", "abc", "utf-8", {"nul-byte": 1, "control-character": 1, "binary-file": 0}),
        (b"", "", "utf-8", {}),
    ],
)
def test_decode(data: bytes, text: str, encoding: str, codes: dict[str, int]) -> None:
    findings = Findings("SKILL.md")
    assert decode(data, findings) == (text, encoding)
    assert {item.code: item.line for item in findings.all()} == codes
