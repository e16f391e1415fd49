"""The corpus as an import sees it: what is on record, what it looks like, and writing that leaves no half skill when killed."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from skill2env.errors import UsageError, WorkspaceError
from skill2env.intake.find import Found
from skill2env.models.outcome import Accepted
from skill2env.models.skill import Provenance, Skill
from skill2env.near import Near
from skill2env.params import ImportParams
from skill2env.stages.parse import provenance_path, read_skill, tree_hash
from skill2env.store.swap import install, remove
from skill2env.store.workspace import write_text

MAX_NAME_CHARS = 64
_NAME_HASH_CHARS = 8
_STAGE = ".import-"
OF_NAMES = frozenset({errno.ENAMETOOLONG, errno.EILSEQ, errno.EEXIST, errno.ENOTDIR, errno.EISDIR})
"""Errors that the names of a skill's files are to blame for; all others are the disk's."""


@dataclass(frozen=True)
class File:
    """One file of a skill."""

    data: bytes
    executable: bool


class Shelf:
    """Skills and provenance of a corpus."""

    def __init__(self, corpus: Path, params: ImportParams) -> None:
        """Read what is on record; a provenance file that can't be read is left to parse to tell of.

        Raises:
            UsageError: the corpus is not there.
        """
        _need(corpus)
        self.corpus, self._params = corpus, params
        self._names: dict[str, str] = {}
        self.records = dict(self._records())
        self.by_place = {(record.origin, record.path): name for name, record in self.records.items()}
        copied = [name for name in self.records if self.folder(name).is_dir()]
        self.origins = Counter(self.records[name].origin for name in copied)
        """How many skills of each origin are copied here."""
        self.by_digest = {self.records[name].sha256: name for name in reversed(copied)}
        """The skills that are copied here, those without a record too."""
        for name in sorted(self._folders() - self.records.keys()):
            self.by_digest.setdefault(self.held(name), name)
        self.by_reference = {
            record.sha256: name for name, record in reversed(self.records.items()) if name not in copied
        }
        """The skills that are on record alone."""

    def _records(self) -> Iterator[tuple[str, Provenance]]:
        for file in sorted((self.corpus / "provenance").glob("*.yaml")):
            try:
                value = yaml.safe_load(file.read_text(encoding="utf-8"))
                yield file.stem, Provenance.model_validate({**value, "licence": value.get("licence", "")})
            except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError):
                continue

    def folder(self, name: str) -> Path:
        """Return where a skill's files are."""
        return self.corpus / "skills" / name

    def _folders(self) -> set[str]:
        """Return the names of all skills that are copied here."""
        return {place.name for place in self.corpus.glob("skills/*") if place.is_dir()}

    def held(self, name: str) -> str:
        """Return the content id of a skill's folder; empty where it is missing, too large or unsafe."""
        try:
            return tree_hash(self.folder(name))
        except UsageError:
            return ""

    def is_left_over(self, name: str, digest: str) -> bool:
        """Return whether a folder without a record holds these files, as a killed import leaves them."""
        return name not in self.records and self.folder(name).is_dir() and self.held(name) == digest

    def sweep(self) -> None:
        """Delete the staged folders that killed imports left.

        Raises:
            WorkspaceError: the corpus can't be written.
        """
        with _disk(self.corpus):
            for place in self.corpus.glob(f"{_STAGE}*"):
                if place.is_dir() and not place.is_symlink():
                    remove(place)

    @cached_property
    def _near(self) -> Near:
        """The texts of the skills that are copied here."""
        near = Near(self._params.similarity)
        for name, skill in self._skills.items():
            near.add(name, skill.text)
            self._clusters[near.first(name)] += 1
        return near

    @cached_property
    def _clusters(self) -> Counter[str]:
        return Counter()

    @cached_property
    def _skills(self) -> dict[str, Skill]:
        answers = {name: read_skill(self.folder(name), name) for name in sorted(self._folders())}
        return {name: answer.record for name, answer in answers.items() if isinstance(answer, Accepted)}

    @cached_property
    def authors(self) -> Counter[str]:
        """How many skills of each author are copied here."""
        records = self.records
        return Counter(
            author_of(skill, records[name].origin if name in records else "")
            for name, skill in self._skills.items()
        )

    def crowded(self, path: str, name: str, text: str) -> str:
        """Return the skill that a text is a near copy of where there are enough of its kind, else nothing; then it is counted."""
        near = self._near
        key = f"\n{path}"
        first = near.add(key, text)
        if self._clusters[first] >= self._params.max_per_cluster:
            return self._names.get(first, first)
        self._clusters[first] += 1
        self._names[key] = name
        return ""

    def over_cap(self, origin: str, author: str) -> bool:
        """Return whether there are enough skills of a repository or author."""
        return (
            self.origins[origin] >= self._params.max_per_repository
            or self.authors[author] >= self._params.max_per_author
        )

    def name_for(self, found: Found, origin: str, digest: str) -> str:
        """Return a name that is free, or that of a folder with the same files that a killed import left without a record."""
        place = found.path or origin.rstrip("/")
        short = slug(place.rpartition("/")[2])
        if short not in self.records and not self.folder(short).exists():
            return short
        if self.is_left_over(short, digest):
            return short
        mark = sha256(f"{origin}\n{found.path}".encode("utf-8", "surrogatepass")).hexdigest()[
            :_NAME_HASH_CHARS
        ]
        return f"{short[: MAX_NAME_CHARS - _NAME_HASH_CHARS - 1].rstrip('-')}-{mark}"

    @contextmanager
    def staged(self, name: str, files: Mapping[str, File]) -> Iterator[Path]:
        """Give a folder beside the skills that holds files under a skill's name; it is taken away, or moved by `put`.

        Raises:
            OSError: a file can't have its name here (`OF_NAMES`), as it is too long for the disk.
            ValueError: as before, since the name is no text.
            WorkspaceError: the corpus can't be written.
        """
        with _disk(self.corpus):
            place = tempfile.TemporaryDirectory(prefix=_STAGE, dir=self.corpus)
        with place:
            folder = Path(place.name, name)
            with _disk(self.corpus, OF_NAMES):
                for path, file in files.items():
                    _write(folder / path, file)
            yield folder

    def put(self, name: str, staged: Path | None, record: Provenance, licence_texts: str) -> None:
        """Move a staged folder to its place, the record last; None keeps the record alone.

        Raises:
            WorkspaceError: the corpus can't be written.
        """
        before = self.records.get(name)
        counted = before is not None and self.folder(name).is_dir()
        if staged is not None:
            target = self.folder(name)
            with _disk(target.parent):
                target.parent.mkdir(exist_ok=True)
                install(staged, target)
            self.origins[record.origin] += not counted
        notice = self.corpus / "provenance" / f"{name}.licence.txt"
        if licence_texts and staged is not None:
            write_text(notice, licence_texts)
        else:
            with _disk(notice):
                notice.unlink(missing_ok=True)
        write_text(provenance_path(self.corpus, name), yaml.safe_dump(record.model_dump(), sort_keys=False))
        if before is not None:
            self._forget(name, before)
        self.records[name] = record
        self.by_place[record.origin, record.path] = name
        (self.by_reference if staged is None else self.by_digest).setdefault(record.sha256, name)

    def _forget(self, name: str, record: Provenance) -> None:
        """Take out what a skill was known by before."""
        if self.by_place.get((record.origin, record.path)) == name:
            del self.by_place[record.origin, record.path]
        for known in (self.by_digest, self.by_reference):
            if known.get(record.sha256) == name:
                del known[record.sha256]


