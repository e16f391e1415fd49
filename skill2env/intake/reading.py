"""Reads the skills of a source: their files, what parse makes of them, and what the screens find in them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from skill2env.intake.codes import Findings
from skill2env.intake.find import SKILL_FILE, Found
from skill2env.intake.licences.texts import decoded
from skill2env.intake.screens import screen
from skill2env.intake.shelf import File, Shelf
from skill2env.intake.sources import Source
from skill2env.intake.sources.source import Unreadable
from skill2env.models.base import content_id
from skill2env.models.outcome import Finding, Rejected, Severity
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill
from skill2env.stages.parse.tree import MAX_BYTES


@dataclass
class Read:
    """The files of a skill, and what reading them alone says."""

    files: dict[str, File]
    skill: Skill | None
    findings: Findings
    refused_by: tuple[Finding, ...] = ()


class Reader:
    """Reads one source; equal files that follow each other are read once."""

    def __init__(self, source: Source, shelf: Shelf, accepted: frozenset[str]) -> None:
        """Prepare to read; `accepted` are places `<path in the source>:<line>` that a person answers for."""
        self._source, self._shelf, self._accepted = source, shelf, accepted
        self._read: dict[str, Read] = {}
        self.met: set[str] = set()
        """Accepted places at which there was something to accept."""

    def digest(self, found: Found) -> str:
        """Return the content id of a skill's files, as parse counts it; what can't be read is told of."""
        pairs = []
        for name, path in sorted(found.files.items()):
            try:
                pairs.append([name, self._source.digest(path)])
            except Unreadable as error:
                found.findings.add("unreadable-entry", f"The file was not taken: {error}.", name)
        return content_id(pairs)

    def content(self, found: Found, digest: str) -> Read:
        """Return what a skill with this digest holds.

        Raises:
            WorkspaceError: the corpus, beside which the files are written for parse, can't be written.
        """
        modes = [self._source.entries[path].executable for _, path in sorted(found.files.items())]
        prefix = f"{found.path}/" if found.path else ""
        accepted = {place.removeprefix(prefix) for place in self._accepted if place.startswith(prefix)}
        key = content_id([digest, modes, sorted(accepted)])
        if key not in self._read:
            self._read = {key: self._fresh(found, frozenset(accepted))}
        self.met |= {prefix + place for place in self._read[key].findings.met}
        return self._read[key]

    def _fresh(self, found: Found, accepted: frozenset[str]) -> Read:
        """Read a skill's files, let parse read them, and look through them for what nobody answers for."""
        read = Read({}, None, Findings(accepted))
        size = sum(self._source.entries[path].size for path in found.files.values())
        if size > MAX_BYTES:
            message = f"The skill's files hold {size:,} bytes, more than {MAX_BYTES:,}; bundle less."
            read.findings.add("not-a-skill", message)
            return read
        for name, path in found.files.items():
            try:
                read.files[name] = File(self._source.read(path), self._source.entries[path].executable)
            except Unreadable:
                continue
        try:
            with self._shelf.staged("skill", read.files) as folder:
                answer = read_skill(folder, self._folder_name(found))
        except (OSError, ValueError) as error:
            read.findings.add("not-a-skill", f"The files can't be written ({error}); rename them.")
            return read
        if isinstance(answer, Rejected):
            read.findings.add("not-a-skill", f"{answer.message} (rule {answer.rule})")
            read.refused_by = tuple(item for item in answer.findings if item.severity == Severity.ERROR)
        else:
            read.skill = answer.record
        screen({name: file.data for name, file in read.files.items()}, read.findings)
        return read

    def _folder_name(self, found: Found) -> str:
        return (found.path or self._source.origin.rstrip("/")).rpartition("/")[2]

    def skill_text(self, found: Found) -> str:
        """Return a skill's SKILL.md; empty where it can't be read."""
        for name, path in found.files.items():
            if name.casefold() == SKILL_FILE:
                with suppress(Unreadable):
                    return decoded(self._source.read(path))
        return ""
