"""`skill2env brief` takes whatever names a skill of a corpus, from wherever it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from skill2env.cli import app


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for folder in ("skills/alpha", "blueprints/alpha/one"):
        (tmp_path / "skills_corpus" / folder).mkdir(parents=True)
    text = "---\nname: alpha\ndescription: Looks first. Use when asked to look.\n---\n\nAlways look first.\n"
    (tmp_path / "skills_corpus" / "skills" / "alpha" / "SKILL.md").write_text(text)
    (tmp_path / "params.yaml").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("where", "path", "corpus"),
    [
        ("", "skills_corpus/skills/alpha", "skills_corpus"),
        ("", "skills_corpus/blueprints/alpha/one", "skills_corpus"),
        ("skills_corpus/skills/alpha", ".", "{workspace}/skills_corpus"),
    ],
)
def test_any_folder_of_a_skill_gives_its_brief(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, where: str, path: str, corpus: str
) -> None:
    monkeypatch.chdir(workspace / where)
    done = CliRunner().invoke(app, ["brief", path, "--workspace", str(workspace)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Always look first." in done.stdout
    assert f"skill2env check {corpus.format(workspace=workspace)}/blueprints/alpha/NAME" in done.stdout
