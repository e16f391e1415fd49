"""Reads a skill's folder without following or running anything: names, sizes, hashes, and what is unsafe."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.models.base import content_id
from skill2env.models.skill import BundledFile
from skill2env.stages.parse.codes import Findings
from skill2env.store.folders import read_regular

MAX_FILES = 500
MAX_BYTES = 20_000_000
MAX_LEVELS = 8
MAX_SKILL_FILE_BYTES = 500_000
"""Far above any real SKILL.md (the largest of 5,031 has 0.3 MB); bounds the time of the Markdown reader."""

DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\ufeff")
UNSAFE_CODES = (
    "outward-link",
    "special-file",
    "privileged-mode",
    "name-control-character",
    "name-not-utf8",
    "name-case-collision",
    "unreadable-file",
)
LARGE_CODES = ("too-many-files", "too-many-bytes", "too-many-levels", "skill-file-too-large")


@dataclass
class Tree:
    """A folder as found."""

    folder: Path
    findings: Findings = field(default_factory=Findings)
    files: list[BundledFile] = field(default_factory=list)
    sha256: str = ""
    skill_file: str = ""
    skill_bytes: bytes = b""

    @property
    def paths(self) -> frozenset[str]:
        """All file paths, relative to the folder."""
        return frozenset(item.path for item in self.files)


@dataclass(frozen=True)
class _Entry:
    path: str
    place: Path
    status: os.stat_result


def scan(folder: Path) -> Tree:
    """Return the folder's files with their hashes, its content id, SKILL.md's bytes and all findings.

    The limits are those for skills from strangers: 20 MB, 500 files, 8 levels, no links out, no devices,
    no control characters or case collisions in names. Where they are exceeded the files are not read, and
    the content id is taken over names and sizes.
    """
    tree = Tree(folder)
    if folder.is_symlink():
        tree.findings.add("outward-link", "The folder itself is a link; put the skill's files there.")
        tree.sha256 = content_id(os.fsencode(folder.readlink()).decode("utf-8", "backslashreplace"))
        return tree
    entries = sorted(_walk(tree), key=lambda entry: entry.path)
    _check_names(tree, entries)
    _check_sizes(tree, entries)
    if tree.findings.has("too-many-files", "too-many-bytes"):
        tree.sha256 = content_id([[entry.path, str(entry.status.st_size)] for entry in entries])
    else:
        for entry in entries:
            _take(tree, entry)
        tree.sha256 = content_id([[item.path, item.sha256] for item in tree.files])
    _find_skill_file(tree, entries)
    return tree


def tree_hash(folder: Path) -> str:
    """Return the content id of a skill's folder, as a provenance file states it.

    Raises:
        UsageError: the folder is missing, too large or unsafe, so that it can't be a skill.
    """
    tree = scan(folder)
    if tree.findings.has(*UNSAFE_CODES, *LARGE_CODES):
        raise UsageError("; ".join(str(item) for item in tree.findings.all()))
    return tree.sha256


def read_skill_file(folder: Path) -> bytes:
    """Return the bytes of a folder's SKILL.md, in any letter case; none where it can't be read or is too large."""
    return scan(folder).skill_bytes


def _walk(tree: Tree) -> Iterator[_Entry]:
    """Yield everything that is no folder; stop at the limits, which keeps hostile trees cheap."""
    pending = [(tree.folder, "", 1)]
    count = 0
    while pending:
        folder, prefix, level = pending.pop()
        try:
            with os.scandir(folder) as listing:
                for item in listing:
                    count += 1
                    if count > 4 * MAX_FILES:
                        tree.findings.add("too-many-files", f"More than {MAX_FILES} files; bundle fewer.")
                        return
                    path = prefix + item.name
                    if not item.is_dir(follow_symlinks=False):
                        yield _Entry(path, Path(item.path), item.stat(follow_symlinks=False))
                    elif level < MAX_LEVELS:
                        _check_name(tree, path)
                        pending.append((Path(item.path), path + "/", level + 1))
                    else:
                        message = f"Folders are nested more than {MAX_LEVELS} levels deep; flatten them."
                        tree.findings.add("too-many-levels", message, file=_clean(path))
        except OSError as error:
            message = f"The folder can't be read ({error.strerror}); make it readable."
            tree.findings.add("unreadable-file", message, file=_clean(prefix))


def _clean(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _check_name(tree: Tree, path: str) -> None:
    file = _clean(path)
    if file != path:
        tree.findings.add("name-not-utf8", "The name is not valid UTF-8; rename the file.", file=file)
    elif any(unicodedata.category(char) == "Cc" or char in DIRECTION_MARKS for char in path):
        message = "The name holds a control character; rename the file."
        tree.findings.add("name-control-character", message, file=ascii(path).strip("'"))


def _check_names(tree: Tree, entries: list[_Entry]) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        _check_name(tree, entry.path)
        parts = entry.path.split("/")
        for depth in range(1, len(parts) + 1):
            part = "/".join(parts[:depth])
            folded = unicodedata.normalize("NFC", part.casefold())
            if seen.setdefault(folded, part) != part:
                message = f"The name differs from `{_clean(seen[folded])}` only in case; rename one of them."
                tree.findings.add("name-case-collision", message, file=_clean(part))


def _check_sizes(tree: Tree, entries: list[_Entry]) -> None:
    if len(entries) > MAX_FILES:
        tree.findings.add("too-many-files", f"More than {MAX_FILES} files; bundle fewer.")
    size = sum(entry.status.st_size for entry in entries)
    if size > MAX_BYTES:
        message = f"The files hold {size:,} bytes, more than {MAX_BYTES:,}; bundle less."
        tree.findings.add("too-many-bytes", message)


def _take(tree: Tree, entry: _Entry) -> None:
    """Add one entry to the tree; what is unsafe is reported and left out."""
    file, mode = _clean(entry.path), entry.status.st_mode
    if stat.S_ISLNK(mode):
        _take_link(tree, entry)
    elif not stat.S_ISREG(mode):
        message = "This is a device, pipe or socket; only files and folders belong in a skill."
        tree.findings.add("special-file", message, file=file)
    else:
        if mode & (stat.S_ISUID | stat.S_ISGID):
            message = "The file has a setuid or setgid bit; take it off."
            tree.findings.add("privileged-mode", message, file=file)
        try:
            data = read_regular(entry.place, MAX_BYTES)
        except OSError as error:
            message = f"The file can't be read ({error.strerror}); make it readable."
            tree.findings.add("unreadable-file", message, file=file)
            return
        kept = 0o100755 if mode & stat.S_IXUSR else 0o100644
        tree.files.append(BundledFile(path=file, size=len(data), mode=kept, sha256=sha256(data).hexdigest()))


def _take_link(tree: Tree, entry: _Entry) -> None:
    file = _clean(entry.path)
    try:
        target = os.fsencode(entry.place.readlink())
        resolved = entry.place.resolve(strict=True)
    except (OSError, RuntimeError):
        tree.findings.add("outward-link", "The link leads nowhere; replace it by a file.", file=file)
        return
    if not resolved.is_relative_to(tree.folder.resolve()):
        tree.findings.add(
            "outward-link", "The link leads out of the folder; replace it by a file.", file=file
        )
        return
    tree.findings.add("inward-link", "This is a link; it is kept as one and not followed.", file=file)
    tree.files.append(
        BundledFile(path=file, size=len(target), mode=0o120000, sha256=sha256(target).hexdigest())
    )


def _find_skill_file(tree: Tree, entries: list[_Entry]) -> None:
    """Read SKILL.md, preferring the exact name; link or special files don't count."""
    regular = [
        entry for entry in entries if entry.path.lower() == "skill.md" and stat.S_ISREG(entry.status.st_mode)
    ]
    if not regular:
        message = "The folder has no SKILL.md; add one with name, description and instructions."
        tree.findings.add("skill-file-missing", message)
        return
    entry = next((item for item in regular if item.path == "SKILL.md"), regular[0])
    tree.skill_file = entry.path
    if entry.path != "SKILL.md":
        message = f"The file is named {entry.path}; rename it to SKILL.md, or some clients will miss it."
        tree.findings.add("skill-file-case", message, file=entry.path)
    if entry.status.st_size > MAX_SKILL_FILE_BYTES:
        message = f"The file has more than {MAX_SKILL_FILE_BYTES:,} bytes; move detail into references/."
        tree.findings.add("skill-file-too-large", message, file=entry.path)
        return
    try:
        tree.skill_bytes = read_regular(entry.place, MAX_SKILL_FILE_BYTES)
    except OSError as error:
        message = f"The file can't be read ({error.strerror}); make it readable."
        tree.findings.add("unreadable-file", message, file=entry.path)
