"""Turns the frontmatter's keys into the fields of a skill, with findings against the specification.

The rules are those of the Agent Skills specification (name, description, license, compatibility, metadata,
allowed-tools); what it does not forbid is accepted, and most departures are warnings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from skill2env.models.base import canonical_json
from skill2env.models.skill import Pairs
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.frontmatter import Front
from skill2env.stages.parse.yamltext import Entry, Value

SPECIFIED = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
SPELLINGS = {"licence": "license", "allowedtools": "allowed-tools", "tools-allowed": "allowed-tools"}
MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY = 64, 1024, 500
MAX_FALLBACK_CHARS = 1024
EMPTY = ("", "~", "null")
PLACEHOLDER = re.compile(
    r"^\W*(?:TODO\b|FIXME\b|TBD\b|<[^>]*>\W*$|\[(?:TODO|your|insert|describe)\b)", re.IGNORECASE
)
ENTITY = re.compile(r"&(?:quot|apos|amp|lt|gt|#3[49]|#x2[27]);")
XML_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")
TYPED = yaml.SafeLoader.yaml_implicit_resolvers
TYPE_NAMES = {
    "int": "number",
    "float": "number",
    "bool": "truth value",
    "timestamp": "date",
    "null": "nothing",
}


class Fields(NamedTuple):
    """What the frontmatter says, with fallbacks filled in."""

    name: str
    description: str
    licence: str
    compatibility: str
    metadata: Pairs
    allowed_tools: tuple[str, ...]
    extras: Pairs
    keys: tuple[str, ...]


def read_fields(front: Front, skill_id: str, first_paragraph: str, findings: Findings) -> Fields:
    """Return the skill's fields.

    Args:
        front: the frontmatter's keys and values.
        skill_id: the folder's name, which stands in for a missing name.
        first_paragraph: of the text, which stands in for a missing description; may be empty.
        findings: gets all departures from the specification.
    """
    known, others = by_key(front.entries, findings)
    return Fields(
        name=_name(known.get("name"), skill_id, findings),
        description=_description(known.get("description"), first_paragraph, findings),
        licence=_text(known.get("license"), "licence-not-text", findings),
        compatibility=_compatibility(known.get("compatibility"), findings),
        metadata=_metadata(known.get("metadata"), findings),
        allowed_tools=_allowed_tools(known.get("allowed-tools"), findings),
        extras=tuple(pair for entry in others for pair in _flatten(entry.key, entry.value)),
        keys=tuple(entry.key for entry in front.entries),
    )


def by_key(entries: list[Entry], findings: Findings) -> tuple[dict[str, Entry], list[Entry]]:
    """Return the entries of specified keys, whatever their spelling, and all others."""
    known = {entry.key: entry for entry in entries if entry.key in SPECIFIED}
    others = []
    for entry in entries:
        if entry.key in known:
            continue
        plain = entry.key.strip().lower().replace("_", "-")
        meant = SPELLINGS.get(plain, plain)
        if meant in SPECIFIED and meant not in known:
            message = f"`{shown(entry.key)}` is spelt `{meant}`."
            findings.add("key-spelling", message, entry.line, column=entry.key_column)
            known[meant] = entry
        else:
            message = f"`{shown(entry.key)}` is not a key of the specification; move it under metadata."
            findings.add("unknown-key", message, entry.line, column=entry.key_column)
            others.append(entry)
    for key, entry in known.items():
        _report_type(key, entry, findings)
    return known, others


def _report_type(key: str, entry: Entry, findings: Findings) -> None:
    """Say where an unquoted value changes its type in readers that resolve types."""
    if not (entry.plain and isinstance(entry.value, str)) or entry.value in EMPTY:
        return
    for tag, pattern in TYPED.get(entry.value[0], []):
        if pattern.match(entry.value):
            kind = TYPE_NAMES.get(tag.rsplit(":", 1)[-1], "value of another type")
            message = f"`{key}: {shown(entry.value)}` reads as a {kind} in many tools; quote it."
            findings.add("reads-as-other-type", message, entry.line, column=entry.column)
            return


def _name(entry: Entry | None, skill_id: str, findings: Findings) -> str:
    value = entry.value if entry else ""
    if entry is None or not isinstance(value, str) or value.strip() in EMPTY:
        message = "There is no usable name; add `name:`, equal to the folder's name."
        findings.add("name-missing", message, entry.line if entry else 1)
        return skill_id
    name = " ".join(value.split())
    if len(name) > MAX_NAME:
        message = f"The name has {len(name)} characters, more than {MAX_NAME}."
        findings.add("name-too-long", message, entry.line, column=entry.column)
    if name.startswith("-"):
        message = f"Programs take the name `{shown(name)}` for an option; begin it with a letter."
        findings.add("name-leading-hyphen", message, entry.line, column=entry.column)
    if not well_shaped(name):
        message = f"The name `{shown(name)}` should be lower-case letters, digits and single inner hyphens."
        findings.add("name-shape", message, entry.line, column=entry.column)
    if unicodedata.normalize("NFKC", name) != unicodedata.normalize("NFKC", skill_id):
        message = (
            f"The name `{shown(name)}` differs from the folder's name `{shown(skill_id)}`; make them equal."
        )
        findings.add("name-not-directory", message, entry.line, column=entry.column)
    return name


def well_shaped(name: str) -> bool:
    """Return whether a name has the specification's shape, in letters and digits of any script."""
    plain = unicodedata.normalize("NFKC", name)
    parts = plain.split("-")
    return all(part and part.isalnum() and part == part.lower() for part in parts)


