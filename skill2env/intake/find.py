"""Finds the skills of a source: every folder with a SKILL.md, however spelled, nested or linked, and its own files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from skill2env.errors import UsageError
from skill2env.intake.codes import Findings
from skill2env.intake.sources.source import Source
from skill2env.stages.parse.tree import MAX_FILES

SKILL_FILE = "skill.md"
_LEVELS = 10
_STEPS = 20 * MAX_FILES
"""Entries that are looked at for one skill; links among links would else take for ever."""


@dataclass
class Found:
    """One skill of a source."""

    path: str
    """Its folder; empty where the whole source is one."""
    files: dict[str, str] = field(default_factory=dict)
    """Path in the skill to the path in the source where the content is; links are resolved."""
    findings: Findings = field(default_factory=Findings)
    steps: int = 0
    """Entries that were looked at."""


def find(source: Source, part: str = "") -> list[Found]:
    """Return the skills in a part of a source, by path.

    A skill's files are those below its folder that belong to no skill deeper down. A link to a folder of skills within the
    source leads to those skills where they really are, so that each counts once.

    Raises:
        UsageError: the part is not there.
    """
    top = source.resolved(part) if part else ""
    if top is None or (top and top not in source.names):
        raise UsageError(f"{source.origin} has no folder {part!r}; name another with --path")
    everywhere = _roots(source)
    return [_found(source, root, everywhere) for root in sorted(_meant(source, top, everywhere))]


def _roots(source: Source) -> frozenset[str]:
    """Return every folder that holds a file, or a link to a file, that is named SKILL.md."""
    found = set()
    for path in source.paths:
        parent, _, name = path.rpartition("/")
        if name.casefold() == SKILL_FILE:
            real = source.resolved(path)
            if real is None or real in source.entries:
                found.add(parent)
    return frozenset(found)


def _meant(source: Source, top: str, everywhere: frozenset[str]) -> set[str]:
    """Return the folders of skills below a folder, and below what links there lead to."""
    tops, seen = [top], set[str]()
    while tops:
        place = tops.pop()
        if place in seen:
            continue
        seen.add(place)
        for path in source.below(place):
            if source.entries[path].kind == "link":
                real = source.resolved(path)
                if real is not None and real in source.names and not is_below(real, place):
                    tops.append(real)
    return {root for root in everywhere if any(is_below(root, place) for place in seen)}


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or is below it; all are below ""."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def _found(source: Source, root: str, everywhere: frozenset[str]) -> Found:
    found = Found(root)
    for path in _own(source, root, everywhere):
        _take(source, found, path, path[len(root) + 1 :] if root else path, 0)
        if len(found.files) > MAX_FILES:
            message = f"The skill has more than {MAX_FILES} files; bundle fewer."
            found.findings.add("not-a-skill", message)
            break
    return found


def _own(source: Source, root: str, everywhere: frozenset[str]) -> Iterator[str]:
    """Yield the paths below a root that are below no deeper one."""
    for path in source.below(root):
        folder = path.rpartition("/")[0]
        while folder != root and folder not in everywhere:
            folder = folder.rpartition("/")[0]
        if folder == root:
            yield path


def _take(source: Source, found: Found, path: str, name: str, level: int) -> None:
    """Take one entry in; what a link leads to is taken in its place."""
    kind = source.entries[path].kind
    found.steps += 1
    if kind == "special":
        message = (
            "This is a device, pipe, socket, hard link, submodule or encrypted entry; put a plain file there."
        )
        found.findings.add("special-entry", message, name)
    elif kind == "file":
        found.files[name] = path
    else:
        real = source.resolved(path)
        if real is None or level > _LEVELS or found.steps > _STEPS:
            message = "The link leads out of the source, nowhere, or in a circle; put the file itself there."
            found.findings.add("link-out-of-source", message, name)
            return
        found.findings.add(
            "link-copied", "This is a link within the source; what it leads to was copied.", name
        )
        if real in source.entries:
            _take(source, found, real, name, level + 1)
            return
        for below in source.below(real):
            if len(found.files) > MAX_FILES:
                return
            rest = below[len(real) + 1 :] if real else below
            _take(source, found, below, f"{name}/{rest}", level + 1)
