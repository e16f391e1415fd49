"""`skill2env provenance` renews the hash of a record, and nothing of it that nobody named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from skill2env.cli import app
from skill2env.errors import UsageError
from skill2env.stages.parse import tree_hash

THEIRS = {
    "origin": "https://example.org/them",
    "commit": "0" * 40,
    "path": "skills/alpha",
    "licence": "MIT",
    "sha256": "of another state",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus" / "skills" / "alpha").mkdir(parents=True)
    _write(tmp_path / "corpus", "")
    return tmp_path / "corpus"


def _write(corpus: Path, front: str) -> None:
    text = f"---\nname: alpha\ndescription: Looks first. Use when asked to look.\n{front}---\n\nLook.\n"
    (corpus / "skills" / "alpha" / "SKILL.md").write_text(text)


def _put(corpus: Path, text: str) -> None:
    (corpus / "provenance").mkdir()
    (corpus / "provenance" / "alpha.yaml").write_text(text)


def _renewed(corpus: Path, *options: str) -> tuple[dict[str, str], str]:
    done = CliRunner().invoke(app, ["provenance", str(corpus / "skills" / "alpha"), *options])
    assert done.exit_code == 0, (done.output, done.exception)
    return yaml.safe_load((corpus / "provenance" / "alpha.yaml").read_text()), done.stdout


def test_what_is_on_record_stays_and_is_told(corpus: Path) -> None:
    _put(corpus, yaml.safe_dump(THEIRS))
    record, told = _renewed(corpus)
    assert record == {**THEIRS, "sha256": tree_hash(corpus / "skills" / "alpha")}
    assert "kept as on record: origin https://example.org/them, commit 0000" in told
    assert "licence MIT" in told


def test_what_is_named_replaces_what_is_on_record(corpus: Path) -> None:
    _put(corpus, yaml.safe_dump(THEIRS))
    record, told = _renewed(corpus, "--licence", "BSD-3-Clause", "--commit", "")
    assert (record["licence"], record["commit"], record["origin"]) == ("BSD-3-Clause", "", THEIRS["origin"])
    assert "licence" not in told


@pytest.mark.parametrize(
    ("front", "licence"),
    [("", "Apache-2.0"), ("license: MIT\n", "MIT"), ("license: The MIT License\n", "MIT")],
)
def test_a_first_record_has_the_licence_that_the_skill_states(corpus: Path, front: str, licence: str) -> None:
    _write(corpus, front)
    record, told = _renewed(corpus)
    assert record["licence"] == licence
    assert (record["origin"], record["path"]) == ("skill2env", "corpus/skills/alpha")
    assert "kept" not in told


def test_the_place_that_is_told_is_where_the_file_is(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"written: {corpus}/provenance/alpha.yaml" in _renewed(corpus)[1]
    monkeypatch.chdir(corpus.parent)
    assert "written: corpus/provenance/alpha.yaml" in _renewed(corpus)[1]


def test_a_licence_without_a_known_name_is_asked_for(corpus: Path) -> None:
    _write(corpus, "license: as our club decided in spring\n")
    done = CliRunner().invoke(app, ["provenance", str(corpus / "skills" / "alpha")])
    assert isinstance(done.exception, UsageError)
    assert "--licence" in str(done.exception)
    assert _renewed(corpus, "--licence", "MIT")[0]["licence"] == "MIT"


def test_a_record_that_cannot_be_read_is_not_written_over(corpus: Path) -> None:
    _put(corpus, "origin: [\n")
    done = CliRunner().invoke(app, ["provenance", str(corpus / "skills" / "alpha")])
    assert isinstance(done.exception, UsageError)
    assert (corpus / "provenance" / "alpha.yaml").read_text() == "origin: [\n"
