"""What parse accepts of a skill, every tool for authors reads: links, odd names, and line ends of all kinds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skill2env.authoring.author import _readable
from skill2env.authoring.brief import brief
from skill2env.authoring.desk import Desk
from skill2env.checking import Checked, Target, check, lines_of
from skill2env.models.lines import split_lines
from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.models.todo import MARK
from skill2env.params import Params
from skill2env.stages.context import Context
from skill2env.stages.draft import skill_text
from skill2env.stages.parse import read_skill
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

BASE = Path(__file__).resolve().parents[2] / "cases" / "blueprints" / "base"
NAME = "till-receipts"
ACCEPTED = [("parse", "accepted"), ("draft", "accepted")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one skill with one good blueprint."""
    corpus = tmp_path / "skills_corpus"
    shutil.copytree(BASE / "skill", corpus / "skills" / NAME)
    shutil.copytree(BASE / "blueprint", corpus / "blueprints" / NAME / "takings")
    return corpus


def _read(corpus: Path) -> Skill:
    read = read_skill(corpus / "skills" / NAME, NAME)
    assert isinstance(read, Accepted)
    return read.record


def _check(corpus: Path) -> list[Checked]:
    """Return what becomes of the skill and of its blueprint; no task is made."""
    store = ResultStore(corpus.parent / "results.sqlite")
    with Context(Workspace(corpus.parent), Params(), store) as context:
        return list(check([Target(corpus, NAME)], context, execute=False))


def _link(folder: Path) -> None:
    (folder / "b.md").symlink_to("SKILL.md")


def _narrow_space(folder: Path) -> None:
    (folder / "Screenshot at 9.41\u202fAM.txt").write_text("a\nb\n")


def _no_break_space(folder: Path) -> None:
    (folder / "a\u00a0b.txt").write_text("a\nb\n")


def _wide_space(folder: Path) -> None:
    (folder / "a\u3000b").mkdir()
    (folder / "a\u3000b" / "c.txt").write_text("a\nb\n")


@pytest.mark.parametrize("odd", [_link, _narrow_space, _no_break_space, _wide_space])
def test_a_skill_that_parse_accepts_is_read_by_every_tool(corpus: Path, odd: object) -> None:
    folder = corpus / "skills" / NAME
    odd(folder)  # type: ignore[operator]
    skill = _read(corpus)
    regular = {path.relative_to(folder).as_posix() for path in folder.rglob("*")} - {"b.md", "a\u3000b"}
    assert set(skill_text(skill, folder).lines) == set(_readable(skill, folder)) == regular
    told = brief(corpus, NAME, skill.text)
    assert all(f"### {path}\n" in told for path in regular)
    assert "### b.md" not in told
    assert [(item.stage, item.kind) for item in _check(corpus)] == ACCEPTED


@pytest.mark.parametrize("odd", [_link, _narrow_space])
def test_a_mark_is_found_whatever_else_the_skill_holds(corpus: Path, odd: object) -> None:
    odd(corpus / "skills" / NAME)  # type: ignore[operator]
    (corpus / "skills" / NAME / "notes.md").write_text(f"one\n{MARK} say which till\n")
    refused, _ = _check(corpus)
    assert "  notes.md:2: say which till [todo]" in lines_of(refused)


def test_a_file_that_has_gone_since_is_no_file_of_the_skill(corpus: Path) -> None:
    folder = corpus / "skills" / NAME
    (folder / "a.txt").write_text("a\n")
    skill = _read(corpus)
    (folder / "a.txt").unlink()
    assert set(skill_text(skill, folder).lines) == {"SKILL.md"}


def test_a_skill_of_carriage_returns_has_the_lines_that_parse_counts(corpus: Path) -> None:
    file = corpus / "skills" / NAME / "SKILL.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r"))
    skill = _read(corpus)
    assert skill_text(skill, file.parent).lines == {"SKILL.md": skill.text_lines} == {"SKILL.md": 13}
    assert [(item.stage, item.kind) for item in _check(corpus)] == ACCEPTED


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c", "\x1c"])
def test_only_line_ends_end_lines_where_lines_are_numbered(corpus: Path, separator: str) -> None:
    folder = corpus / "skills" / NAME
    (folder / "a.md").write_text(f"one{separator}still one\ntwo\n")
    skill = _read(corpus)
    shown = brief(corpus, NAME, f"one{separator}still one\ntwo\n")
    assert shown.count(f"   1 one{separator}still one\n   2 two\n") == 2
    desk = Desk(None, _readable(skill, folder), rounds=1)  # type: ignore[arg-type]
    assert desk.read_skill("a.md") == f"   1 one{separator}still one\n   2 two"
    assert skill_text(skill, folder).lines["a.md"] == 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\rc\n\rd", ["a", "b", "c", "", "d"]),
        ("a\u2028b", ["a\u2028b"]),
    ],
)
def test_lines_end_in_line_feeds_and_carriage_returns_alone(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_the_brief_names_the_skill_file_as_references_must(corpus: Path) -> None:
    folder = corpus / "skills" / NAME
    (folder / "SKILL.md").rename(folder / "Skill.md")
    skill = _read(corpus)
    told = brief(corpus, NAME, skill.text)
    assert set(skill_text(skill, folder).lines) == {"Skill.md"}
    assert told.count("### Skill.md\n") == 1
