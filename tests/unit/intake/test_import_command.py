"""The command: what it prints, and its exit codes."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner
from unit.intake.repositories import MIT, skill, write

from skill2env.cli import app
from skill2env.errors import ExitCode, WorkspaceError
from skill2env.intake.shelf import alone
from skill2env.store.workspace import Workspace

PARAMS = Path(__file__).resolve().parents[3] / "params.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    shutil.copy(PARAMS, tmp_path / "root")
    return tmp_path / "root"


def run(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["import", *arguments, "--workspace", str(root)])
    return done.exit_code, done.output


def test_what_is_taken_and_what_is_refused_is_told_with_file_and_line(tmp_path: Path, root: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    code, output = run(root, str(source), "--into", str(corpus))
    assert (code, output.splitlines()[0]) == (ExitCode.OK, "new: a as a, MIT")
    write(source, {"b/SKILL.md": skill("b", "Mail ann.author@realmail.net.")})
    code, output = run(root, str(source), "--into", str(corpus))
    assert code == ExitCode.FOUND
    lines = output.splitlines()
    assert lines[0] == "unchanged: a as a" and lines[1] == "refused: b, MIT"
    assert lines[2].startswith("  error: b/SKILL.md:7: ") and lines[2].endswith("[email-address]")
    assert lines[3] == "1 unchanged, 1 refused"
    code, output = run(root, str(source), "--into", str(corpus), "--accept", "b/SKILL.md:7", "--json")
    told = json.loads(output)
    assert code == ExitCode.OK and told["counts"] == {"unchanged": 1, "new": 1} and told["origin"] == "skills"


def test_a_source_without_skills_is_a_fault(tmp_path: Path, root: Path) -> None:
    source = write(tmp_path / "skills", {"README.md": "x"})
    code, output = run(root, str(source), "--into", str(source))
    assert code == ExitCode.FOUND and "no skill was found" in output


def test_a_terminal_obeys_no_name_of_a_source(tmp_path: Path, root: Path) -> None:
    odd = "x\x1b[2J\nnew: y\x9b数\udcff"
    source = write(tmp_path / "skills", {"LICENSE": MIT, f"{odd}/SKILL.md": skill("a", "See ~/.ssh/id_rsa.")})
    write(source, {f"{odd}/b/SKILL.md": skill("b", "Mail ann.author@realmail.net.")})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    _, output = run(root, str(source), "--into", str(corpus))
    shown = "x\\x1b[2J\\x0anew: y\\x9b数\\udcff"
    assert output.startswith(f"new: {shown} as x-2j-new-y, MIT\n")
    assert f"\n  error: {shown}/b/SKILL.md:7: " in output and "\x1b" not in output and "\x9b" not in output
    _, output = run(root, str(source), "--into", str(corpus), "--json")
    assert output.isascii() and odd in {one["path"] for one in json.loads(output)["skills"]}


def test_what_is_accepted_and_is_not_there_is_told(tmp_path: Path, root: Path) -> None:
    source = write(
        tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a", "Mail ann.author@realmail.net.")}
    )
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    accepted = ("--accept", "a/SKILL.md:7", "--accept", "a/SKILL.md:8")
    for fate in ("new", "unchanged"):
        code, output = run(root, str(source), "--into", str(corpus), *accepted)
        assert code == ExitCode.OK and output.startswith(f"{fate}: a as a")
        told = [line for line in output.splitlines() if line.startswith("warning: ")]
        assert len(told) == 1 and "a/SKILL.md:8" in told[0] and told[0].endswith("[nothing-accepted]")


def test_a_disk_that_takes_no_more_is_not_the_skills_fault(tmp_path: Path, root: Path) -> None:
    source = write(
        tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a"), "a/big.txt": "big " * 10_000}
    )
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        done = CliRunner().invoke(
            app, ["import", str(source), "--into", str(corpus), "--workspace", str(root)]
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert isinstance(done.exception, WorkspaceError) and "can't be written (File too large)" in str(
        done.exception
    )
    assert not list(corpus.iterdir())


def test_a_file_in_the_place_of_the_skills_is_one_sentence(tmp_path: Path, root: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = write(tmp_path / "corpus", {"skills": "no folder"})
    done = CliRunner().invoke(app, ["import", str(source), "--into", str(corpus), "--workspace", str(root)])
    assert isinstance(done.exception, WorkspaceError) and "corpus/skills: can't be written" in str(
        done.exception
    )
    assert [path.name for path in corpus.iterdir()] == ["skills"]


def test_while_somebody_else_works_there_nothing_is_taken(tmp_path: Path, root: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    with Workspace(root).locked():
        code, _ = run(root, str(source), "--into", str(corpus))
    assert code != ExitCode.OK
    assert not list(corpus.iterdir())


def test_two_workspaces_do_not_take_into_one_corpus_at_once(tmp_path: Path, root: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = write(tmp_path / "corpus", {".import-x/a/SKILL.md": "staged by the other"})
    command = ["import", str(source), "--into", str(corpus), "--workspace", str(root)]
    with alone(corpus):
        done = CliRunner().invoke(app, command)
    assert isinstance(done.exception, WorkspaceError) and "another import is at work" in str(done.exception)
    assert [path.name for path in corpus.iterdir()] == [".import-x"]
    assert CliRunner().invoke(app, command).exit_code == ExitCode.OK
    assert not (corpus / ".import-x").exists() and (corpus / "skills" / "a").is_dir()