@contextmanager
def alone(corpus: Path) -> Iterator[None]:
    """Keep imports of other workspaces out of a corpus until the block ends, or the process does, however it does.

    Raises:
        UsageError: the corpus is not there.
        WorkspaceError: another import is at work in it, or it can't be read.
    """
    _need(corpus)
    with _disk(corpus):
        folder = os.open(corpus, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WorkspaceError(
                f"{corpus}: another import is at work in this corpus; wait for it to end, then run again"
            ) from error
        yield
    finally:
        os.close(folder)


def _need(corpus: Path) -> None:
    if not corpus.is_dir():
        raise UsageError(f"there is no folder {corpus}; make it, or name a corpus with --into")


@contextmanager
def _disk(place: Path, passed: frozenset[int] = frozenset()) -> Iterator[None]:
    """Tell what can't be written as the workspace's error; errors whose number is in `passed` go through as they are."""
    try:
        yield
    except OSError as error:
        if error.errno in passed:
            raise
        raise WorkspaceError(
            f"{place}: can't be written ({error.strerror}); make it a folder with room that is yours to write, and run again"
        ) from error


def _write(target: Path, file: File) -> None:
    """Write one new file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o755 if file.executable else 0o644
    with os.fdopen(
        os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb"
    ) as stream:
        stream.write(file.data)
    target.chmod(mode)


def slug(name: str) -> str:
    """Return a name of lower-case letters, digits and single inner hyphens, at most 64 characters."""
    short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:MAX_NAME_CHARS].strip("-")
    return short or "skill-" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_HASH_CHARS]


def author_of(skill: Skill, origin: str) -> str:
    """Return who a skill's frontmatter names as its author, else the owner of the repository at an URL, else the origin."""
    for key, value in (*skill.extras, *skill.metadata):
        if key.lower() == "author" and value.strip():
            return value.strip().casefold()
    parts = urlsplit(origin)
    owner = parts.path.strip("/").split("/")[0] if parts.scheme else ""
    return (owner or origin).casefold()
