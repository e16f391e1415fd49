"""What a branch touches, as git tells it: skills, blueprints, and the project's own code that judges them."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skill2env.checking import Target
from skill2env.errors import UsageError
from skill2env.sandbox.pins import DOCKERFILES
from skill2env.stages.draft import folders_of, is_place

CODE = DOCKERFILES.parent
"""Where the project's own code lies."""
_GIT_SEC = 120
_JUDGES = ("skill2env/", "dockerfiles/", "requirements.lock")
_JUDGES_NOTHING = (
    "skill2env/authoring/",
    "skill2env/llm/",
    "skill2env/stages/rollout/",
    "skill2env/stages/publish/",
    "dockerfiles/README.md",
)
"""Below what judges, but no verdict depends on it. Whatever is not named here counts as judging."""
_HOW = {"A": "added", "D": "deleted", "M": "changed", "T": "changed", "R": "renamed", "C": "copied"}


_ON_RECORD = (".yaml", ".licence.txt")
"""Ends of the files of a skill in provenance/."""


@dataclass(frozen=True)
class Change:
    """One file that differs."""

    path: str
    """Path relative to the repository's top, with forward slashes."""
    how: str
    """added, changed, deleted, renamed (one change for the old path and one for the new), copied or untracked."""


@dataclass(frozen=True)
class Changes:
    """All that differs between the working tree and the commit at which its branch left another."""

    top: Path
    """The repository's top folder."""
    base: str
    """What was named."""
    commit: str
    """The commit at which the branch left it."""
    files: tuple[Change, ...]
    """What differs, sorted by path."""


@dataclass(frozen=True)
class Selection:
    """What is to be checked because of changes."""

    targets: tuple[Target, ...]
    """Skills with their blueprints, by name."""
    judging: tuple[str, ...] = ()
    """Changed files that verdicts depend on: the verifier, gates, toolchains, parameters."""
    gone: tuple[str, ...] = ()
    """Skills and blueprints that were touched and are not there any more."""
    orphaned: tuple[str, ...] = ()
    """Files in provenance/ of skills that are gone, relative to the repository's top."""
    referenced: tuple[str, ...] = ()
    """Skills that are on record without their files, as their licence asks."""
    stray: tuple[str, ...] = ()
    """Changed files of the corpus that belong to no skill and no blueprint."""
    unchecked: tuple[str, ...] = ()
    """Where what judges has changed: skills of which nothing is checked, and other blueprints of the skills that are touched."""
    elsewhere: int = 0
    """Count of the other changed files."""


@dataclass
class _Touched:
    skills: set[str] = field(default_factory=set)
    blueprints: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    stray: list[str] = field(default_factory=list)


def changes_since(base: str, root: Path) -> Changes:
    """Return what differs from where the branch left `base`: commits, what is not committed, and untracked files.

    A file that git ignores is no change. An untracked one that it does not ignore is: it would go into the next commit.

    Args:
        base: a branch, tag or commit.
        root: a folder in the repository.

    Raises:
        UsageError: there is no repository, no such commit, or no common ancestor.
    """
    top = Path(_git(root, "rev-parse", "--show-toplevel").rstrip("\n"))
    if base.startswith("-") or not base:
        raise UsageError(f"{base!r} is no branch, tag or commit; name one, for instance main")
    try:
        _git(top, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    except UsageError:
        raise UsageError(
            f"git knows no commit {base!r}; name a branch, tag or commit, or fetch it first"
        ) from None
    try:
        commit = _git(top, "merge-base", base, "HEAD").strip()
    except UsageError:
        raise UsageError(
            f"{base!r} and HEAD have no common ancestor here; fetch the whole history (git fetch --unshallow)"
        ) from None
    listed = _git(top, "diff", "--name-status", "-z", "--find-renames", "--no-ext-diff", commit, "--")
    untracked = _git(top, "ls-files", "--others", "--exclude-standard", "-z", "--full-name").split("\0")
    files = [*_changed(listed), *(Change(path, "untracked") for path in untracked if path)]
    return Changes(top, base, commit, tuple(sorted(files, key=lambda change: change.path)))


def _changed(listed: str) -> list[Change]:
    fields = iter(listed.split("\0"))
    found = []
    for status in fields:
        if not status:
            break
        how = _HOW.get(status[0], "changed")
        found.append(Change(next(fields), how))
        if status[0] in "RC":
            found.append(Change(next(fields), how))
    return found


def _git(folder: Path, *argv: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *argv],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            timeout=_GIT_SEC,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git can't be run in {folder} ({error}); install it, or name a folder") from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"{folder}: git {argv[0]}: {told[-1] if told else 'failed'}; run in a clone of the repository"
        )
    return os.fsdecode(done.stdout)


