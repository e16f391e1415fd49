"""Reads frontmatter that is no valid YAML key by key, repairing each value alone and saying what it did."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.yamltext import Entry, Loaded, Value, YamlRefused, check_depth, load, text_of

KEY_LINE = re.compile(r"""^(["']?)([A-Za-z_][\w.-]{0,63})\1[ \t]*:(?:[ \t]+|$)(.*)$""")
GLUED_KEY_LINE = re.compile(r"^()(name|description):(\S.*)$")
INNER_LINE = re.compile(r"""^(\s*(?:- +)*)((?:"[^"]*"|'[^']*'|[\w.-]+)[ \t]*:[ \t]+)?(\S.*)$""")
BLOCK_SCALAR = re.compile(r"^[|>][+-]?\d?[+-]?\s*(?:#.*)?$")
TRANSLATED_LINE = re.compile(r"^[\s>*_-]*([^\s:：*]{1,12})\s*\**\s*[:：]\s*\**\s*(\S.*)$")
TRANSLATED_KEYS = {
    **dict.fromkeys(("名称", "名字", "技能名称", "名前", "スキル名", "이름", "nombre", "nom"), "name"),
    **dict.fromkeys(
        ("描述", "说明", "简介", "説明", "概要", "설명", "descripción", "beschreibung"), "description"
    ),
    **dict.fromkeys(("许可证", "许可", "ライセンス", "라이선스", "licencia", "lizenz"), "license"),
}


@dataclass
class _Chunk:
    """One top-level key with the lines that belong to it."""

    key: str
    line: int
    lines: list[str]
    rest: str
    """What follows the colon on the key's own line."""
    below: list[str] = field(default_factory=list)


def recover(text: str, first_line: int, findings: Findings) -> Loaded:
    """Return what can be read of a broken frontmatter; never fails.

    Args:
        text: the frontmatter without its fences.
        first_line: the line of the file on which it starts, from 1.
        findings: gets one finding for each value repaired, kept as text or left out.
    """
    loaded = Loaded()
    chunks, stray = _split(text, first_line)
    if stray and chunks:
        line, content = stray[0]
        message = (
            f"`{shown(content)}` belongs to no key ({len(stray)} such lines); indent it or move it below."
        )
        findings.add("stray-text", message, line)
    for chunk in chunks:
        if any(entry.key == chunk.key for entry in loaded.entries):
            loaded.duplicates.append((chunk.key, chunk.line))
            loaded.entries = [entry for entry in loaded.entries if entry.key != chunk.key]
        loaded.entries.append(_read(chunk, loaded, findings))
    return loaded


def translated(text: str, first_line: int, findings: Findings) -> Loaded:
    """Return name and description from lines whose keys were translated, such as `**名称：** x`."""
    loaded = Loaded()
    for offset, line in enumerate(text.split("\n")):
        match = TRANSLATED_LINE.match(line)
        key = TRANSLATED_KEYS.get(match[1].lower(), "") if match else ""
        if match and key and all(entry.key != key for entry in loaded.entries):
            value = match[2].strip().strip("*“”\"'").strip()
            message = f"The key `{match[1]}` is a translation; write `{key}: ...`."
            findings.add("key-spelling", message, first_line + offset)
            loaded.entries.append(Entry(key, value, first_line + offset, plain=False))
    return loaded


def _split(text: str, first_line: int) -> tuple[list[_Chunk], list[tuple[int, str]]]:
    """Return the chunks, and the lines above the first key with their line numbers."""
    chunks: list[_Chunk] = []
    stray: list[tuple[int, str]] = []
    for offset, line in enumerate(_dedented(text.split("\n"))):
        match = KEY_LINE.match(line) or GLUED_KEY_LINE.match(line)
        if match:
            chunks.append(_Chunk(match[2], first_line + offset, [line], match[3].strip()))
        elif chunks:
            chunks[-1].lines.append(line)
            chunks[-1].below.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            stray.append((first_line + offset, line))
    return chunks, stray


def _dedented(lines: list[str]) -> list[str]:
    """Return the lines without the indentation that every key shares."""
    depths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    shared = min(depths, default=0)
    return [line[shared:] for line in lines]


def _read(chunk: _Chunk, loaded: Loaded, findings: Findings) -> Entry:
    source = "\n".join(chunk.lines)
    try:
        return _single(source, chunk, loaded)
    except YamlRefused as refused:
        if refused.code == "frontmatter-too-deep":
            findings.add(refused.code, f"{_sentence(refused.problem)}; flatten them.", refused.line)
            return Entry(chunk.key, "", chunk.line, plain=False)
        if refused.code in ("yaml-anchor", "yaml-tag"):
            findings.add(refused.code, f"{_sentence(refused.problem)}; quote the value.", refused.line)
        return _repair(chunk, loaded, findings)


def _sentence(problem: str) -> str:
    return problem[:1].upper() + problem[1:]


def _single(source: str, chunk: _Chunk, loaded: Loaded) -> Entry:
    """Return the one entry of a chunk's YAML; the text must hold that key and no other."""
    inner = load(source, chunk.line)
    if len(inner.entries) != 1 or inner.entries[0].key != chunk.key:
        raise YamlRefused("yaml-syntax", "it holds more than one key", chunk.line)
    loaded.duplicates.extend(inner.duplicates)
    return inner.entries[0]


def _repair(chunk: _Chunk, loaded: Loaded, findings: Findings) -> Entry:
    quoted = f"The value of `{chunk.key}` is not valid YAML as it stands; put it in quotes."
    if chunk.rest and chunk.rest[0] not in "[{" and not BLOCK_SCALAR.match(chunk.rest):
        findings.add("quoted-value", quoted, chunk.line)
        value = _unquoted(" ".join(part.strip() for part in (chunk.rest, *chunk.below) if part.strip()))
        return Entry(chunk.key, text_of(value), chunk.line, plain=False)
    if BLOCK_SCALAR.match(chunk.rest):
        findings.add("quoted-value", f"The text of `{chunk.key}` is not indented as it must be.", chunk.line)
        lines = _dedented(chunk.below) if chunk.rest[0] == "|" else [part.strip() for part in chunk.below]
        return Entry(chunk.key, text_of("\n".join(lines).strip()), chunk.line, plain=False)
    again = _requoted(chunk, loaded)
    if again is not None:
        findings.add("quoted-value", quoted, chunk.line)
        return again
    message = f"The value of `{chunk.key}` can't be read and was kept as text; write it as valid YAML."
    findings.add("value-kept-as-text", message, chunk.line)
    parts = [chunk.rest, *(line.rstrip() for line in chunk.below)]
    return Entry(chunk.key, text_of("\n".join(parts).strip()), chunk.line, plain=False)


def _unquoted(value: str) -> str:
    """Drop quotes that were meant to enclose the whole value but are not valid."""
    for mark in ('"', "'"):
        if value.startswith(mark):
            value = value[1:]
            return value[:-1] if value.endswith(mark) else value
    return value


def _requoted(chunk: _Chunk, loaded: Loaded) -> Entry | None:
    """Read the chunk again with every plain value in it quoted, or as JSON; None where that fails too."""
    lines = [_quote_line(line) if index or chunk.rest else line for index, line in enumerate(chunk.lines)]
    try:
        return _single("\n".join(lines), chunk, loaded)
    except YamlRefused:
        pass
    try:
        check_depth("\n".join(chunk.lines), chunk.line)
        value = json.loads("\n".join((chunk.rest, *chunk.below)), parse_int=str, parse_float=str)
    except (ValueError, YamlRefused):
        return None
    return Entry(chunk.key, _as_strings(value), chunk.line, plain=False)


def _quote_line(line: str) -> str:
    match = INNER_LINE.match(line)
    if match is None or line.lstrip().startswith("#"):
        return line
    lead, key, value = match[1], match[2] or "", match[3].rstrip()
    if value[0] in "\"'{|>" or (not key and value.endswith(":")):
        return line
    if value[0] == "[" and value[-1] == "]":
        return f"{lead}{key}[{', '.join(_quote(item) for item in _items(value[1:-1]))}]"
    return f"{lead}{key}{_quote(value)}"


def _items(inside: str) -> list[str]:
    return [part.strip() for part in inside.split(",") if part.strip()]


def _quote(value: str) -> str:
    return value if value[0] in "\"'" else "'" + value.replace("'", "''") + "'"


def _as_strings(value: object) -> Value:
    """Return a JSON value with every scalar as the text it was written with."""
    if isinstance(value, dict):
        return {text_of(str(key)): _as_strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_strings(item) for item in value]
    return text_of(value) if isinstance(value, str) else json.dumps(value)