def _description(entry: Entry | None, first_paragraph: str, findings: Findings) -> str:
    text = ""
    line, column = (entry.line, entry.column) if entry else (1, 0)
    if entry is not None:
        if not isinstance(entry.value, str):
            message = "The description is a list or mapping; put it in quotes."
            findings.add("description-not-text", message, line, column=column)
        text = as_text(entry.value).strip()
    if text in EMPTY:
        message = "There is no usable description; say what the skill does and when to use it."
        findings.add("description-missing", message, line)
        return first_paragraph[:MAX_FALLBACK_CHARS]
    if len(text) > MAX_DESCRIPTION:
        message = f"The description has {len(text):,} characters, more than {MAX_DESCRIPTION:,}."
        findings.add("description-too-long", message, line, column=column)
    if PLACEHOLDER.search(text):
        message = "The description was never filled in; say what the skill does and when to use it."
        findings.add("description-placeholder", message, line, column=column)
    tag = XML_TAG.search(text)
    if tag:
        message = f"`{shown(tag[0], 30)}` is refused by one platform."
        findings.add("description-xml-tag", message, line, column=column)
    entity = ENTITY.search(text)
    if entity:
        message = f"`{entity[0]}` is not decoded by anything; write the character."
        findings.add("description-html-entity", message, line, column=column)
    return text


def _text(entry: Entry | None, code: str, findings: Findings) -> str:
    """Return a field that should be plain text."""
    if entry is None or entry.value in EMPTY:
        return ""
    if not isinstance(entry.value, str):
        message = f"`{entry.key}` should be text, not a list or mapping."
        findings.add(code, message, entry.line, column=entry.column)
    return as_text(entry.value).strip()


def _compatibility(entry: Entry | None, findings: Findings) -> str:
    text = _text(entry, "compatibility-not-text", findings)
    if entry is not None and len(text) > MAX_COMPATIBILITY:
        message = f"Compatibility has {len(text)} characters, more than {MAX_COMPATIBILITY}."
        findings.add("compatibility-too-long", message, entry.line, column=entry.column)
    return text


def _metadata(entry: Entry | None, findings: Findings) -> Pairs:
    if entry is None or entry.value in EMPTY:
        return ()
    if not isinstance(entry.value, dict):
        message = "Metadata should be a mapping of strings to strings."
        findings.add("metadata-not-a-mapping", message, entry.line, column=entry.column)
        return tuple(_flatten("", entry.value))
    if any(not isinstance(value, str) for value in entry.value.values()):
        message = "Metadata values should be strings; they were flattened."
        findings.add("metadata-nested", message, entry.line, column=entry.column)
    return tuple(pair for key, value in entry.value.items() for pair in _flatten(key, value))


def _flatten(key: str, value: Value) -> Iterator[tuple[str, str]]:
    """Yield dotted keys with text; a list becomes canonical JSON."""
    if isinstance(value, dict) and value:
        for inner, item in value.items():
            yield from _flatten(f"{key}.{inner}", item)
    else:
        yield key, value if isinstance(value, str) else canonical_json(value)


def as_text(value: Value) -> str:
    """Return a value as a person would have written it on one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(as_text(item) for item in value)
    return "; ".join(f"{key}: {as_text(item)}" for key, item in value.items())


def _allowed_tools(entry: Entry | None, findings: Findings) -> tuple[str, ...]:
    """Return the tools one by one, from a string with spaces or commas, a list, or a mapping's keys."""
    if entry is None or entry.value in EMPTY:
        return ()
    value = entry.value
    if isinstance(value, str):
        tools = split_tools(value)
        commas = "," in re.sub(r"\([^()]*\)", "", value)
    else:
        tools = [as_text(item).strip() for item in value]
        commas = False
    if commas or not isinstance(value, str):
        form = "separated by commas" if commas else "a list"
        message = f"allowed-tools is {form}; the specification wants one string with spaces."
        findings.add("allowed-tools-form", message, entry.line, column=entry.column)
    return tuple(tool for tool in tools if tool)


def split_tools(text: str) -> list[str]:
    """Split at commas, or else at spaces, that are not in parentheses: `Bash(git add:*) Read`."""
    depth = 0
    top = []
    for char in text:
        depth = max(depth + (char in "([") - (char in ")]"), 0)
        top.append(char if depth == 0 else "\1" if char == "," else "\2" if char.isspace() else char)
    flat = "".join(top)
    parts = flat.split(",") if "," in flat else flat.split()
    return [part.replace("\1", ",").replace("\2", " ").strip() for part in parts]
