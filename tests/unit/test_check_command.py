"""`skill2env check` from the command line, as far as it needs no engine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner
from unit.test_changes import _git

from skill2env.cli import app
from skill2env.errors import EngineDown, UsageError

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


def test_a_corpus_that_is_not_the_workspaces_is_read_where_it_lies(workspace: Path) -> None:
    corpus = (workspace / "skills_corpus").rename(workspace / "elsewhere")
    shutil.rmtree(corpus / "blueprints")
    skill = corpus / "skills" / "till-receipts"
    done = CliRunner().invoke(app, ["check", str(skill), "--workspace", str(workspace)])
    assert done.stdout.split()[:3] == ["parse", "accepted", "till-receipts"], done.output


@pytest.fixture
def branch(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A branch that adds a second blueprint to a skill with one, and no engine that answers."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{workspace}/nowhere.sock")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    _git(workspace, "init", "-q", "-b", "main")
    _git(workspace, "add", "-A")
    _git(workspace, "commit", "-q", "-m", "begin")
    _git(workspace, "switch", "-q", "-c", "work")
    blueprints = workspace / "skills_corpus" / "blueprints" / "till-receipts"
    shutil.copytree(blueprints / "takings", blueprints / "again")
    return workspace


def _changed(branch: Path, *options: str) -> Result:
    argv = ["check", "--changed", "main", *options, "--workspace", str(branch)]
    return CliRunner().invoke(app, argv)


def _page(branch: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    page = tmp_path_factory.mktemp("page") / "page.md"
    done = _changed(branch, "--report", str(page))
    assert page.exists(), (done.output, done.exception)
    return page.read_text()


def test_where_the_engine_is_away_page_and_annotations_tell_what_there_is(
    branch: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = branch / "skills_corpus" / "blueprints" / "till-receipts" / "broken"
    folder.mkdir()
    (folder / "blueprint.yaml").write_text("title: none\n")
    page = tmp_path_factory.mktemp("page") / "page.md"
    done = _changed(branch, "--github", "--report", str(page))
    assert isinstance(done.exception, EngineDown), (done.output, done.exception)
    assert "The run ended before everything that follows was checked: " in done.stdout
    assert "items accepted" not in done.stdout
    assert "::error file=skills_corpus/blueprints/till-receipts/broken/" in done.stdout
    assert "| draft | 2 | 1 | 1 | 0 |" in page.read_text()


def test_advice_that_an_untouched_blueprint_exercises_is_exercised(
    branch: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = branch / "skills_corpus" / "blueprints" / "till-receipts" / "again"
    whole = _page(branch, tmp_path_factory)
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "blueprint.yaml").write_text("title: none\n")
    refused = _page(branch, tmp_path_factory)
    exercised = re.compile(r"\d+ of \d+ pieces of advice are exercised, \d+ by nothing")
    assert exercised.findall(whole) == exercised.findall(refused) != []
    assert "again" in whole
    assert "takings" in whole
    assert "Not counted, since they were not accepted: till-receipts--again." in refused


def test_a_page_that_cannot_be_written_is_told_before_anything_is_run(
    branch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = branch / "params.yaml" / "page.md"
    done = _changed(branch, "--report", str(report))
    assert isinstance(done.exception, UsageError), (done.output, done.exception)
    assert "name another file with --report" in str(done.exception)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(branch))
    done = _changed(branch, "--github")
    assert isinstance(done.exception, UsageError), (done.output, done.exception)
    assert "name another file with GITHUB_STEP_SUMMARY" in str(done.exception)
    assert "accepted" not in done.stdout
