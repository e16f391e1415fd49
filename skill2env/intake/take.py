"""Takes the skills of a source into a corpus: each is found, read, judged, and gets exactly one answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skill2env.intake.changes import changes, files_in, touched
from skill2env.intake.codes import Findings
from skill2env.intake.find import Found, find, is_below
from skill2env.intake.licences import Licence, resolve
from skill2env.intake.licences.texts import decoded
from skill2env.intake.outcome import Fate, Result
from skill2env.intake.reading import Read, Reader
from skill2env.intake.shelf import File, Shelf, author_of
from skill2env.intake.sources import Source
from skill2env.intake.sources.source import Unreadable
from skill2env.models.outcome import Severity
from skill2env.models.skill import Provenance, Skill
from skill2env.params import ImportParams
from skill2env.stages.parse import tree_hash

LICENCE_CODES = frozenset({"licence-missing", "licence-unknown", "licence-forbids"})


@dataclass(frozen=True)
class Wishes:
    """What the one who imports asked for."""

    part: str = ""
    """Folder of the source; empty for all of it."""
    by_reference: bool = False
    """Keep what may not be redistributed by reference."""
    update: bool = False
    """Replace skills that changed at the source."""
    accepted: frozenset[str] = frozenset()
    """Places `<path in the source>:<line>` that a person has read and answers for."""


class Import:
    """One import."""

    def __init__(self, source: Source, corpus: Path, params: ImportParams, wishes: Wishes) -> None:
        """Look at the corpus.

        Raises:
            UsageError: it is not there.
        """
        self._source, self._params, self._wishes = source, params, wishes
        self._shelf = Shelf(corpus, params)
        self._reader = Reader(source, self._shelf, wishes.accepted)

    def results(self) -> Iterator[Result]:
        """Take each skill of the source in turn and yield what became of it, then what is gone.

        Raises:
            UsageError: the part is not in the source, or it exceeds a limit.
            WorkspaceError: the corpus can't be written.
        """
        known = self._known()
        gone = bool(known) and self._source.resolved(self._wishes.part) is None
        skills = [] if gone else find(self._source, self._wishes.part)
        for found in skills:
            yield self._take(found)
        for path in sorted(known.keys() - {found.path for found in skills}):
            yield Result(path=path, skill_id=known[path], fate=Fate.GONE)
        for place in sorted(self._wishes.accepted - self._reader.met):
            message = (
                f"No secret or personal datum was found at `{place}`; correct `--accept`, or leave it out."
            )
            self._source.findings.add("nothing-accepted", message)

    def _known(self) -> dict[str, str]:
        """Return the paths of this source's part that are on record, with the names in the corpus."""
        steps = [step for step in self._wishes.part.split("/") if step not in ("", ".")]
        part = self._source.resolved(self._wishes.part)
        prefix = "/".join(steps) if part is None else part
        return {
            path: name
            for (origin, path), name in self._shelf.by_place.items()
            if origin == self._source.origin and is_below(path, prefix)
        }

    def _take(self, found: Found) -> Result:
        digest = self._reader.digest(found)
        name = self._shelf.by_place.get((self._source.origin, found.path), "")
        same = bool(name) and self._same(name, found, digest)
        like = self._shelf.by_digest.get(digest, "")
        if like and not name and not found.findings.blocks:
            return Result(path=found.path, fate=Fate.COPY, like=like, sha256=digest)
        read = self._reader.content(found, digest)
        licence = resolve(
            self._source, found, read.skill.licence if read.skill else "", self._params.licences
        )
        if name and licence.spdx != self._shelf.records[name].licence:
            message = f"The licence was {self._shelf.records[name].licence} when the skill was taken, and is {licence.spdx} now."
            found.findings.add("licence-changed", message)
        elif same:
            return Result(path=found.path, skill_id=name, fate=Fate.UNCHANGED, sha256=digest)
        findings = (*found.findings.all(), *read.findings.all(), *read.refused_by)
        result = Result(
            path=found.path, fate=Fate.REFUSED, licence=licence.spdx, sha256=digest, findings=findings
        )
        blocking = {item.code for item in findings if item.severity == Severity.ERROR}
        if name:
            return self._renewed(result, name, read, licence, bool(blocking))
        if blocking and blocking <= LICENCE_CODES and self._wishes.by_reference:
            return self._referred(result, found, licence)
        if blocking or read.skill is None:
            return result
        return self._new(result, found, read, read.skill, licence)

    def _same(self, name: str, found: Found, digest: str) -> bool:
        """Return whether what is on record is what the source has, modes of the copied files included."""
        if self._shelf.records[name].sha256 != digest or found.findings.blocks:
            return False
        folder = self._shelf.folder(name)
        return not folder.is_dir() or all(
            (folder / file).is_file()
            and bool((folder / file).stat().st_mode & 0o100) == self._source.entries[path].executable
            for file, path in found.files.items()
        )

    def _new(self, result: Result, found: Found, read: Read, skill: Skill, licence: Licence) -> Result:
        author = author_of(skill, self._source.origin)
        if self._shelf.over_cap(self._source.origin, author):
            return result.model_copy(update={"fate": Fate.OVER_CAP})
        name = self._shelf.name_for(found, self._source.origin, result.sha256)
        like = self._shelf.crowded(found.path, name, skill.text)
        if like:
            return result.model_copy(update={"fate": Fate.NEAR_COPY, "like": like})
        self._shelf.authors[author] += 1
        return self._placed(result, name, licence, read.files)

    def _placed(self, result: Result, name: str, licence: Licence, files: Mapping[str, File]) -> Result:
        record = self._record(result.path, licence.spdx, result.sha256)
        with self._shelf.staged(name, files) as folder:
            self._shelf.put(name, folder, record, self._licence_texts(licence))
        return result.model_copy(update={"fate": Fate.NEW, "skill_id": name})

    def _referred(self, result: Result, found: Found, licence: Licence) -> Result:
        name = self._shelf.name_for(found, self._source.origin, result.sha256)
        self._shelf.put(name, None, self._record(result.path, licence.spdx, result.sha256), "")
        return result.model_copy(update={"fate": Fate.REFERENCE, "skill_id": name})

    def _renewed(self, result: Result, name: str, read: Read, licence: Licence, blocked: bool) -> Result:
        """Return what changed since a skill was taken, and replace it where that is wished for and nothing is against it."""
        folder = self._shelf.folder(name)
        before = files_in(folder) if folder.is_dir() else {}
        update = {
            "skill_id": name,
            "changes": changes(before, read.files) if folder.is_dir() else (),
            "touched": touched(self._shelf.corpus / "blueprints" / name, before, read.files),
            "fate": Fate.REFUSED if blocked and folder.is_dir() else Fate.CHANGED,
        }
        if folder.is_dir() and tree_hash(folder) != self._shelf.records[name].sha256:
            mine = Findings()
            mine.add(
                "changed-here",
                "The folder was changed here; put that aside, or run `skill2env provenance` on it.",
            )
            update |= {"fate": Fate.REFUSED, "findings": (*result.findings, *mine.all())}
        elif self._wishes.update and not (blocked and folder.is_dir()):
            record = self._record(result.path, licence.spdx, result.sha256)
            if folder.is_dir():
                with self._shelf.staged(name, read.files) as staged:
                    self._shelf.put(name, staged, record, self._licence_texts(licence))
            else:
                self._shelf.put(name, None, record, "")
            update["fate"] = Fate.UPDATED
        return result.model_copy(update=update)

    def _record(self, path: str, licence: str, digest: str) -> Provenance:
        source = self._source
        return Provenance(
            origin=source.origin, commit=source.commit, path=path, licence=licence, sha256=digest
        )

    def _licence_texts(self, licence: Licence) -> str:
        """Return the texts that must go along with copies and are not among the skill's own files."""
        parts = []
        for path in licence.texts:
            try:
                parts.append(f"{path}\n\n{decoded(self._source.read(path)).strip()}\n")
            except Unreadable:
                continue
        return "\n\n".join(parts)
