"""The planted faults fit their blueprints, what counts as found is right, and a fault of each kind is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import runner
from planted.runner import Entry, Row

from skill2env.checking import Checked
from skill2env.errors import ExitCode, UsageError
from skill2env.models.outcome import Errored, Finding, Rejected, Severity
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

EVERY = [(kind, entry) for kind in runner.KINDS for entry in runner.entries(kind)]
BY_NAME = {entry.name: (kind, entry) for kind, entry in EVERY}


def rejected(*gates: str, stage: str = "validate") -> Checked:
    findings = tuple(Finding(code=gate, severity=Severity.ERROR, message="No.") for gate in gates)
    refusal = Rejected(rule=gates[0], message="No.", findings=findings)
    return Checked(stage, "task", "rejected", None, refusal)


def row(kind: str, *gates: str) -> Row:
    entry = runner.entries(kind)[0]
    return Row(kind, entry, gates, "")


@pytest.mark.parametrize("kind", runner.KINDS)
def test_ten_faults_of_a_kind_in_ten_blueprints(kind: str) -> None:
    listed = runner.entries(kind)
    assert len(listed) == 10
    assert len({entry.blueprint for entry in listed}) == 10


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(EVERY)


@pytest.mark.parametrize("name", BY_NAME)
def test_an_edit_occurs_once_and_leaves_python(name: str) -> None:
    entry = BY_NAME[name][1]
    original = (runner.CORPUS / "blueprints" / entry.blueprint / runner.TESTS).read_text("utf-8")
    assert entry.edits
    assert [original.count(edit.old) for edit in entry.edits] == [1] * len(entry.edits)
    assert runner.edited(entry) != original


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("no such text", "", "occurs 0 times"),
        ("assert", "", "occurs 6 times"),
        ("def report(workspace, read_json):", "def report(", "is no Python"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(old: str, new: str, says: str) -> None:
    entry = BY_NAME["tolerance-loosened"][1]
    bad = Entry.model_validate({**entry.model_dump(), "edits": [{"old": old, "new": new}]})
    with pytest.raises(UsageError, match=says):
        runner.edited(bad)


def test_a_fault_is_laid_out_with_its_skill_and_provenance(tmp_path: Path) -> None:
    entry = BY_NAME["tolerance-loosened"][1]
    folder = runner.lay_out(tmp_path, entry)
    corpus = tmp_path / "skills_corpus"
    assert folder == corpus / "blueprints" / entry.blueprint
    assert "truth[figure] * 0.01" in (folder / runner.TESTS).read_text("utf-8")
    assert (corpus / "skills" / "sqlite-app-databases" / "SKILL.md").is_file()
    assert (corpus / "provenance" / "sqlite-app-databases.yaml").is_file()


@pytest.mark.parametrize(
    ("last", "outcome", "found"),
    [
        (rejected("mutants_fail"), "found", True),
        (rejected("mistakes_fail", "mutants_fail"), "found", True),
        (rejected("nop_fails", "mutants_fail"), "broke the task", False),
        (rejected("oracle_passes", "alternatives_pass"), "broke the task", False),
        (rejected("few-checks", stage="draft"), "draft: few-checks", False),
        (Checked("validate", "task", "errored", None, Errored(message="engine")), "errored: engine", False),
        (Checked("validate", "task", "accepted", None, None), "accepted", False),
    ],
)
def test_what_counts_as_found(last: Checked, outcome: str, found: bool) -> None:
    made = runner.row_of("weak", runner.entries("weak")[0], last)
    assert (runner.outcome(made), made.found, made.good) == (outcome, found, found)


def test_a_control_must_be_accepted() -> None:
    control = runner.control("weak")
    assert (control.blueprint, control.edits) == (runner.entries("weak")[0].blueprint, ())
    assert runner.row_of("weak", control, Checked("validate", "task", "accepted", None, None)).good
    assert not runner.row_of("weak", control, rejected("mutants_fail")).good


@pytest.mark.parametrize(("found", "enough"), [(10, True), (9, True), (8, False)])
def test_nine_of_ten_are_enough(found: int, enough: bool) -> None:
    weak = [row("weak", "mutants_fail")] * found + [row("weak")] * (10 - found)
    narrow = [row("narrow", "mutants_fail")] * 10
    assert runner.summary([*weak, *narrow]) == (f"weak: {found} of 10 found, narrow: 10 of 10 found", enough)


def test_a_rejected_control_is_never_enough() -> None:
    rows = [row(kind, "mutants_fail") for kind in runner.KINDS]
    assert runner.summary(rows)[1]
    assert not runner.summary([*rows, Row("weak", runner.control("weak"), ("headroom",), "")])[1]


def test_names_choose_and_an_unknown_one_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert [entry.name for _, entry in runner.chosen_of(["key-order"])] == ["key-order"]
    assert len(runner.chosen_of([])) == 22
    assert runner.main(["no-such-fault"]) == ExitCode.USAGE
    assert "no-such-fault" in capsys.readouterr().err


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", ["length-only", "key-order"])
def test_the_gates_find_one_of_each_kind(name: str, tmp_path: Path) -> None:
    kind, entry = BY_NAME[name]
    store = ResultStore(Workspace(tmp_path).results)
    try:
        made = runner.run(kind, entry, tmp_path, store)
    finally:
        store.close()
    assert made.found, (made.gates, made.note)
