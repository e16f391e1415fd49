"""Makes sources for the tests: skills as texts, and git repositories whose settings are hostile."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from identify.vendor.licenses import LICENSES

from skill2env.intake.outcome import Result
from skill2env.intake.sources import opened
from skill2env.intake.take import Import, Wishes
from skill2env.params import ImportParams

MIT = dict(LICENSES)["MIT"].replace("[year] [fullname]", "2026 The Authors")
NO_DERIVATIVES = "Attribution-NoDerivatives. You may copy this, but pass on no changed copies."


def skill(name: str, *lines: str, licence: str = "") -> str:
    """Return a SKILL.md whose text is unlike that of any other name."""
    own = " ".join(f"{name}-{number}" for number in range(60))
    stated = f"license: {licence}\n" if licence else ""
    return "\n".join(
        [f"---\nname: {name}\ndescription: How to do {name}.\n{stated}---", f"# {name}", own, *lines, ""]
    )


def write(top: Path, files: Mapping[str, str]) -> Path:
    """Write texts below a folder; a text that begins with `-> ` is the target of a link."""
    for path, text in files.items():
        target = top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            target.symlink_to(text.removeprefix("-> "))
        else:
            target.write_text(text, encoding="utf-8")
    return top


def git(top: Path, *arguments: str) -> str:
    """Run git in a folder and return what it says."""
    names = {
        f"GIT_{who}_{what}": "tester@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    env = {"PATH": os.environ["PATH"], "HOME": str(top), "GIT_CONFIG_NOSYSTEM": "1", **names}
    done = subprocess.run(["git", *arguments], cwd=top, env=env, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(top: Path, files: Mapping[str, str]) -> Path:
    """Make a repository with one commit."""
    write(top, files)
    git(top, "init", "-q", "-b", "main")
    commit(top)
    return top


def commit(top: Path) -> str:
    """Commit everything and return the commit's id."""
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "Change")
    return git(top, "rev-parse", "HEAD")


def imported(
    source: Path, corpus: Path, params: ImportParams | None = None, revision: str = "", **wishes: object
) -> dict[str, Result]:
    """Import a source and return the answers by path."""
    corpus.mkdir(exist_ok=True)
    with opened(str(source), revision, source.name) as place:
        asked = Wishes(**wishes)  # type: ignore[arg-type]
        return {
            result.path: result for result in Import(place, corpus, params or ImportParams(), asked).results()
        }


def codes(result: Result) -> list[str]:
    """Return the codes of the errors of an answer."""
    return [item.code for item in result.findings if item.severity == "error"]
