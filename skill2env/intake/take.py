"""Takes the skills of a source into a corpus: each is found, read, judged, and gets exactly one answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.intake.changes import changes, files_in, touched
from skill2env.intake.codes import Findings
from skill2env.intake.find import Found, find, is_below
from skill2env.intake.licences import Licence, resolve
from skill2env.intake.licences.texts import decoded
from skill2env.intake.moves import Text, moves
from skill2env.intake.outcome import Fate, Result, Touched
from skill2env.intake.reading import Read, Reader
from skill2env.intake.shelf import File, Shelf, author_of
from skill2env.intake.sources import Source
from skill2env.intake.sources.source import Unreadable
from skill2env.models.outcome import Severity
from skill2env.models.skill import Provenance, Skill
from skill2env.params import ImportParams
from skill2env.stages.parse import read_skill_file

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
        self._moved: dict[str, str] = {}

    def results(self) -> Iterator[Result]:
        """Take each skill of the source in turn and yield what became of it, then what is gone.

        Raises:
            UsageError: the part is not in the source, it exceeds a limit, or an update may be of another source.
            WorkspaceError: the corpus can't be written.
        """
        self._check_update()
        self._shelf.sweep()
        known = self._known()
        nowhere = bool(known) and self._source.resolved(self._wishes.part) is None
        skills = [] if nowhere else find(self._source, self._wishes.part)
        gone = {path: known[path] for path in sorted(known.keys() - {found.path for found in skills})}
        self._moved = self._moves(frozenset(gone.values()), skills)
        # What is copied here comes first, so that new ones are compared and counted with what it is after an update.
        for found in sorted(skills, key=lambda found: not self._is_copied(self._name(found))):
            yield self._take(found)
        for path, name in gone.items():
            if name not in self._moved.values():
                yield Result(path=path, skill_id=name, fate=Fate.GONE)
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

    def _check_update(self) -> None:
        """Raise UsageError where what is on record may be of another source with the same name."""
        origin = self._source.origin
        if (
            self._wishes.update
            and self._source.guessed
            and origin in {one for one, _ in self._shelf.by_place}
        ):
            raise UsageError(
                f"{origin!r} is on record, but is only the last part of a path, which other sources may have too; "
                "say with --origin which one this is, by the same name if it is the same"
            )

    def _moves(self, gone: frozenset[str], skills: list[Found]) -> dict[str, str]:
        """Return the paths that are not on record to which skills that are gone moved, with their names."""
        if not gone:
            return {}
        here = {
            name: Text(self._shelf.records[name].sha256, decoded(read_skill_file(self._shelf.folder(name))))
            for name in gone
        }
        digests = {found.path: self._reader.digest(found) for found in skills if not self._name(found)}
        new = {
            found.path: Text(digests[found.path], self._reader.skill_text(found))
            for found in skills
            if found.path in digests and self._shelf.by_digest.get(digests[found.path], "") in {"", *gone}
        }
        return moves(here, new, self._params.similarity)

    def _name(self, found: Found) -> str:
        """Return the name in the corpus of a skill that is on record; empty where it is not."""
        known = self._shelf.by_place.get((self._source.origin, found.path), "")
        return known or self._moved.get(found.path, "")

    def _is_copied(self, name: str) -> bool:
        return bool(name) and self._shelf.folder(name).is_dir()

    def _take(self, found: Found) -> Result:
        digest, name = self._reader.digest(found), self._name(found)
        like = self._shelf.by_digest.get(digest, "")
        if like and not name and not found.findings.blocks and not self._is_left_over(like, found, digest):
            return Result(path=found.path, fate=Fate.COPY, like=like, sha256=digest)
        equal = self._is_copied(name) and not found.findings.blocks and self._is_equal(name, found, digest)
        read = self._reader.content(found, digest)
        licence = resolve(
            self._source, found, read.skill.licence if read.skill else "", self._params.licences
        )
        as_recorded = bool(name) and self._is_as_recorded(name, found, digest, licence)
        if as_recorded and (equal or (not self._is_copied(name) and found.findings.blocks)):
            return Result(path=found.path, skill_id=name, fate=Fate.UNCHANGED, sha256=digest)
        findings = (*found.findings.all(), *read.findings.all(), *read.refused_by)
        result = Result(
            path=found.path,
            skill_id=name,
            fate=Fate.REFUSED,
            licence=licence.spdx,
            sha256=digest,
            findings=findings,
        )
        blocking = {item.code for item in findings if item.severity == Severity.ERROR}
        if self._is_copied(name):
            return self._renewed(result, read, licence, bool(blocking), equal)
        if blocking and blocking <= LICENCE_CODES and (name or self._wishes.by_reference):
            return self._referred(result, found, read, licence)
        if blocking or read.skill is None:
            return result
        return self._new(result, found, read, read.skill, licence)

    def _is_left_over(self, name: str, found: Found, digest: str) -> bool:
        """Return whether a killed import left this skill without its record."""
        return (
            self._shelf.is_left_over(name, digest)
            and self._shelf.name_for(found, self._source.origin, digest) == name
        )

    def _is_equal(self, name: str, found: Found, digest: str) -> bool:
        """Return whether the folder here holds what the source has, modes included."""
        folder = self._shelf.folder(name)
        return self._shelf.held(name) == digest and all(
            bool((folder / file).stat().st_mode & 0o100) == self._source.entries[path].executable
            for file, path in found.files.items()
        )

    def _is_as_recorded(self, name: str, found: Found, digest: str, licence: Licence) -> bool:
        """Return whether the record says what the source does; another licence or place is told."""
        record = self._shelf.records[name]
        if licence.spdx != record.licence:
            message = f"The licence was {record.licence} when the skill was taken, and is {licence.spdx} now."
            found.findings.add("licence-changed", message)
        if found.path != record.path:
            message = (
                f"The skill was in {record.path or '.'} when it was taken, and is in {found.path or '.'} now."
            )
            found.findings.add("place-changed", message)
        return (record.sha256, record.licence, record.path) == (digest, licence.spdx, found.path)

    def _new(self, result: Result, found: Found, read: Read, skill: Skill, licence: Licence) -> Result:
        """Take a skill that is not copied here where there are not enough of its kind; what is left over was counted before."""
        name = result.skill_id or self._shelf.name_for(found, self._source.origin, result.sha256)
        if not self._shelf.is_left_over(name, result.sha256):
            kept_out = self._kept_out(name, result, skill)
            if kept_out:
                return result.model_copy(update={"skill_id": "", **kept_out})
        self._copy(name, result, licence, read.files)
        return result.model_copy(update={"fate": Fate.NEW, "skill_id": name})

    def _kept_out(self, name: str, result: Result, skill: Skill) -> dict[str, str]:
        """Return what a skill is one too many of, else nothing; then it is counted."""
        like = self._shelf.by_digest.get(result.sha256, "")
        if like:
            return {"fate": Fate.COPY, "like": like}
        author = author_of(skill, self._source.origin)
        if self._shelf.over_cap(self._source.origin, author):
            return {"fate": Fate.OVER_CAP}
        like = self._shelf.crowded(result.path, name, skill.text)
        if like:
            return {"fate": Fate.NEAR_COPY, "like": like}
        self._shelf.authors[author] += 1
        return {}

    def _copy(self, name: str, result: Result, licence: Licence, files: Mapping[str, File]) -> None:
        record = self._record(result.path, licence.spdx, result.sha256)
        with self._shelf.staged(name, files) as folder:
            self._shelf.put(name, folder, record, self._licence_texts(licence))

    def _referred(self, result: Result, found: Found, read: Read, licence: Licence) -> Result:
        """Put a skill on record alone, or renew that record where it is wished for."""
        name = result.skill_id
        like = self._shelf.by_reference.get(result.sha256, "")
        if like and not name:
            return result.model_copy(update={"fate": Fate.COPY, "like": like})
        fate = Fate.REFERENCE if not name else Fate.UPDATED if self._wishes.update else Fate.CHANGED
        update = {"fate": fate, "touched": self._touched(name, {}, read.files) if name else ()}
        if fate != Fate.CHANGED:
            name = name or self._shelf.name_for(found, self._source.origin, result.sha256)
            self._shelf.put(name, None, self._record(result.path, licence.spdx, result.sha256), "")
        return result.model_copy(update={**update, "skill_id": name})

    def _renewed(self, result: Result, read: Read, licence: Licence, blocked: bool, equal: bool) -> Result:
        """Return what changed since a skill was taken, and replace it where that is wished for and nothing is against it.

        A folder that is the source's while its record is not was left by an update that was killed, which is finished.
        """
        name = result.skill_id
        before, recorded = files_in(self._shelf.folder(name)), self._shelf.records[name].sha256
        update: dict[str, object] = {
            "changes": changes(before, read.files),
            "touched": self._touched(name, before, read.files),
            "fate": Fate.REFUSED if blocked else Fate.CHANGED,
        }
        if not equal and self._shelf.held(name) != recorded:
            mine = Findings()
            mine.add(
                "changed-here",
                "The folder was changed here; put that aside, or run `skill2env provenance` on it.",
            )
            update |= {"fate": Fate.REFUSED, "findings": (*result.findings, *mine.all())}
        elif not blocked and (self._wishes.update or (equal and recorded != result.sha256)):
            self._copy(name, result, licence, read.files)
            update["fate"] = Fate.UPDATED
        return result.model_copy(update=update)

    def _touched(
        self, name: str, before: Mapping[str, File], after: Mapping[str, File]
    ) -> tuple[Touched, ...]:
        return touched(self._shelf.corpus / "blueprints" / name, before, after)

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
