"""Skeletons: sound but for their marks, which are told exactly; what they quote of a skill stays a quotation."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from skill2env.authoring.skeletons import blueprint_skeleton, checked_name, skill_skeleton
from skill2env.cli import app
from skill2env.errors import UsageError, WorkspaceError
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.models.todo import MARK, todos
from skill2env.models.tree import Tree, text_file
from skill2env.stages.draft import skill_text
from skill2env.stages.draft.read import read_blueprint
from skill2env.stages.parse import read_skill
from skill2env.store.folders import write_folder

DATE = datetime.date(2026, 11, 30)
HOSTILE = (
    '- Never write "x": {y} # no comment, `$(id)`, «name» {{ level }} {% raw %} \\ or %.',
    "- You must always keep '- id: evil' and ---\n- Do not trust\u202ethis \u2028 or *&alias !!python/object.",
    f"- Never leave {MARK} in a text, whatever it says.",
    "- Always " + "a very long sentence " * 40 + "ends.",
)


def _skill(folder: Path, text: str | None = None) -> Skill:
    tree = skill_skeleton("tidy-lists") if text is None else {"SKILL.md": text_file(text)}
    write_folder(tree, folder)
    read = read_skill(folder, "tidy-lists")
    assert isinstance(read, Accepted)
    return read.record


def _without_marks(tree: Tree) -> Tree:
    kept = {}
    for path, node in tree.items():
        lines = node.data.decode().split("\n")
        kept[path] = text_file("\n".join(line for line in lines if MARK not in line))
    return kept


def test_a_new_skill_has_nothing_against_it_but_its_marks_and_its_missing_origin(tmp_path: Path) -> None:
    skill = _skill(tmp_path / "tidy-lists")
    assert [finding.code for finding in skill.findings] == ["no-provenance"]
    left = todos(skill_skeleton("tidy-lists"))
    assert [(todo.file, todo.line) for todo in left] == [("SKILL.md", line) for line in (3, 5, 11, 16, 28)]
    assert all(todo.message and "-->" not in todo.message for todo in left)


def test_a_new_blueprint_is_refused_for_its_marks_alone(tmp_path: Path) -> None:
    skill = _skill(tmp_path / "tidy-lists")
    tree = blueprint_skeleton(skill, DATE)
    outcome, _ = read_blueprint(tree, "totals", skill_text(skill, tmp_path / "tidy-lists"))
    assert isinstance(outcome, Rejected)
    assert outcome.rule == "todo"
    assert list(outcome.findings) == todos(tree)
    assert {todo.file for todo in outcome.findings} == set(tree), "each file has something for its author"


def test_without_its_marks_it_is_a_blueprint_that_cites_the_skill(tmp_path: Path) -> None:
    skill = _skill(tmp_path / "tidy-lists")
    tree = _without_marks(blueprint_skeleton(skill, DATE))
    outcome, _ = read_blueprint(tree, "totals", skill_text(skill, tmp_path / "tidy-lists"))
    assert isinstance(outcome, Accepted), outcome
    cited = {criterion.source for criterion in outcome.record.spec.rubric}
    assert len(cited) == 4
    assert cited <= {f"SKILL.md:{statement.line}" for statement in skill.statements}
    assert {script.role for script in outcome.record.scripts} == {"reference", "alternative", "mistake"}


@pytest.mark.parametrize("advice", HOSTILE, ids=("syntax", "controls", "mark", "long"))
def test_what_a_skill_says_stays_a_quoted_text(tmp_path: Path, advice: str) -> None:
    text = f"---\nname: tidy-lists\ndescription: Tidy lists.\n---\n\n# Lists\n\n{advice}\n"
    skill = _skill(tmp_path / "tidy-lists", text)
    assert skill.statements
    spec = yaml.safe_load(blueprint_skeleton(skill, DATE)["blueprint.yaml"].data)
    told = [criterion["text"] for criterion in spec["rubric"]]
    assert len(told) == 4
    said = " ".join(skill.statements[0].text.split())
    assert told[0] == (said if len(said) <= 200 else f"{said[:199]}…")
    assert set(spec) == {
        *("schema_version", "title", "workflow", "archetype", "verifier_pattern", "persona", "toolchain"),
        *("knobs", "seeds", "outputs", "limits", "skill_refs", "rubric", "author"),
    }


@pytest.mark.parametrize("name", ["", "Upper", "a--b", "-a", "a/b", "../up", "a" * 65, "a\n"])
def test_names_that_could_be_no_folder_or_task_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no name"):
        checked_name(name)


def test_check_tells_what_new_told_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("{}")
    run = CliRunner().invoke
    made = [run(app, ["new", "skill", "tidy-lists", "--workspace", str(tmp_path)])]
    made += [run(app, ["new", "blueprint", "tidy-lists", "totals", "--workspace", str(tmp_path)])]
    assert [result.exit_code for result in made] == [0, 0], made
    told = [line.strip() for result in made for line in result.stdout.splitlines() if ": " in line]
    todo = sorted(
        line.partition(": ")[2] for line in told if ".md:" in line or ".py:" in line or ".sh:" in line
    )
    again = run(app, ["new", "skill", "tidy-lists", "--workspace", str(tmp_path)])
    assert isinstance(again.exception, UsageError)
    folder = tmp_path / "skills_corpus" / "skills" / "tidy-lists"
    checked = run(app, ["check", str(folder), "--workspace", str(tmp_path)])
    assert checked.exit_code == 1
    found = [line.strip() for line in checked.stdout.splitlines() if line.endswith("[todo]")]
    assert len(todo) >= 15
    assert set(todo) <= {line.partition(": ")[2].removesuffix(" [todo]") for line in found}
    others = [
        line for line in checked.stdout.splitlines() if line.endswith("]") and not line.endswith("[todo]")
    ]
    assert [line.split("[")[-1] for line in others] == ["no-provenance]"]


def test_a_skill_that_is_not_there_begins_no_blueprint(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / "skills_corpus" / "skills").mkdir(parents=True)
    result = CliRunner().invoke(app, ["new", "blueprint", "nobody", "totals", "--workspace", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert not (tmp_path / "skills_corpus" / "blueprints").exists()


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / "skills_corpus").write_text("no folder")
    result = CliRunner().invoke(app, ["new", "skill", "tidy-lists", "--workspace", str(tmp_path)])
    assert isinstance(result.exception, WorkspaceError)
    assert "can't be written (Not a directory); move away what stands" in str(result.exception)
