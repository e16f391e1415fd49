"""The corpus is as large and as varied as the project promises; whether each task is sound, its gates say."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

CORPUS = Path(__file__).resolve().parents[2] / "skills_corpus"
BLUEPRINTS = sorted(path.parent for path in CORPUS.glob("blueprints/*/*/blueprint.yaml"))
SPECS = [yaml.safe_load((path / "blueprint.yaml").read_text()) for path in BLUEPRINTS]


def test_there_are_enough_skills_and_blueprints() -> None:
    assert len(list(CORPUS.glob("skills/*/SKILL.md"))) >= 12
    assert len(BLUEPRINTS) >= 24
    assert {path.parent.name for path in BLUEPRINTS} == {path.name for path in (CORPUS / "skills").iterdir()}


def test_they_vary() -> None:
    assert len({spec["archetype"] for spec in SPECS}) >= 8
    assert len({spec["verifier_pattern"] for spec in SPECS}) >= 5
    assert len({spec["persona"]["tone"] for spec in SPECS}) >= 3


@pytest.mark.parametrize("folder", BLUEPRINTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_has_a_guard_and_three_levels(folder: Path) -> None:
    assert "pytest.mark.guard" in (folder / "tests" / "test_outputs.py").read_text()
    spec = yaml.safe_load((folder / "blueprint.yaml").read_text())
    assert {level for values in spec["knobs"].values() for level in values} == {"easy", "medium", "hard"}


@pytest.mark.parametrize("folder", BLUEPRINTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_at_least_two_mistakes_ignore_advice_of_the_skill(folder: Path) -> None:
    cited = {
        path.name
        for path in (folder / "mistakes").glob("*.sh")
        if "\n# Source: SKILL.md:" in path.read_text()
    }
    assert len(cited) >= 2


def test_every_skill_has_its_provenance() -> None:
    missing = [
        path.name
        for path in (CORPUS / "skills").iterdir()
        if not (CORPUS / "provenance" / f"{path.name}.yaml").is_file()
    ]
    assert missing == []
