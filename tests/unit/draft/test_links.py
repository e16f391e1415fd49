"""Links in the place of a skill or a blueprint are refused wherever they lead, and what is not there is said to be missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner
from unit.draft.pieces import SKILL, checked, corpus_in

from skill2env.checking import Target, locate
from skill2env.cli import app
from skill2env.errors import UsageError
from skill2env.models.outcome import Rejected

LINKED = ("rejected", "unsafe-tree")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return corpus_in(tmp_path)


def _became(corpus: Path, target: Target | None = None) -> dict[str, tuple[str, str]]:
    """Return kind and rule of each blueprint by its name."""
    found = [item for item in checked(corpus, target) if item.stage == "draft"]
    return {
        item.item_id.partition("--")[2]: (
            item.kind,
            item.refusal.rule if isinstance(item.refusal, Rejected) else "",
        )
        for item in found
    }


def test_a_link_to_a_blueprint_is_no_blueprint(corpus: Path) -> None:
    shutil.copytree(corpus / "blueprints" / SKILL / "takings", corpus.parent / "outside" / "good")
    mine = corpus / "blueprints" / SKILL
    (mine / "again").symlink_to("takings")
    (mine / "away").symlink_to(corpus.parent / "outside" / "good")
    (mine / "lost").symlink_to("nowhere")
    (mine / "note").symlink_to("takings/world.py")
    assert _became(corpus) == {
        "takings": ("accepted", ""),
        **dict.fromkeys(("again", "away", "lost", "note"), LINKED),
    }


def test_what_lies_in_a_link_is_no_blueprint(corpus: Path) -> None:
    mine = corpus / "blueprints" / SKILL
    mine.rename(corpus.parent / "outside")
    mine.symlink_to(corpus.parent / "outside")
    assert _became(corpus) == {"takings": LINKED}
    assert _became(corpus, locate(mine / "takings")) == {"takings": LINKED}


def test_a_blueprint_that_becomes_a_link_to_the_same_files_is_read_anew(corpus: Path) -> None:
    mine = corpus / "blueprints" / SKILL / "takings"
    assert _became(corpus) == {"takings": ("accepted", "")}
    mine.rename(corpus.parent / "outside")
    mine.symlink_to(corpus.parent / "outside")
    assert _became(corpus) == {"takings": LINKED}


def test_a_path_is_taken_as_it_is_named_and_no_link_is_followed(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = corpus / "skills" / "evil"
    link.symlink_to("/etc")
    assert locate(link) == Target(corpus, "evil")
    (found,) = checked(corpus, locate(link))
    assert (found.kind, found.findings[0].code) == ("rejected", "outward-link")
    monkeypatch.chdir(corpus / "blueprints" / SKILL)
    assert locate(Path()) == locate(Path("../../skills") / SKILL) == Target(corpus, SKILL)


def test_neither_skill_nor_blueprint_is_told(corpus: Path) -> None:
    (corpus / "blueprints" / "ghost").mkdir()
    (corpus.parent / "params.yaml").write_text("{}")
    with pytest.raises(UsageError, match=r"there is no skill ghost in .*skills, and no blueprint of it in"):
        checked(corpus, Target(corpus, "ghost"))
    done = CliRunner().invoke(
        app, ["check", str(corpus / "blueprints" / "ghost"), "--workspace", str(corpus.parent)]
    )
    assert isinstance(done.exception, UsageError)
