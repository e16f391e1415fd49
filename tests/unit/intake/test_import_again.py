"""Importing again: what a kill left, what was changed or deleted here, and what moved, came or went at the source."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from unit.intake.repositories import MIT, NO_DERIVATIVES, codes, imported, skill, write

from skill2env.errors import UsageError
from skill2env.intake.outcome import Result
from skill2env.intake.sources import opened
from skill2env.intake.take import Import, Wishes
from skill2env.params import ImportParams
from skill2env.stages.parse import provenance_path, tree_hash


def fates(found: dict[str, Result]) -> dict[str, str]:
    """Return what became of each skill, with the name or the skill that is meant."""
    return {path: " ".join([str(one.fate), one.like or one.skill_id]) for path, one in found.items()}


def recorded(corpus: Path, name: str) -> dict[str, str]:
    return dict(yaml.safe_load(provenance_path(corpus, name).read_text()))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a"), "a/run.sh": "echo\n"})


@pytest.fixture
def corpus(source: Path, tmp_path: Path) -> Path:
    imported(source, tmp_path / "corpus")
    return tmp_path / "corpus"


def killed_in_an_update(source: Path, corpus: Path) -> None:
    """Leave what an update leaves that is killed after the folder was exchanged, and before the record is written."""
    write(source, {"a/SKILL.md": skill("a", "Theirs.")})
    write(corpus, {"skills/a/SKILL.md": skill("a", "Theirs."), ".import-x1y2/a/SKILL.md": skill("a")})


@pytest.mark.parametrize("update", [True, False])
def test_an_update_that_was_killed_is_finished(source: Path, corpus: Path, update: bool) -> None:
    killed_in_an_update(source, corpus)
    (corpus / "provenance" / "a.licence.txt").unlink()
    assert fates(imported(source, corpus, update=update)) == {"a": "updated a"}
    assert recorded(corpus, "a")["sha256"] == tree_hash(corpus / "skills" / "a")
    assert "The Authors" in (corpus / "provenance" / "a.licence.txt").read_text()
    assert sorted(path.name for path in corpus.iterdir()) == ["provenance", "skills"]
    assert fates(imported(source, corpus)) == {"a": "unchanged a"}


def test_an_update_that_was_killed_is_not_finished_where_something_keeps_the_skill_out(
    source: Path, corpus: Path
) -> None:
    killed_in_an_update(source, corpus)
    before = recorded(corpus, "a")
    write(source, {"LICENSE": NO_DERIVATIVES})
    assert codes(imported(source, corpus, update=True)["a"]) == ["licence-unknown"]
    assert recorded(corpus, "a") == before


def test_what_was_changed_here_is_refused_though_the_source_did_not_change(
    source: Path, corpus: Path
) -> None:
    write(corpus, {"skills/a/SKILL.md": skill("a", "Mine.")})
    told = imported(source, corpus, update=True)["a"]
    assert str(told.fate) == "refused" and codes(told) == ["changed-here"]
    assert "Mine." in (corpus / "skills" / "a" / "SKILL.md").read_text()


def test_a_link_that_was_put_into_a_skill_here_is_a_change_and_ends_nothing(
    source: Path, corpus: Path
) -> None:
    write(corpus, {"skills/a/out": "-> /etc/passwd"})
    write(source, {"b/SKILL.md": skill("b")})
    found = imported(source, corpus, update=True)
    assert codes(found["a"]) == ["changed-here"] and str(found["b"].fate) == "new"


def test_a_folder_that_was_deleted_here_is_taken_anew(source: Path, corpus: Path) -> None:
    shutil.rmtree(corpus / "skills" / "a")
    assert fates(imported(source, corpus)) == {"a": "new a"}
    assert tree_hash(corpus / "skills" / "a") == recorded(corpus, "a")["sha256"]
    shutil.rmtree(corpus / "skills" / "a")
    write(source, {"a/more.md": "Mail ann.author@realmail.net."})
    assert fates(imported(source, corpus, update=True)) == {"a": "refused a"}
    assert not (corpus / "skills" / "a").exists()


def test_a_text_that_moved_on_while_another_took_its_place_is_new(source: Path, corpus: Path) -> None:
    for place in ("0", "b"):
        shutil.rmtree(corpus)
        write(source, {"a/SKILL.md": skill("a")})
        imported(source, corpus)
        shutil.copytree(source / "a", source / place)
        write(source, {"a/SKILL.md": skill("another")})
        expected = {"a": "updated a", place: f"new {place}"}
        assert fates(imported(source, corpus, update=True)) == expected
        shutil.rmtree(source / place)


def test_an_update_is_not_one_more_of_its_repository(source: Path, tmp_path: Path) -> None:
    params, corpus = ImportParams(max_per_repository=3), tmp_path / "capped"
    write(source, {"b/SKILL.md": skill("b")})
    imported(source, corpus, params)
    write(source, {"a/SKILL.md": skill("a", "Theirs."), "c/SKILL.md": skill("c"), "d/SKILL.md": skill("d")})
    expected = {"a": "updated a", "b": "unchanged b", "c": "new c", "d": "over cap "}
    assert fates(imported(source, corpus, params, update=True)) == expected


def test_what_was_on_record_alone_is_copied_once_its_licence_lets_it(tmp_path: Path) -> None:
    files = {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("a")}
    source, corpus = write(tmp_path / "skills", files), tmp_path / "corpus"
    assert fates(imported(source, corpus, by_reference=True)) == {"a": "reference a", "b": "copy a"}
    assert fates(imported(source, corpus, update=True)) == {"a": "unchanged a", "b": "refused "}
    write(source, {"LICENSE": MIT})
    told = imported(source, corpus)
    assert fates(told) == {"a": "new a", "b": "copy a"}
    assert [item.code for item in told["a"].findings] == ["licence-changed"]
    assert (corpus / "skills" / "a" / "SKILL.md").is_file() and recorded(corpus, "a")["licence"] == "MIT"


def test_what_is_on_record_alone_is_no_reason_not_to_take_the_same_from_elsewhere(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    imported(write(tmp_path / "closed", {"a/SKILL.md": skill("a")}), corpus, by_reference=True)
    open_one = write(tmp_path / "open", {"LICENSE": MIT, "b/SKILL.md": skill("a")})
    assert fates(imported(open_one, corpus)) == {"b": "new b"}
    assert fates(imported(tmp_path / "closed", corpus, by_reference=True)) == {"a": "unchanged a"}


def test_two_sources_with_one_name_are_not_mixed_up_by_an_update(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    imported(write(tmp_path / "p" / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")}), corpus)
    other = write(tmp_path / "q" / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("other")})
    with opened(str(other)) as place, pytest.raises(UsageError, match="say with --origin"):
        list(Import(place, corpus, ImportParams(), Wishes(update=True)).results())
    with opened(str(other), origin="q") as place:
        (result,) = Import(place, corpus, ImportParams(), Wishes(update=True)).results()
    assert str(result.fate) == "new" and result.skill_id.startswith("a-")
    assert (corpus / "skills" / "a" / "SKILL.md").read_text() == skill("a")


@pytest.mark.parametrize("lines", [(), ("One more line.",)])
def test_a_skill_that_moved_is_followed(lines: tuple[str, ...], source: Path, corpus: Path) -> None:
    (source / "a").rename(source / "b")
    write(source, {"b/SKILL.md": skill("a", *lines)})
    told = imported(source, corpus)
    assert fates(told) == {"b": "changed a"}
    assert [(item.code, item.message) for item in told["b"].findings] == [
        ("place-changed", "The skill was in a when it was taken, and is in b now.")
    ]
    assert recorded(corpus, "a")["path"] == "a"
    assert fates(imported(source, corpus, update=True)) == {"b": "updated a"}
    assert recorded(corpus, "a")["path"] == "b"
    assert (corpus / "skills" / "a" / "SKILL.md").read_text() == skill("a", *lines)
    assert fates(imported(source, corpus)) == {"b": "unchanged a"}


def test_where_two_places_are_like_a_skill_that_is_gone_neither_is_it(source: Path, corpus: Path) -> None:
    shutil.rmtree(source / "a")
    write(source, {"b/SKILL.md": skill("a", "One."), "c/SKILL.md": skill("a", "Two.")})
    assert fates(imported(source, corpus, update=True)) == {
        "b": "near copy a",
        "c": "near copy a",
        "a": "gone a",
    }


def test_of_two_equal_places_of_a_skill_that_is_gone_the_first_is_it(source: Path, corpus: Path) -> None:
    (source / "a").rename(source / "b")
    shutil.copytree(source / "b", source / "c")
    assert fates(imported(source, corpus, update=True)) == {"b": "updated a", "c": "copy a"}


def test_a_skill_of_the_corpus_counts_though_it_has_no_record(tmp_path: Path) -> None:
    corpus = write(
        tmp_path / "corpus", {"skills/mine/SKILL.md": skill("a"), "skills/own/SKILL.md": skill("b")}
    )
    files = {"LICENSE": MIT, "a/SKILL.md": skill("a"), "b/SKILL.md": skill("b", "One more line.")}
    found = imported(write(tmp_path / "skills", files), corpus)
    assert fates(found) == {"a": "copy mine", "b": "near copy own"}
