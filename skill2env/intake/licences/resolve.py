"""Which statement about a skill's licence counts: the nearest file, the skill's frontmatter, its plugin's manifest, a README."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skill2env.intake.find import Found
from skill2env.intake.licences.spdx import CLOSED, expression, is_silent, joined, named_in, narrows, permits
from skill2env.intake.licences.texts import MAX_BYTES, decoded, is_licence_file, text_licence
from skill2env.intake.sources.source import Source, Unreadable

MANIFEST = ".claude-plugin/plugin.json"
_README = re.compile(r"readme(?:\.(?:md|txt|rst))?", re.IGNORECASE)
_NOTICE = re.compile(r"notice(?:\.(?:md|txt))?", re.IGNORECASE)
_HEADING = re.compile(
    r"^(?:#{1,6}[ \t]*[^\w\n]{0,8}licen[cs](?:es?|ing)(?:[ \t]*(?:&|and)[ \t]*copyright)?"
    r"(?:[ \t]*[:：][^\n]{1,80}|[^\w\n]*)|licen[cs](?:es?|ing)[ \t]*\n[-=]{3,})$",
    re.MULTILINE | re.IGNORECASE,
)
_NEXT_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_SECTION_CHARS = 1000


@dataclass(frozen=True)
class Statement:
    """One place that says under which licence something may be used."""

    place: str
    """Path in the source."""
    spdx: str | None
    """The expression; None where a licence is meant that nobody knows."""


@dataclass(frozen=True)
class Licence:
    """What is to be put on record."""

    spdx: str
    """An SPDX expression, `LicenseRef-Proprietary`, or `NOASSERTION`."""
    place: str
    """Where that is stated, as a path in the source; empty where it is not."""
    texts: tuple[str, ...]
    """Paths of licence and notice files outside the skill's folder that must go along with copies."""


def resolve(source: Source, found: Found, stated: str, allowed: tuple[str, ...]) -> Licence:
    """Return the licence of a skill; what is missing, unknown, forbidding or contradictory is added to its findings.

    Args:
        source: what the skill comes from.
        found: the skill.
        stated: `license` of its frontmatter.
        allowed: SPDX names of the licences that allow redistribution.
    """
    statements = list(_statements(source, found, stated))
    if not statements:
        message = "No licence is stated in a file, the frontmatter or a README; ask the author to state one."
        found.findings.add("licence-missing", message)
        return Licence("NOASSERTION", "", ())
    first = statements[0]
    texts = tuple(_texts(source, found))
    if first.spdx is None:
        message = f"{first.place} states a licence that is no known one; ask the author for an SPDX name."
        found.findings.add("licence-unknown", message)
        return Licence("NOASSERTION", first.place, texts)
    if not permits(first.spdx, allowed):
        message = (
            f"{first.place} states {first.spdx}, which is not among `import.licences`; keep it by reference."
        )
        found.findings.add("licence-forbids", message)
    for other in statements[1:]:
        if other.spdx != first.spdx:
            farther = f"{other.place} {other.spdx or 'an unknown licence'}"
            message = f"{first.place} states {first.spdx}, but {farther}; the former counts."
            found.findings.add("licence-differs", message)
    return Licence(first.spdx, first.place, texts)


def _statements(source: Source, found: Found, stated: str) -> Iterator[Statement]:
    """Yield what is stated, what counts most first."""
    own = sorted(name for name in found.files if "/" not in name and is_licence_file(name))
    if own:
        yield _of_files(source, [found.files[name] for name in own])
    if not is_silent(stated):
        yield Statement(f"{found.path or '.'}/SKILL.md", expression(stated))
    parents = list(_parents(found.path))
    for folder in parents:
        files = _named(source, folder, is_licence_file)
        if files:
            yield _of_files(source, files)
            break
    for read in (_of_manifest, _of_readme):
        statement = next((one for folder in [found.path, *parents] if (one := read(source, folder))), None)
        if statement:
            yield statement


def _parents(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _named(source: Source, folder: str, wanted: Callable[[str], object]) -> list[str]:
    """Return the paths of the files in a folder whose name is wanted."""
    names = [name for name in source.names.get(folder, ()) if wanted(name)]
    paths = (source.resolved(f"{folder}/{name}" if folder else name) for name in names)
    return [path for path in paths if path is not None and path in source.entries]


def _of_files(source: Source, paths: list[str]) -> Statement:
    """Return what licence files that lie side by side say: each of them holds."""
    found = [text_licence(text) if (text := _text(source, path)) else None for path in paths]
    known = [spdx for spdx in found if spdx]
    return Statement(paths[0], joined(known) if known and len(known) == len(found) else None)


def _of_manifest(source: Source, folder: str) -> Statement | None:
    path = f"{folder}/{MANIFEST}" if folder else MANIFEST
    if path not in source.entries or source.entries[path].kind != "file":
        return None
    try:
        value = json.loads(_text(source, path))
    except (ValueError, RecursionError):
        return None
    stated = value.get("license") if isinstance(value, dict) else None
    return Statement(path, expression(stated)) if isinstance(stated, str) and not is_silent(stated) else None


def _of_readme(source: Source, folder: str) -> Statement | None:
    for path in _named(source, folder, _README.fullmatch):
        text = _text(source, path)
        heading = _HEADING.search(text)
        if heading:
            section = text[heading.start() : heading.end() + _SECTION_CHARS]
            following = _NEXT_HEADING.search(section, heading.end() - heading.start())
            section = section[: following.start()] if following else section
            spdx = named_in(section)
            if spdx != CLOSED and narrows(section):
                return Statement(path, None)
            if spdx:
                return Statement(path, spdx)
    return None


def _texts(source: Source, found: Found) -> Iterator[str]:
    """Yield the licence files of the nearest folder above that has some, where the skill has none, and the notices above."""
    parents = list(_parents(found.path))
    if not any("/" not in name and is_licence_file(name) for name in found.files):
        yield from next(
            (files for folder in parents if (files := _named(source, folder, is_licence_file))), []
        )
    for folder in parents:
        yield from _named(source, folder, _NOTICE.fullmatch)


def _text(source: Source, path: str) -> str:
    if source.entries[path].size > MAX_BYTES:
        return ""
    try:
        return decoded(source.read(path))
    except Unreadable:
        return ""
