"""Reads the frontmatter of a SKILL.md into plain keys and values, strictly first, then with repairs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from skill2env.stages.parse import envelope
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.envelope import Envelope
from skill2env.stages.parse.recover import pieces_of, recover, translated
from skill2env.stages.parse.written import rendered
from skill2env.stages.parse.yamltext import Entry, Loaded, Piece, YamlRefused, load

XML_NAME = re.compile(r"<name>\s*([^<]{1,200}?)\s*</name>", re.IGNORECASE)
XML_DESCRIPTION = re.compile(r"<description>\s*([^<]{1,5000}?)\s*</description>", re.IGNORECASE)
XML_HEAD_CHARS = 20_000


@dataclass
class Front:
    """The frontmatter's keys and values, and the text that is left as body."""

    entries: list[Entry] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    """Lines of the file with everything that is not body replaced by empty lines."""
    body_line: int = 1
    present: bool = True
    """False where there is no frontmatter at all."""
    yaml: str = ""
    """The YAML between the fences, where both are valid as they stand."""
    mended: str | None = None
    """The YAML as it should be written; None where it is good as it stands, or nothing can be done."""
    left_out: list[str] = field(default_factory=list)
    """Lines between the fences that belong to no key."""


def read_front(text: str, findings: Findings) -> Front:
    """Return the keys and values of a file's frontmatter, and its body with line numbers unchanged.

    Two passes: exact fences and valid YAML first; else a tolerant search and a reading key by key.
    """
    lines = text.split("\n")
    block = envelope.strict(lines)
    if block is not None:
        try:
            loaded = load(block.yaml, block.line)
            if loaded.entries or not block.yaml.strip():
                return _front(lines, block, loaded, findings)
        except YamlRefused:
            # The lenient pass finds out what is wrong, also where the closing fence was a later line.
            pass
    block = envelope.lenient(lines, findings)
    if block is not None:
        loaded = _read(block, findings)
        if loaded.entries or findings.has("frontmatter-too-large"):
            loaded.pieces = loaded.pieces or pieces_of(block.yaml)
            return _front(lines, block, loaded, findings)
    return _without_block(text, lines, block, findings)


def _read(block: Envelope, findings: Findings) -> Loaded:
    try:
        return load(block.yaml, block.line)
    except YamlRefused as refused:
        if refused.code == "frontmatter-too-large":
            findings.add(refused.code, f"{refused.problem}; move detail into the text.", refused.line)
            return Loaded()
        if refused.code == "frontmatter-too-deep":
            message = f"There are {refused.problem}; flatten them."
            findings.add(refused.code, message, refused.line, column=refused.column)
        elif refused.code == "yaml-syntax":
            problem = refused.problem.rstrip(".")
            message = f"This is not valid YAML ({problem}); quote the value."
            findings.add("yaml-syntax", message, refused.line, column=refused.column)
    loaded = recover(block.yaml, block.line, findings)
    return loaded if loaded.entries else _translated(block, findings)


def _translated(block: Envelope, findings: Findings) -> Loaded:
    """Return keys that were translated; a block that nothing closes ends below the last of them."""
    loaded = translated(block.yaml, block.line, findings)
    if not loaded.entries:
        return loaded
    if not block.closed:
        block.end = max(entry.line for entry in loaded.entries)
        block.hidden = [range(block.line - 2, block.end)]
        message = "The frontmatter has no closing `---`; it was ended where the keys end."
        findings.add("frontmatter-unclosed", message, block.line - 1)
    within = block.end - block.line + 1 - len(loaded.entries)
    loaded.left_out = [line for line in loaded.left_out[:within] if line.strip() and line.strip() != "---"]
    if loaded.left_out:
        message = f"`{shown(loaded.left_out[0])}` belongs to no key that is known; move it below."
        findings.add("stray-text", message, block.line)
    return loaded


def _front(lines: list[str], block: Envelope, loaded: Loaded, findings: Findings) -> Front:
    _report_duplicates(loaded, findings)
    front = Front(loaded.entries, list(lines), block.end + 1)
    front.left_out = loaded.left_out
    if loaded.pieces:
        front.mended = "\n".join(piece.text for piece in loaded.pieces)
    else:
        front.yaml = block.yaml
    if block.second is not None:
        _merge_second(front, block, block.second, loaded.pieces, findings)
    for span in block.hidden:
        for index in span:
            if index < len(lines):
                front.body[index] = ""
    for index, rest in block.glued.items():
        front.body[index] = rest
    return front


def _merge_second(
    front: Front, block: Envelope, second: Envelope, pieces: list[Piece], findings: Findings
) -> None:
    """Complete the keys by those of a second block.

    A description that only repeats the name gives way: tools that prepend a block fill it in like that.
    """
    message = "A second block of frontmatter follows the first; merge the two."
    findings.add("frontmatter-doubled", message, second.line - 1)
    loaded = _read(second, findings)
    _report_duplicates(loaded, findings)
    values = {entry.key: entry.value for entry in front.entries}
    empty = {"description"} if values.get("description", "-") in (values.get("name"), "") else set()
    taken = {entry.key for entry in front.entries} - empty
    contradicts = any(entry.key in taken and entry.value != values[entry.key] for entry in loaded.entries)
    front.entries = [entry for entry in front.entries if entry.key in taken]
    front.entries += [entry for entry in loaded.entries if entry.key not in taken]
    front.body_line = second.end + 1
    front.mended = None
    if not contradicts:
        first = [piece for piece in pieces or pieces_of(block.yaml) if piece.key not in empty]
        more = [piece for piece in loaded.pieces or pieces_of(second.yaml) if piece.key not in taken]
        front.mended = "\n".join(piece.text for piece in (*first, *more))
        front.left_out = [*front.left_out, *loaded.left_out]


def _report_duplicates(loaded: Loaded, findings: Findings) -> None:
    for key, line in loaded.duplicates:
        findings.add("duplicate-key", f"`{key}` is given twice; the last one counts. Keep one.", line)


def _without_block(text: str, lines: list[str], block: Envelope | None, findings: Findings) -> Front:
    """Return XML elements as keys, or nothing but the text."""
    head = text[:XML_HEAD_CHARS]
    name, description = XML_NAME.search(head), XML_DESCRIPTION.search(head)
    if head.lstrip()[:1] == "<" and name and description:
        message = "The file describes itself in XML; use YAML frontmatter."
        findings.add("frontmatter-xml", message, 1)
        found = [
            Entry(key, match[1], head.count("\n", 0, match.start()) + 1, plain=False)
            for key, match in (("name", name), ("description", description))
        ]
        written = "\n".join(rendered(entry.key, entry.value) for entry in found)
        return Front(found, lines, mended=written)
    if block is not None and block.yaml.strip():
        message = "What stands between the fences is no list of keys and values; write `name: ...`."
        findings.add("yaml-not-a-mapping", message, block.line)
    else:
        message = "The file has no frontmatter; start it with name and description between two lines `---`."
        findings.add("frontmatter-missing", message, 1)
    return Front([], lines, present=False)
