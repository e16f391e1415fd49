"""Reads frontmatter that is no valid YAML key by key, repairing each value alone and saying what it did."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace

from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.written import rendered
from skill2env.stages.parse.yamltext import (
    Entry,
    Loaded,
    Piece,
    Value,
    YamlRefused,
    check_depth,
    load,
    text_of,
)

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
class Chunk:
    """One top-level key with the lines that belong to it, without the indentation that all share."""

    key: str
    line: int
    lines: list[str]
    rest: str
    """What follows the colon on the key's own line."""
    column: int
    """Column of the rest, from 1."""
    below: list[str] = field(default_factory=list)


def recover(text: str, first_line: int, findings: Findings) -> Loaded:
    """Return what can be read of a broken frontmatter, and how it should be written; never fails.

    Args:
        text: the frontmatter without its fences.
        first_line: the line of the file on which it starts, from 1.
        findings: gets one finding for each value repaired, kept as text or left out.
    """
    loaded = Loaded()
    chunks, above = split(text, first_line)
    stray = [item for item in above if item[1].strip() and not item[1].lstrip().startswith("#")]
    if stray and chunks:
        line, content = stray[0]
        message = (
            f"`{shown(content)}` belongs to no key ({len(stray)} such lines); indent it or move it below."
        )
        findings.add("stray-text", message, line)
    loaded.left_out = [content for _, content in stray]
    loaded.pieces = [Piece("", item[1]) for item in above if item not in stray]
    for chunk in chunks:
        entry, source = _read(chunk, loaded, findings)
        if any(known.key == chunk.key for known in loaded.entries):
            loaded.duplicates.append((chunk.key, chunk.line))
            loaded.entries = [known for known in loaded.entries if known.key != chunk.key]
        loaded.entries.append(entry)
        loaded.pieces.append(Piece(chunk.key, source))
    return loaded


def pieces_of(text: str) -> list[Piece]:
    """Return the keys of valid YAML with their lines as they stand, and the comments above the first."""
    chunks, above = split(text, 1)
    comments = [Piece("", line) for _, line in above]
    return comments + [Piece(chunk.key, "\n".join(chunk.lines)) for chunk in chunks]


def translated(text: str, first_line: int, findings: Findings) -> Loaded:
    """Return name and description from lines whose keys were translated, such as `**名称：** x`."""
    loaded = Loaded()
    for offset, line in enumerate(text.split("\n")):
        match = TRANSLATED_LINE.match(line)
        key = TRANSLATED_KEYS.get(match[1].lower(), "") if match else ""
        if match and key and all(entry.key != key for entry in loaded.entries):
            value = text_of(match[2].strip().strip("*“”\"'").strip())
            message = f"The key `{match[1]}` is a translation; write `{key}: ...`."
            findings.add("key-spelling", message, first_line + offset, column=match.start(1) + 1)
            loaded.entries.append(Entry(key, value, first_line + offset, False, match.start(2) + 1))
            loaded.pieces.append(Piece(key, rendered(key, value)))
        else:
            loaded.left_out.append(line)
    return loaded


def split(text: str, first_line: int) -> tuple[list[Chunk], list[tuple[int, str]]]:
    """Return the top-level keys with their lines, and the lines above the first key with their numbers."""
    chunks: list[Chunk] = []
    above: list[tuple[int, str]] = []
    for offset, line in enumerate(_dedented(text.split("\n"))):
        match = KEY_LINE.match(line) or GLUED_KEY_LINE.match(line)
        if match:
            chunks.append(Chunk(match[2], first_line + offset, [line], match[3].strip(), match.start(3) + 1))
        elif chunks:
            chunks[-1].lines.append(line)
            chunks[-1].below.append(line)
        else:
            above.append((first_line + offset, line))
    return chunks, above


def _dedented(lines: list[str]) -> list[str]:
    """Return the lines without the indentation that every key shares."""
    depths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    shared = min(depths, default=0)
    return [line[shared:] for line in lines]


