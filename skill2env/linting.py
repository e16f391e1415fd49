"""Says what is wrong with skills' folders, and mends what can be mended mechanically."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from skill2env.errors import UsageError, WorkspaceError, remedy
from skill2env.models.outcome import Accepted, Finding, Severity
from skill2env.stages.parse import mended, provenance_path, read_skill, read_skill_file
from skill2env.stages.parse.many import MIN_ITEMS, in_order, reading_pool

MAX_LEVELS = 6
MAX_FOLDERS = 2_000
"""How deep and how wide skills are looked for, as the specification advises clients."""


@dataclass(frozen=True)
class Linted:
    """What is to be said of one skill."""

    folder: Path
    findings: tuple[Finding, ...]
    """All findings that are left."""
    mendable: tuple[Finding, ...]
    """Those of them that `--fix` would mend."""
    fixed: tuple[Finding, ...] = ()
    """Those that `--fix` has mended."""

    @property
    def passes(self) -> bool:
        """Whether there is no error, and nothing that could be mended mechanically."""
        return not self.mendable and not self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "folder": str(self.folder),
            "passes": self.passes,
            "findings": [
                {**finding.model_dump(mode="json"), "fixable": finding in self.mendable}
                for finding in self.findings
            ],
            "fixed": [finding.model_dump(mode="json") for finding in self.fixed],
        }


def find_skills(path: Path) -> list[Path]:
    """Return the folders of the skills that a path names: a SKILL.md, a skill's folder, or a folder of skills.

    Links are not followed.

    Raises:
        UsageError: there is no skill, or there are too many folders to look through.
    """
    if path.is_file() and path.name.lower() == "skill.md":
        return [path.resolve().parent]
    if not path.is_dir():
        raise UsageError(f"{path}: is no folder and no SKILL.md; name a skill or a folder of skills")
    found, pending, seen = [], [(path.resolve(), 1)], 0
    while pending:
        folder, level = pending.pop()
        seen += 1
        if seen > MAX_FOLDERS * MAX_LEVELS:
            raise UsageError(f"{path}: holds too many folders to look through; name one of them")
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        if any(entry.name.lower() == "skill.md" for entry in entries):
            found.append(folder)
        elif level < MAX_LEVELS:
            pending += [(folder / e.name, level + 1) for e in entries if e.is_dir(follow_symlinks=False)]
    if not found:
        raise UsageError(f"{path}: holds no SKILL.md; name a skill or a folder of skills")
    return sorted(found)


def lint(folder: Path, fix: bool = False) -> Linted:
    """Return what is to be said of a skill; `fix` writes the mended file first.

    Raises:
        WorkspaceError: the file can't be written.
    """
    findings = _findings(folder)
    name = next((f.file for f in findings if f.code == "skill-file-case"), "SKILL.md")
    data = read_skill_file(folder)
    wanted = mended(data, folder.name)
    if wanted == data and name == "SKILL.md":
        return Linted(folder, findings, ())
    left = Counter((f.code, f.message) for f in _findings(folder, wanted) if f.code != "skill-file-case")
    gone = tuple(f for f in findings if _taken(left, f))
    if not fix:
        return Linted(folder, findings, gone)
    _write(folder, name, wanted)
    after = lint(folder)
    return Linted(folder, after.findings, after.mendable, gone)


def _taken(left: Counter[tuple[str, str]], finding: Finding) -> bool:
    """Return whether a finding is none of those that are left, and strike it off."""
    key = (finding.code, finding.message)
    left[key] -= 1
    return left[key] < 0


def _findings(folder: Path, data: bytes | None = None) -> tuple[Finding, ...]:
    corpus = folder.parent.parent
    provenance = provenance_path(corpus, folder.name)
    known = folder.parent.name == "skills" and provenance.exists()
    answer = read_skill(folder, folder.name, provenance if known and data is None else None, data)
    if isinstance(answer, Accepted):
        findings = answer.record.findings
    else:
        findings = answer.findings
        if not any(finding.severity == Severity.ERROR for finding in findings):
            refused = Finding(
                code=answer.rule, severity=Severity.ERROR, message=answer.message, file="SKILL.md"
            )
            findings = (refused, *findings)
    return tuple(finding for finding in findings if finding.code != "no-provenance")


def _write(folder: Path, name: str, data: bytes) -> None:
    """Write SKILL.md whole or not at all, with the mode that the file had, and take a differently named one away.

    Raises:
        WorkspaceError: it can't be written.
    """
    path, part = folder / "SKILL.md", folder / f".SKILL.md.part{os.getpid()}"
    try:
        mode = (folder / name).stat(follow_symlinks=False).st_mode & 0o777
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if name != "SKILL.md":
            (folder / name).unlink()
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise WorkspaceError(
            f"{path}: can't be written ({error.strerror}); {remedy(error)} and run again"
        ) from error


def lint_all(path: Path, fix: bool = False) -> Iterator[Linted]:
    """Yield what is to be said of every skill that a path names, in the order of their folders; many with all cores.

    Raises:
        UsageError: there is none.
        WorkspaceError: a file can't be written.
    """
    folders = find_skills(path)
    one = partial(lint, fix=fix)
    if len(folders) < MIN_ITEMS:
        yield from map(one, folders)
        return
    workers = os.cpu_count() or 1
    with reading_pool(workers) as pool:
        yield from in_order(one, folders, pool, workers)
