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


def test_a_part_of_an_id_that_no_task_has_is_refused_with_the_ids_that_there_are(workspace: Path) -> None:
    folder = workspace / "skills_corpus" / "blueprints" / "till-receipts"
    done = CliRunner().invoke(app, ["check", str(folder), "--only", "easi-s1", "--workspace", str(workspace)])
    assert isinstance(done.exception, UsageError), done.output
    assert str(done.exception).startswith(
        "no task id contains 'easi-s1'; there are: till-receipts--takings--easy-s1, "
    )
    assert "accepted" in done.stdout
    assert "all 2 items accepted" not in done.stdout
