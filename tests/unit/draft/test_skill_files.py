"""What parse accepts of a skill, every tool for authors reads: links, odd names, and line ends of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.draft.pieces import SKILL, checked, corpus_in

from skill2env.authoring.author import _readable
from skill2env.authoring.brief import brief
from skill2env.authoring.desk import Desk
from skill2env.checking import lines_of
from skill2env.escaped import one_line
from skill2env.llm.quoted import visible
from skill2env.models.lines import split_lines
from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.models.todo import MARK
from skill2env.stages.draft import skill_text
from skill2env.stages.parse import read_skill

ACCEPTED = [("parse", "accepted"), ("draft", "accepted")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return corpus_in(tmp_path)


def _read(corpus: Path) -> Skill:
    read = read_skill(corpus / "skills" / SKILL, SKILL)
    assert isinstance(read, Accepted)
    return read.record


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
    folder = corpus / "skills" / SKILL
    odd(folder)  # type: ignore[operator]
    skill = _read(corpus)
    regular = {path.relative_to(folder).as_posix() for path in folder.rglob("*")} - {"b.md", "a\u3000b"}
    assert set(skill_text(skill, folder).lines) == set(_readable(skill, folder)) == regular
    told = brief(corpus, SKILL, skill.text)
    assert all(f"### {one_line(path)}\n" in told for path in regular)
    assert "### b.md" not in told
    assert [(item.stage, item.kind) for item in checked(corpus)] == ACCEPTED


@pytest.mark.parametrize("odd", [_link, _narrow_space])
def test_a_mark_is_found_whatever_else_the_skill_holds(corpus: Path, odd: object) -> None:
    odd(corpus / "skills" / SKILL)  # type: ignore[operator]
    (corpus / "skills" / SKILL / "notes.md").write_text(f"one\n{MARK} say which till\n")
    refused, _ = checked(corpus)
    assert "  notes.md:2: say which till [todo]" in lines_of(refused)


def test_a_file_that_has_gone_since_is_no_file_of_the_skill(corpus: Path) -> None:
    folder = corpus / "skills" / SKILL
    (folder / "a.txt").write_text("a\n")
    skill = _read(corpus)
    (folder / "a.txt").unlink()
    assert set(skill_text(skill, folder).lines) == {"SKILL.md"}


def test_a_skill_of_carriage_returns_has_the_lines_that_parse_counts(corpus: Path) -> None:
    file = corpus / "skills" / SKILL / "SKILL.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r"))
    skill = _read(corpus)
    assert skill_text(skill, file.parent).lines == {"SKILL.md": skill.text_lines} == {"SKILL.md": 13}
    assert [(item.stage, item.kind) for item in checked(corpus)] == ACCEPTED


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c", "\x1c"])
def test_only_line_ends_end_lines_where_lines_are_numbered(corpus: Path, separator: str) -> None:
    folder = corpus / "skills" / SKILL
    (folder / "a.md").write_text(f"one{separator}still one\ntwo\n")
    skill = _read(corpus)
    shown = brief(corpus, SKILL, f"one{separator}still one\ntwo\n")
    assert shown.count(f"   1 one{visible(separator)}still one\n   2 two\n") == 2
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
    folder = corpus / "skills" / SKILL
    (folder / "SKILL.md").rename(folder / "Skill.md")
    skill = _read(corpus)
    told = brief(corpus, SKILL, skill.text)
    assert set(skill_text(skill, folder).lines) == {"Skill.md"}
    assert told.count("### Skill.md\n") == 1
