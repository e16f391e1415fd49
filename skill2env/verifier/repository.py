"""A delivered git repository, read without its config, hooks, attributes or alternates; git never runs in its folder."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .delivered import SCRATCH, regular_files, run
from .readers import fail, read_bytes

_REF = re.compile(r"^[\w./+@-]+$")
_OBJECT = re.compile(r"^([0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(pack|idx))$")
_BRANCH = re.compile(r"^ref: (refs/heads/[\w./+@-]+)$")
_QUIET_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}


@dataclass(frozen=True)
class Repository:
    """A delivered repository's objects and refs, in a fresh repository of our own."""

    folder: Path
    """The bare repository."""
    head: str
    """What HEAD names: a branch (`main`) or a commit."""

    def git(self, *arguments: str, ok: bool = True) -> str:
        """Return what a git command prints; with `ok`, a failing command fails the test."""
        plain = ("-c", "safe.directory=*", "-c", "log.mailmap=false")
        result = run(("git", *plain, *arguments), env={**_QUIET_GIT, "GIT_DIR": str(self.folder)}, timeout=20)
        if ok and result.code != 0:
            fail(f"git {' '.join(arguments)}: {result.err.strip()[-300:]}")
        return result.out


def repo(path: Path | str) -> Repository:
    """Return a delivered git repository, read through a fresh one without config, hooks, attributes or alternates.

    The fresh one is root's, so that no delivered program can put any of these back.
    """
    source = Path(path) if (Path(path) / "HEAD").is_file() else Path(path) / ".git"
    if not (source / "HEAD").is_file() or not (source / "objects").is_dir():
        fail(f"{path} is no git repository")
    target = Path(tempfile.mkdtemp(dir=SCRATCH, prefix="repo-"))
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
        (target / folder).mkdir(parents=True)
    (target / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    for file in regular_files(source / "objects"):
        name = file.relative_to(source / "objects").as_posix()
        if _OBJECT.match(name):
            _copy(file, target / "objects" / name)
    for file in regular_files(source / "refs"):
        name = file.relative_to(source).as_posix()
        if _REF.match(name) and ".." not in name:
            _copy(file, target / name)
    if (source / "packed-refs").is_file():
        _copy(source / "packed-refs", target / "packed-refs")
    head = read_bytes(source / "HEAD").decode("utf-8", "replace").strip()
    branch = _BRANCH.match(head)
    if not branch and not re.fullmatch(r"[0-9a-f]{40}", head):
        fail(f"{path}: HEAD is neither a branch nor a commit")
    (target / "HEAD").write_text(head + "\n")
    target.chmod(0o755)
    return Repository(target, branch.group(1).removeprefix("refs/heads/") if branch else head)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(read_bytes(source))