def _read(chunk: Chunk, loaded: Loaded, findings: Findings) -> tuple[Entry, str]:
    """Return a key with its value, and the lines that say so in valid YAML."""
    source = "\n".join(chunk.lines)
    try:
        return _single(source, chunk, loaded), source
    except YamlRefused as refused:
        if refused.code == "frontmatter-too-deep":
            findings.add(refused.code, f"{_sentence(refused.problem)}; flatten them.", refused.line)
            return Entry(chunk.key, "", chunk.line, plain=False), source
        if refused.code in ("yaml-anchor", "yaml-tag"):
            message = f"{_sentence(refused.problem)}; quote the value."
            findings.add(refused.code, message, refused.line, column=refused.column)
        entry, mended = _repair(chunk, loaded, findings)
        means_more = refused.code == "yaml-anchor" or "tag:yaml.org" in refused.problem
        return entry, source if means_more else mended


def _sentence(problem: str) -> str:
    return problem[:1].upper() + problem[1:]


def _single(source: str, chunk: Chunk, loaded: Loaded) -> Entry:
    """Return the one entry of a chunk's YAML; the text must hold that key and no other."""
    inner = load(source, chunk.line)
    if len(inner.entries) != 1 or inner.entries[0].key != chunk.key:
        raise YamlRefused("yaml-syntax", "it holds more than one key", chunk.line)
    loaded.duplicates.extend(inner.duplicates)
    return replace(inner.entries[0], source=None)


def _repair(chunk: Chunk, loaded: Loaded, findings: Findings) -> tuple[Entry, str]:
    block = BLOCK_SCALAR.match(chunk.rest)
    quoted = f"The value of `{chunk.key}` is not valid YAML as it stands; put it in quotes."
    if chunk.rest and chunk.rest[0] not in "[{" and not block:
        findings.add("quoted-value", quoted, chunk.line, column=chunk.column)
        value = _unquoted(" ".join(part.strip() for part in (chunk.rest, *chunk.below) if part.strip()))
        return _written(chunk, value)
    if block:
        message = f"The text of `{chunk.key}` is not indented as it must be."
        findings.add("quoted-value", message, chunk.line, column=chunk.column)
        lines = _dedented(chunk.below) if chunk.rest[0] == "|" else [part.strip() for part in chunk.below]
        return _written(chunk, "\n".join(lines).strip())
    again = _requoted(chunk, loaded)
    if again is not None:
        findings.add("quoted-value", quoted, chunk.line, column=chunk.column)
        return again
    message = f"The value of `{chunk.key}` can't be read and was kept as text; write it as valid YAML."
    findings.add("value-kept-as-text", message, chunk.line, column=chunk.column)
    parts = [chunk.rest, *(line.rstrip() for line in chunk.below)]
    return _written(chunk, "\n".join(parts).strip())


def _written(chunk: Chunk, text: str) -> tuple[Entry, str]:
    value = text_of(text)
    return Entry(chunk.key, value, chunk.line, False, chunk.column), rendered(chunk.key, value)


def _unquoted(value: str) -> str:
    """Drop quotes that were meant to enclose the whole value but are not valid."""
    for mark in ('"', "'"):
        if value.startswith(mark):
            value = value[1:]
            return value[:-1] if value.endswith(mark) else value
    return value


def _requoted(chunk: Chunk, loaded: Loaded) -> tuple[Entry, str] | None:
    """Read the chunk again with every plain value in it quoted, or as JSON; None where that fails too."""
    lines = [_quote_line(line) if index or chunk.rest else line for index, line in enumerate(chunk.lines)]
    try:
        return _single("\n".join(lines), chunk, loaded), "\n".join(lines)
    except YamlRefused:
        pass
    try:
        check_depth("\n".join(chunk.lines), chunk.line)
        value = _as_strings(json.loads("\n".join((chunk.rest, *chunk.below)), parse_int=str, parse_float=str))
    except (ValueError, YamlRefused):
        return None
    return Entry(chunk.key, value, chunk.line, False, chunk.column), rendered(chunk.key, value)


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
