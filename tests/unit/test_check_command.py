"""`skill2env check` from the command line, as far as it needs no engine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skill2env.cli import app
from skill2env.errors import UsageError

BASE = Path(__file__).resolve().parents[1] / "cases" / "blueprints" / "base"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    corpus = tmp_path / "skills_corpus"
    shutil.copytree(BASE / "skill", corpus / "skills" / "till-receipts")
    shutil.copytree(BASE / "blueprint", corpus / "blueprints" / "till-receipts" / "takings")
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / ".gitignore").write_text("/data/\n")
    return tmp_path


def test_a_change_that_is_not_on_record_is_told_once_with_its_place_and_its_remedy(workspace: Path) -> None:
    skill = workspace / "skills_corpus" / "skills" / "till-receipts"
    record = workspace / "skills_corpus" / "provenance" / "till-receipts.yaml"
    record.parent.mkdir()
    record.write_text("origin: us\nsha256: of another state\n")
    checked = CliRunner().invoke(app, ["check", str(skill), "--workspace", str(workspace)])
    linted = CliRunner().invoke(app, ["lint", str(skill)])
    for done in (checked, linted):
        assert done.exit_code == 1, done.output
        assert done.stdout.count("[provenance-hash-differs]") == 1
        (line,) = [line for line in done.stdout.splitlines() if "[provenance-hash-differs]" in line]
        assert " provenance/till-receipts.yaml:2: The folder's content id is " in line
        assert "run `skill2env provenance CORPUS/skills/till-receipts`" in line
    assert "put a change that is wanted on record with `skill2env provenance`" in checked.stdout


def test_a_part_of_an_id_that_no_task_has_is_refused_with_the_ids_that_there_are(workspace: Path) -> None:
    folder = workspace / "skills_corpus" / "blueprints" / "till-receipts"
    done = CliRunner().invoke(app, ["check", str(folder), "--only", "easi-s1", "--workspace", str(workspace)])
    assert isinstance(done.exception, UsageError), done.output
    assert str(done.exception).startswith(
        "no task id contains 'easi-s1'; there are: till-receipts--takings--easy-s1, "
    )
    assert "accepted" in done.stdout
    assert "all 2 items accepted" not in done.stdout
