"""Writes a SKILL.md anew with everything mended that can be mended mechanically, and nothing lost.

Each step reads what the last one wrote. A step that would change what is read of the skill is not taken, so
that a mended file says what the reader took the damaged one to say.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from skill2env.stages.parse.body import read_body
from skill2env.stages.parse.codes import Findings
from skill2env.stages.parse.decode import decode
from skill2env.stages.parse.fences import FENCE, closed, with_last_closed
from skill2env.stages.parse.fields import (
    EMPTY,
    ENTITY,
    MAX_NAME,
    Fields,
    as_text,
    by_key,
    read_fields,
    split_tools,
    well_shaped,
)
from skill2env.stages.parse.frontmatter import Front, read_front
from skill2env.stages.parse.written import is_plain, rendered
from skill2env.stages.parse.yamltext import Entry

MAX_ROUNDS = 16
"""Of all steps, as what one has mended may show another what to mend; a file that takes more is left as it is."""
UNMENDABLE = ("binary-file", "frontmatter-too-large", "frontmatter-too-deep")


def mended(data: bytes, skill_id: str) -> bytes:
    """Return the bytes of a SKILL.md as they should be; those given where nothing can or need be done.

    Args:
        data: the file as it is.
        skill_id: the folder's name, which may become the name.
    """
    findings = Findings()
    text, encoding = decode(data, findings)
    if "\ufffd" in text and encoding != "utf-8":
        return data
    read_front(text, findings)
    if findings.has(*UNMENDABLE) or text.encode("utf-8", "replace").decode() != text:
        return data
    lossy = findings.has("not-utf8") and "\ufffd" in text
    after = text
    for _ in range(MAX_ROUNDS):
        before = after
        for step in (_with_frontmatter, _with_values, _with_fences):
            after = _guarded(after, step, skill_id)
        if after == before:
            break
    else:
        return data
    return data if lossy else after.encode("utf-8")


def _guarded(text: str, step: Callable[[str, str], str], skill_id: str) -> str:
    """Return the text after a step, or as it was where the step would change what is read or add a fault."""
    after = step(text, skill_id)
    if after == text:
        return text
    (meant, faults), (means, left) = _meaning(text, skill_id), _meaning(after, skill_id)
    return after if means == meant and left <= faults else text


def _meaning(text: str, skill_id: str) -> tuple[Fields, set[str]]:
    """Return what is read of a text, and the codes of what is wrong with its frontmatter.

    Names that differ in case, blanks and underscores only count as equal.
    """
    findings = Findings()
    front = read_front(text, findings)
    paragraph = read_body(front.body, Findings()).first_paragraph
    fields = read_fields(front, skill_id, paragraph, findings)
    plain = fields._replace(name=_slug(fields.name), description=html.unescape(fields.description), keys=())
    return plain, {finding.code for finding in findings.all()}


def _with_frontmatter(text: str, skill_id: str) -> str:
    """Write exact fences around valid YAML; what stood above the frontmatter or belongs to no key goes below."""
    front = read_front(text, Findings())
    if front.mended is None:
        return text
    body = [*front.left_out, *front.body]
    while body and not body[0].strip():
        body.pop(0)
    return "\n".join(["---", front.mended.rstrip(), "---", "", *body])


def _with_values(text: str, skill_id: str) -> str:
    """Write keys and values of the frontmatter as the specification wants them."""
    front = read_front(text, Findings())
    if not front.yaml or front.yaml.lstrip().startswith("{"):
        return text
    known, _ = by_key(front.entries, Findings())
    written = front.yaml
    for key, entry in sorted(known.items(), key=lambda item: -item[1].line):
        written = _with_value(written, key, entry, skill_id)
    if "name" not in known and _usable(skill_id):
        written = f"{rendered('name', skill_id)}\n{written}"
    return text.replace(f"---\n{front.yaml}\n---", f"---\n{written}\n---", 1)


def _with_value(written: str, key: str, entry: Entry, skill_id: str) -> str:
    if entry.source is None:
        return written
    start, (value_start, value_end) = entry.source.key.start, entry.source.value
    source = written[value_start:value_end]
    wanted = _wanted(key, entry, skill_id)
    if wanted is None or (not isinstance(entry.value, str) and "#" in source):
        if key == entry.key:
            return written
        return written[:start] + key + written[entry.source.key.end :]
    end = value_end - (len(source) - len(source.rstrip()))
    was = f"  # was: {entry.value}" if key == "name" and wanted != entry.value and source else ""
    return written[:start] + rendered(key, wanted) + was + written[end:]


def _wanted(key: str, entry: Entry, skill_id: str) -> str | None:
    """Return the text that a value should be; None where it is good, or a person must decide."""
    value = entry.value
    if key == "allowed-tools" and value not in EMPTY:
        return _tools(value)
    if key == "name" and isinstance(value, str):
        empty = value.strip() in EMPTY
        if _usable(skill_id) and value != skill_id and (empty or _slug(value) == skill_id):
            return skill_id
    if key in ("description", "license", "compatibility") and not isinstance(value, str) and value:
        return as_text(value).strip()
    if not isinstance(value, str) or value in EMPTY:
        return None
    if key == "description" and ENTITY.search(value):
        return ENTITY.sub(lambda match: html.unescape(match[0]), value).strip()
    return value if entry.plain and not is_plain(value) and "\n" not in value else None


def _tools(value: object) -> str | None:
    """Return the tools as one string with spaces, where each is read as the same tool again."""
    if isinstance(value, str):
        if "," not in re.sub(r"\([^()]*\)", "", value):
            return None
        tools = [tool for tool in split_tools(value) if tool]
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        tools = [item.strip() for item in value if item.strip()]
    else:
        return None
    joined = " ".join(tools)
    return joined if split_tools(joined) == tools and "," not in re.sub(r"\([^()]*\)", "", joined) else None


def _with_fences(text: str, skill_id: str) -> str:
    """Close code fences, and move code off the line of an opening fence."""
    if "```" not in text and "~~~" not in text:
        return text
    front: Front = read_front(text, Findings())
    lines = text.split("\n")
    body = closed(front.body, Findings())
    lines = [new if new != old else line for line, old, new in zip(lines, front.body, body, strict=True)]
    findings = Findings(most=len(body))
    read_body(body, findings)
    for finding in reversed(findings.all()):
        opening = FENCE.match(lines[finding.line - 1]) if finding.code == "info-string-is-code" else None
        if opening:
            indent, marker, code = opening[1], opening[2], opening[3].strip()
            lines[finding.line - 1 : finding.line] = [indent + marker, indent + code]
    return "\n".join(with_last_closed(lines))


def _usable(skill_id: str) -> bool:
    return well_shaped(skill_id) and len(skill_id) <= MAX_NAME


def _slug(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().lower())