def select(
    changes: Changes, corpus: Path, params: Path, everything: bool = False, code: Path = CODE
) -> Selection:
    """Return what changes ask to be checked.

    A file of a skill or its provenance asks for the skill with all of its blueprints; one of a blueprint for that blueprint.
    Where what judges has changed, one task of each other skill is a sample of what that means for them.

    Args:
        changes: what differs.
        corpus: the corpus's folder.
        params: the file of parameters.
        everything: where what judges has changed, all is checked and not a sample.
        code: folder of the project's own code.

    Raises:
        UsageError: the corpus is not in the repository.
    """
    top = changes.top.resolve()
    if not corpus.resolve().is_relative_to(top):
        raise UsageError(f"{corpus} is not in the repository {top}; name the workspace with --workspace")
    inside = corpus.resolve().relative_to(top)
    touched, judging, elsewhere = _Touched(), [], 0
    for change in changes.files:
        path = PurePosixPath(change.path)
        if path.is_relative_to(inside):
            _place(path.relative_to(inside).parts, change.path, touched, corpus)
        elif _judges(top / path, params.resolve(), code.resolve()):
            judging.append(change.path)
        else:
            elsewhere += 1
    skills, blueprints = _there(corpus)
    targets, gone = _touched_targets(touched, corpus, skills, blueprints)
    removed = set(gone) & _with_changed_files(changes, PurePosixPath(inside / "skills"))
    on_record = {name for name in gone if (corpus / "provenance" / f"{name}.yaml").is_file()}
    referenced = on_record - removed
    records = [inside / "provenance" / f"{name}{end}" for name in removed for end in _ON_RECORD]
    if judging:
        targets = _widened(targets, corpus, skills, blueprints, everything)
    return Selection(
        targets=tuple(targets[name] for name in sorted(targets)),
        judging=tuple(judging),
        gone=tuple(sorted(set(gone) - referenced)),
        orphaned=tuple(sorted(path.as_posix() for path in records if (top / path).is_file())),
        referenced=tuple(sorted(referenced)),
        stray=tuple(touched.stray),
        unchecked=_unchecked(targets, skills, blueprints) if judging else (),
        elsewhere=elsewhere,
    )


def _place(parts: tuple[str, ...], path: str, touched: _Touched, corpus: Path) -> None:
    """Add a change to what it touches.

    For git, a link and a repository within the repository are one file each, whatever they hold: one that stands in the
    place of a skill or a blueprint, or stood there, touches it.
    """
    place = corpus.joinpath(*parts)
    whole = is_place(place) or not place.exists()
    match parts:
        case ("skills", skill, _, *_):
            touched.skills.add(skill)
        case ("skills", skill) if whole:
            touched.skills.add(skill)
        case ("provenance", name) if name.endswith(_ON_RECORD):
            touched.skills.add(name.removesuffix(_ON_RECORD[0]).removesuffix(_ON_RECORD[1]))
        case ("blueprints", skill, blueprint, _, *_):
            touched.blueprints[skill].add(blueprint)
        case ("blueprints", skill, blueprint) if whole:
            touched.blueprints[skill].add(blueprint)
        case ("blueprints", skill) if folders := folders_of(place):
            touched.blueprints[skill].update(folder.name for folder in folders)
        case _:
            touched.stray.append(path)


def _with_changed_files(changes: Changes, skills: PurePosixPath) -> set[str]:
    """Return the names of skills of which a file has changed; one by reference has no files that could."""
    paths = (PurePosixPath(change.path) for change in changes.files)
    return {path.relative_to(skills).parts[0] for path in paths if skills in path.parents}


def _judges(path: Path, params: Path, code: Path) -> bool:
    if path == params:
        return True
    if not path.is_relative_to(code):
        return False
    relative = path.relative_to(code).as_posix()
    return relative.startswith(_JUDGES) and not relative.startswith(_JUDGES_NOTHING)


def _there(corpus: Path) -> tuple[set[str], dict[str, set[str]]]:
    """Return the skills that a corpus has, and the blueprints of each skill."""
    names = {folder.name for folder in (corpus / "skills").glob("*") if is_place(folder)}
    blueprints: dict[str, set[str]] = defaultdict(set)
    for skill in (corpus / "blueprints").glob("*"):
        for folder in folders_of(skill):
            blueprints[skill.name].add(folder.name)
    return names, blueprints


def _touched_targets(
    touched: _Touched, corpus: Path, skills: set[str], blueprints: dict[str, set[str]]
) -> tuple[dict[str, Target], list[str]]:
    targets, gone = {}, []
    for skill in touched.skills:
        if skill not in skills:
            gone.append(skill)
        if skill in skills or blueprints.get(skill):
            targets[skill] = Target(corpus, skill)
    for skill, names in touched.blueprints.items():
        there = names & blueprints.get(skill, set())
        gone += [f"{skill}--{name}" for name in names - there]
        if there and skill not in targets:
            targets[skill] = Target(corpus, skill, frozenset(there))
    return targets, gone


def _widened(
    targets: dict[str, Target],
    corpus: Path,
    skills: set[str],
    blueprints: dict[str, set[str]],
    everything: bool,
) -> dict[str, Target]:
    """Return all that there is as targets, or the targets with one blueprint more of each skill that is none of them."""
    if everything:
        return {skill: Target(corpus, skill) for skill in skills | blueprints.keys()}
    samples = {
        skill: Target(corpus, skill, frozenset(), frozenset({min(names)}))
        for skill, names in blueprints.items()
    }
    return {**samples, **targets}


def _unchecked(
    targets: dict[str, Target], skills: set[str], blueprints: dict[str, set[str]]
) -> tuple[str, ...]:
    """Return the skills of which nothing is checked, and the blueprints that are left out of touched skills."""
    left_out = (
        f"{skill}--{name}"
        for skill, target in targets.items()
        if not target.sampled
        for name in blueprints.get(skill, ())
        if not target.wants(name)
    )
    return tuple(sorted({*(skills - targets.keys()), *left_out}))
