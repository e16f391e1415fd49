"""What a branch touches, in real repositories: commits, the index, the working tree, untracked, renamed and deleted files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skill2env.changes import Selection, changes_since, select
from skill2env.errors import UsageError

FILES = (
    "skills_corpus/skills/alpha/SKILL.md",
    "skills_corpus/skills/alpha/scripts/run.sh",
    "skills_corpus/skills/beta/SKILL.md",
    "skills_corpus/provenance/alpha.yaml",
    "skills_corpus/blueprints/alpha/one/world.py",
    "skills_corpus/blueprints/alpha/two/world.py",
    "skills_corpus/blueprints/beta/one/world.py",
    "skill2env/verifier/judge.py",
    "skill2env/stages/rollout/skills.py",
    "dockerfiles/shell.Dockerfile",
    "params.yaml",
    "README.md",
)


def _git(folder: Path, *argv: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *argv], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{path}\n" * 5)
    (tmp_path / ".gitignore").write_text("ignored\n")
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", "-A")
    _git(tmp_path, "commit", "-q", "-m", "begin")
    _git(tmp_path, "switch", "-q", "-c", "work")
    return tmp_path


def _selected(root: Path, everything: bool = False) -> Selection:
    changes = changes_since("main", root)
    return select(changes, root / "skills_corpus", root / "params.yaml", everything, code=root)


def _named(selection: Selection) -> dict[str, tuple[set[str] | None, set[str]]]:
    return {
        target.skill_id: (None if target.blueprints is None else set(target.blueprints), set(target.sampled))
        for target in selection.targets
    }


def _change(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    with (root / path).open("a") as file:
        file.write("more\n")


def test_nothing_touched_is_nothing_to_check(repository: Path) -> None:
    assert _selected(repository) == Selection(())


@pytest.mark.parametrize(
    ("path", "targets"),
    [
        ("skills_corpus/skills/alpha/SKILL.md", {"alpha": (None, set())}),
        ("skills_corpus/skills/alpha/scripts/run.sh", {"alpha": (None, set())}),
        ("skills_corpus/skills/alpha/new/deep/file", {"alpha": (None, set())}),
        ("skills_corpus/provenance/alpha.yaml", {"alpha": (None, set())}),
        ("skills_corpus/provenance/alpha.licence.txt", {"alpha": (None, set())}),
        ("skills_corpus/provenance/elsewhere.yaml", {}),
        ("skills_corpus/blueprints/alpha/two/world.py", {"alpha": ({"two"}, set())}),
        ("skills_corpus/blueprints/beta/new/world.py", {"beta": ({"new"}, set())}),
        ("skills_corpus/skills/gamma/SKILL.md", {"gamma": (None, set())}),
        ("skills_corpus/skills/alpha/ignored", {}),
        ("README.md", {}),
        ("skill2env/stages/rollout/skills.py", {}),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_a_touched_file_asks_for_what_it_belongs_to(
    repository: Path, path: str, targets: dict[str, tuple[set[str] | None, set[str]]], committed: bool
) -> None:
    _change(repository, path)
    if committed and "ignored" not in path:
        _git(repository, "add", "-A")
        _git(repository, "commit", "-q", "-m", "more")
    assert _named(_selected(repository)) == targets


def test_a_skill_takes_its_touched_blueprints_along(repository: Path) -> None:
    _change(repository, "skills_corpus/blueprints/alpha/two/world.py")
    _change(repository, "skills_corpus/skills/alpha/SKILL.md")
    assert _named(_selected(repository)) == {"alpha": (None, set())}


def test_what_the_other_branch_did_since_is_not_ours(repository: Path) -> None:
    _git(repository, "switch", "-q", "main")
    _change(repository, "skills_corpus/skills/beta/SKILL.md")
    _git(repository, "commit", "-q", "-a", "-m", "theirs")
    _git(repository, "switch", "-q", "work")
    _change(repository, "skills_corpus/blueprints/alpha/one/world.py")
    assert _named(_selected(repository)) == {"alpha": ({"one"}, set())}


def test_a_renamed_blueprint_is_checked_under_its_new_name(repository: Path) -> None:
    _git(repository, "mv", "skills_corpus/blueprints/alpha/one", "skills_corpus/blueprints/alpha/uno")
    _git(repository, "commit", "-q", "-m", "rename")
    selection = _selected(repository)
    assert _named(selection) == {"alpha": ({"uno"}, set())}
    assert selection.gone == ("alpha--one",)


def test_a_skill_that_is_gone_is_told_and_what_it_leaves_behind_is_checked(repository: Path) -> None:
    _git(repository, "rm", "-rq", "skills_corpus/skills/beta")
    selection = _selected(repository)
    assert selection.gone == ("beta",)
    assert _named(selection) == {"beta": (None, set())}, "its blueprints have no skill now"
    _git(repository, "rm", "-rq", "skills_corpus/blueprints/beta")
    assert _named(_selected(repository)) == {}


@pytest.mark.parametrize("name", ["odd\nname", "::error::x", "ünï", os.fsdecode(b"not\xffutf8"), " -flag"])
def test_odd_names_belong_where_they_lie(repository: Path, name: str) -> None:
    _change(repository, f"skills_corpus/skills/alpha/{name}")
    assert _named(_selected(repository)) == {"alpha": (None, set())}


def test_a_skill_by_reference_is_told_and_not_taken_for_gone(repository: Path) -> None:
    _change(repository, "skills_corpus/provenance/elsewhere.yaml")
    selection = _selected(repository)
    assert (selection.referenced, selection.gone) == (("elsewhere",), ())


@pytest.mark.parametrize("how", [("rm", "-rq"), ("mv",)])
def test_a_skill_whose_files_went_is_gone_and_its_record_is_told(
    repository: Path, how: tuple[str, ...]
) -> None:
    moved = ["skills_corpus/skills/alfa"] if how == ("mv",) else []
    _git(repository, *how, "skills_corpus/skills/alpha", *moved)
    selection = _selected(repository)
    assert (selection.referenced, selection.gone) == ((), ("alpha",))
    assert selection.orphaned == ("skills_corpus/provenance/alpha.yaml",)
    _git(repository, "rm", "-q", "skills_corpus/provenance/alpha.yaml")
    assert _selected(repository).orphaned == ()


def test_a_file_of_no_skill_is_told(repository: Path) -> None:
    _change(repository, "skills_corpus/skills/notes.txt")
    assert _selected(repository).stray == ("skills_corpus/skills/notes.txt",)


@pytest.mark.parametrize(
    "path", ["skill2env/verifier/judge.py", "dockerfiles/shell.Dockerfile", "params.yaml"]
)
def test_where_what_judges_has_changed_a_sample_of_the_rest_is_checked(repository: Path, path: str) -> None:
    _change(repository, path)
    _change(repository, "skills_corpus/blueprints/beta/one/world.py")
    selection = _selected(repository)
    assert selection.judging == (path,)
    assert _named(selection) == {"alpha": (set(), {"one"}), "beta": ({"one"}, set())}
    assert _named(_selected(repository, everything=True)) == {"alpha": (None, set()), "beta": (None, set())}


def test_what_is_not_checked_is_named_where_what_judges_has_changed(repository: Path) -> None:
    _change(repository, "skills_corpus/skills/gamma/SKILL.md")
    _git(repository, "add", "-A")
    _git(repository, "commit", "-q", "-m", "a skill without blueprints")
    _git(repository, "branch", "-q", "-f", "main")
    _change(repository, "skills_corpus/blueprints/alpha/one/world.py")
    assert _selected(repository).unchecked == ()
    _change(repository, "params.yaml")
    assert _selected(repository).unchecked == ("alpha--two", "gamma")
    selection = _selected(repository, everything=True)
    assert selection.unchecked == ()
    assert _named(selection) == {name: (None, set()) for name in ("alpha", "beta", "gamma")}


@pytest.mark.parametrize("base", ["nowhere", "-h", "", "--output=x"])
def test_an_unknown_base_is_one_sentence(repository: Path, base: str) -> None:
    with pytest.raises(UsageError, match="name a|is no branch"):
        changes_since(base, repository)


def test_no_common_ancestor_and_no_repository_are_told(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _git(repository, "switch", "-q", "--orphan", "alone")
    _git(repository, "commit", "-q", "--allow-empty", "-m", "alone")
    with pytest.raises(UsageError, match="no common ancestor"):
        changes_since("main", repository)
    with pytest.raises(UsageError, match="run in a clone"):
        changes_since("main", tmp_path_factory.mktemp("bare"))


def test_a_corpus_outside_of_the_repository_is_told(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    changes = changes_since("main", repository)
    with pytest.raises(UsageError, match="not in the repository"):
        select(changes, tmp_path_factory.mktemp("other"), repository / "params.yaml")


LINKS = {
    "skills_corpus/skills/evil": "/etc",
    "skills_corpus/skills/lost": "nowhere",
    "skills_corpus/blueprints/alpha/again": "../../../outside/bp",
    "skills_corpus/blueprints/beta/lost": "nowhere",
}


def _repository_within(root: Path, path: str) -> None:
    _change(root, f"{path}/SKILL.md")
    _git(root / path, "init", "-q")
    _git(root / path, "add", "-A")
    _git(root / path, "commit", "-q", "-m", "within")


@pytest.mark.parametrize("committed", [True, False])
def test_a_link_in_the_place_of_a_skill_or_blueprint_is_checked(repository: Path, committed: bool) -> None:
    (repository / "outside" / "bp").mkdir(parents=True)
    for path, target in LINKS.items():
        (repository / path).symlink_to(target)
    if committed:
        _git(repository, "add", "-A")
        _git(repository, "commit", "-q", "-m", "links")
    selection = _selected(repository)
    assert _named(selection) == {
        "evil": (None, set()),
        "lost": (None, set()),
        "alpha": ({"again"}, set()),
        "beta": ({"lost"}, set()),
    }
    assert (selection.gone, selection.stray) == ((), ())


@pytest.mark.parametrize("committed", [True, False])
def test_a_repository_within_is_checked_as_what_it_stands_for(repository: Path, committed: bool) -> None:
    for path in ("skills/own", "blueprints/alpha/three"):
        _repository_within(repository, f"skills_corpus/{path}")
    if committed:
        _git(repository, "add", "-A")
        _git(repository, "commit", "-q", "-m", "within")
    assert _named(_selected(repository)) == {"own": (None, set()), "alpha": ({"three"}, set())}


def test_a_folder_of_blueprints_that_is_a_link_is_checked_where_it_holds_folders(repository: Path) -> None:
    (repository / "outside" / "bp").mkdir(parents=True)
    (repository / "skills_corpus" / "blueprints" / "gamma").symlink_to("../../outside")
    (repository / "skills_corpus" / "blueprints" / "lost").symlink_to("nowhere")
    selection = _selected(repository)
    assert _named(selection) == {"gamma": ({"bp"}, set())}
    assert selection.stray == ("skills_corpus/blueprints/lost",)


def test_a_link_that_is_gone_is_told(repository: Path) -> None:
    for path, target in LINKS.items():
        (repository / path).symlink_to(target)
    _git(repository, "add", "-A")
    _git(repository, "commit", "-q", "-m", "links")
    _git(repository, "branch", "-f", "main")
    for path in LINKS:
        (repository / path).unlink()
    selection = _selected(repository)
    assert _named(selection) == {}
    assert selection.gone == ("alpha--again", "beta--lost", "evil", "lost")


def test_a_plain_file_among_skills_and_blueprints_is_neither(repository: Path) -> None:
    for path in ("skills/notes.txt", "blueprints/notes.txt", "blueprints/alpha/notes.txt"):
        _change(repository, f"skills_corpus/{path}")
    selection = _selected(repository)
    assert (_named(selection), len(selection.stray)) == ({}, 3)
