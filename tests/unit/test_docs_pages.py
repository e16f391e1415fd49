"""What the code has, the docs have: stages, gates, rules, exit codes, parameters, columns, commands, blueprint keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skill2env.commands.docs import pages, readme
from skill2env.errors import ExitCode
from skill2env.models.blueprint import BlueprintSpec
from skill2env.models.rubric import Evidence
from skill2env.stages.validate.gates import GATES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
STAGES = ("parse", "draft", "build", "validate", "rollout", "publish")
RULES_IN = {"draft": ("draft",), "build": ("build", "making")}
HEADINGS = ["In", "Out", "Rules", "Parameters", "Where to change it"]


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_has_a_page_with_the_same_headings(stage: str) -> None:
    text = (DOCS / f"{stage}.md").read_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS


def test_each_gate_has_a_section() -> None:
    sections = re.findall(r"^### (\w+)$", (DOCS / "validate.md").read_text(), re.MULTILINE)
    assert sections == [gate.NAME for gate in GATES]


@pytest.mark.parametrize("stage", sorted(RULES_IN))
def test_each_rule_is_in_its_page(stage: str) -> None:
    folders = [ROOT / "skill2env" / "stages" / name for name in RULES_IN[stage]]
    source = "".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    rules = set(re.findall(r'(?:_fault|_rejected|Unfit)\(\s*"([a-z-]+)"|(?:code|rule)="([a-z-]+)"', source))
    names = {first or second for first, second in rules}
    assert len(names) > 3
    page = (DOCS / f"{stage}.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", sorted(pages(DOCS.parent)))
def test_generated_pages_are_fresh(name: str) -> None:
    assert (DOCS / name).read_text() == pages(DOCS.parent)[name], "run `make docs`"


def test_the_funnel_in_the_readme_is_that_of_the_metrics() -> None:
    text = (ROOT / "README.md").read_text()
    assert readme(text, ROOT) == text, "run `make docs`"


def test_each_exit_code_is_documented() -> None:
    page = (DOCS / "cli.md").read_text()
    assert [code.name for code in ExitCode if f"| {code.value} | `{code.name}` |" not in page] == []


def test_each_key_of_a_blueprint_is_documented() -> None:
    page = (DOCS / "blueprint.md").read_text()
    assert [name for name in BlueprintSpec.model_fields if f"`{name}`" not in page] == []
    assert [name for name in Evidence.model_fields if f"`{{{name}: " not in page] == []


def test_links_between_pages_hold() -> None:
    broken = []
    for page in [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []
