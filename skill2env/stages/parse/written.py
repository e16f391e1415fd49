"""Writes values as YAML that every reader takes for the same text."""

from __future__ import annotations

import json
import re

import yaml

from skill2env.stages.parse.yamltext import Value

PLAIN = re.compile(r"(?![-?:,\[\]{}#&*!|>'\"%@`~=<\s]).*(?<![\s:])", re.DOTALL)
"""What may stand without quotes, as far as its ends are concerned."""
UNFIT_INSIDE = re.compile(r": |\s#|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
UNFIT_IN_QUOTES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
BLOCK = re.compile(r"[^\s].*[^\s]", re.DOTALL)
TYPED = yaml.SafeLoader.yaml_implicit_resolvers


def rendered(key: str, value: Value) -> str:
    """Return the lines of one key with its value."""
    if isinstance(value, str) and "\n" in value and _fits_block(value):
        return f"{key}: |-\n" + "\n".join(f"  {line}" if line else "" for line in value.split("\n"))
    return f"{key}: {scalar(value) if isinstance(value, str) else _flow(value)}"


def scalar(text: str) -> str:
    """Return a text on one line: plain where that is safe, else quoted."""
    if is_plain(text):
        return text
    if UNFIT_IN_QUOTES.search(text):
        return _escaped(text)
    return "'" + text.replace("'", "''") + "'"


def is_plain(text: str) -> bool:
    """Return whether a text can stand without quotes and is read as text then."""
    if not text or not PLAIN.fullmatch(text) or UNFIT_INSIDE.search(text):
        return False
    return not any(pattern.match(text) for _, pattern in TYPED.get(text[0], []))


def _fits_block(text: str) -> bool:
    lines = text.split("\n")
    return bool(BLOCK.fullmatch(text)) and not any(
        UNFIT_IN_QUOTES.search(line.replace("\t", " ")) for line in lines
    )


def _escaped(text: str) -> str:
    return UNFIT_IN_QUOTES.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _flow(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)
