"""Reads the frontmatter of a SKILL.md into plain keys and values, strictly first, then with repairs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from skill2env.stages.parse import envelope
from skill2env.stages.parse.codes import Findings
from skill2env.stages.parse.envelope import Envelope
from skill2env.stages.parse.recover import recover, translated
from skill2env.stages.parse.yamltext import Entry, Loaded, YamlRefused, load

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
            findings.add(refused.code, f"There are {refused.problem}; flatten them.", refused.line)
        elif refused.code == "yaml-syntax":
            problem = refused.problem.rstrip(".")
            findings.add("yaml-syntax", f"This is not valid YAML ({problem}); quote the value.", refused.line)
    loaded = recover(block.yaml, block.line, findings)
    if not loaded.entries:
        loaded = translated(block.yaml, block.line, findings)
        block.end = max((entry.line for entry in loaded.entries), default=block.end)
        block.hidden = [range(block.line - 2, block.end)]
    return loaded


def _front(lines: list[str], block: Envelope, loaded: Loaded, findings: Findings) -> Front:
    _report_duplicates(loaded, findings)
    entries = loaded.entries
    if block.second is not None:
        message = "A second block of frontmatter follows the first; merge the two."
        findings.add("frontmatter-doubled", message, block.second.line - 1)
        second = _read(block.second, findings)
        _report_duplicates(second, findings)
        entries = _completed(entries, second.entries)
    body = list(lines)
    for span in block.hidden:
        for index in span:
            if index < len(body):
                body[index] = ""
    for index, rest in block.glued.items():
        body[index] = rest
    return Front(entries, body, (block.second or block).end + 1)


def _report_duplicates(loaded: Loaded, findings: Findings) -> None:
    for key, line in loaded.duplicates:
        findings.add("duplicate-key", f"`{key}` is given twice; the last one counts. Keep one.", line)


def _completed(first: list[Entry], second: list[Entry]) -> list[Entry]:
    """Return the first block's entries completed by the second's.

    A description that only repeats the name gives way: tools that prepend a block fill it in like that.
    """
    name = next((entry.value for entry in first if entry.key == "name"), None)
    keep = [entry for entry in first if not (entry.key == "description" and entry.value in (name, ""))]
    known = {entry.key for entry in keep}
    return keep + [entry for entry in second if entry.key not in known]


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
        return Front(found, lines)
    if block is not None and block.yaml.strip():
        message = "What stands between the fences is no list of keys and values; write `name: ...`."
        findings.add("yaml-not-a-mapping", message, block.line)
    else:
        message = "The file has no frontmatter; start it with name and description between two lines `---`."
        findings.add("frontmatter-missing", message, 1)
    return Front([], lines, present=False)
