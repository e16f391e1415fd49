"""What is told of a change: its funnel, evidence that stays evidence, and places that an author can follow."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner
from unit.test_changes import _git

from skill2env.changes import Change, Changes, Selection
from skill2env.checking import Checked, Target
from skill2env.cli import app
from skill2env.errors import UsageError
from skill2env.models.base import printable
from skill2env.models.outcome import Errored, Finding, Rejected, Severity
from skill2env.stages.validate.gates import GATES
from skill2env.verdicts import LOOK_AT, Verdict

EVIL = "::error file=a::b\n##[command]x\n```\n<script>alert(1)</script> | [x](http://e.example)"
TASK = "alpha--one--easy-s1"


def _finding(
    code: str, message: str, file: str = "", line: int = 0, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(code=code, severity=severity, message=message, file=file, line=line)


def _rejected(stage: str, item: str, *findings: Finding, evidence: str = "") -> Checked:
    refusal = Rejected(rule=findings[0].code, message="m", findings=findings, evidence=evidence)
    return Checked(stage, item, "rejected", None, refusal)


@pytest.fixture
def verdict(tmp_path: Path) -> Verdict:
    corpus = tmp_path / "skills_corpus"
    for name in ("tests/test_outputs.py", "world.py", "mistakes/too-fast.sh", "solutions/reference.sh"):
        path = corpus / "blueprints" / "alpha" / "one" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    changes = Changes(tmp_path, "main", "0" * 40, (Change("README.md", "changed"),))
    return Verdict(changes, Selection((Target(corpus, "alpha"),)), ())


def _with(verdict: Verdict, *checked: Checked) -> Verdict:
    return Verdict(verdict.changes, verdict.selection, checked)


def test_every_gate_has_a_place_to_begin() -> None:
    assert set(LOOK_AT) == {gate.NAME for gate in GATES}


def test_findings_are_shown_where_they_are(verdict: Verdict) -> None:
    found = _with(
        verdict,
        _rejected(
            "parse",
            "alpha",
            _finding("todo", "write it", "SKILL.md", 3),
            _finding("provenance-hash-differs", "other", "provenance/alpha.yaml", 5),
            _finding("no-provenance", "none", severity=Severity.WARNING),
            _finding("crlf", "taste", "SKILL.md", 1, Severity.ADVICE),
        ),
        _rejected("draft", "alpha--one", _finding("few-checks", "four", "tests/test_outputs.py", 0)),
        Checked("validate", TASK, "errored", None, Errored(message="gone: away")),
    )
    assert found.annotations() == [
        "::error file=skills_corpus/skills/alpha/SKILL.md,line=3,title=alpha::write it [todo]",
        "::error file=skills_corpus/provenance/alpha.yaml,line=5,title=alpha::other [provenance-hash-differs]",
        "::error file=skills_corpus/blueprints/alpha/one/tests/test_outputs.py,title=alpha--one::four [few-checks]",
        f"::error title={TASK}::gone: away",
        "::warning file=skills_corpus/skills/alpha/SKILL.md,title=alpha::none [no-provenance]",
    ]


def test_gates_point_at_lines_of_their_evidence_or_where_to_begin(verdict: Verdict) -> None:
    lint = "tests/test_outputs.py:7: `open` is used; use read_text"
    refused = _rejected(
        "validate",
        TASK,
        _finding("tests_lint", f"{lint} (and 1 more)"),
        _finding("mistakes_fail", "the mistake too-fast earns 1 at level easy"),
        _finding("hardcode_fails", "two seeds have the same answer"),
        evidence=f"the other 14 gates hold\n\ntests_lint: {lint}\ntests/test_outputs.py:9: no\n\n"
        "mistakes_fail: x\n    | world.py:1: printed by a script\nworld.py:zz: no\n../../etc/passwd.py:1: no\nnot-there.py:1: no",
    )
    again = _rejected("validate", "alpha--one--hard-s1", *refused.findings, evidence=refused.refusal.evidence)  # type: ignore[union-attr]
    folder = "skills_corpus/blueprints/alpha/one"
    title = f"{TASK} and 1 more"
    assert _with(verdict, refused, again).annotations() == [
        f"::error file={folder}/mistakes/too-fast.sh,title={title}::the mistake too-fast earns 1 at level easy [mistakes_fail]",
        f"::error file={folder}/world.py,title={title}::two seeds have the same answer [hardcode_fails]",
        f"::error file={folder}/tests/test_outputs.py,line=7,title={title}::`open` is used; use read_text",
        f"::error file={folder}/tests/test_outputs.py,line=9,title={title}::no",
    ]


def test_evidence_stays_evidence(verdict: Verdict) -> None:
    refused = _rejected("validate", TASK, _finding("nop_fails", EVIL), evidence=f"nop_fails: {EVIL}")
    found = _with(verdict, refused)
    (line,) = found.annotations()
    assert "\n" not in line
    assert line.startswith("::error file=")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse("\n".join(found.page()))
    assert {token.type for token in tokens if token.type.startswith("html")} == set()
    (fence,) = [token for token in tokens if token.type == "fence"]
    assert "<script>alert(1)</script>" in fence.content
    assert "##[command]x" in fence.content


def test_the_funnel_counts_each_stage(verdict: Verdict) -> None:
    found = _with(
        verdict,
        Checked("parse", "alpha", "accepted", None, None),
        _rejected("validate", TASK, _finding("stated", "x")),
        Checked("validate", "alpha--one--hard-s1", "accepted", None, None),
    )
    assert found.funnel() == [
        {"stage": "parse", "inputs": 1, "accepted": 1, "rejected": 0, "errored": 0, "rules": {}},
        {
            "stage": "validate",
            "inputs": 2,
            "accepted": 1,
            "rejected": 1,
            "errored": 0,
            "rules": {"stated": 1},
        },
    ]
    assert "| validate | 2 | 1 | 1 | 0 | stated 1 |" in found.page()


def test_a_page_of_much_evidence_fits_a_summary(verdict: Verdict) -> None:
    many = [
        _rejected("validate", f"{TASK}{number}", _finding("stated", "x"), evidence="字" * 8000)
        for number in range(200)
    ]
    page = "\n".join(_with(verdict, *many).page())
    assert len(page.encode()) < 1 << 20
    assert re.search(r"^\d+ more were not accepted", page, re.MULTILINE)


def test_a_change_of_what_judges_is_said(verdict: Verdict, tmp_path: Path) -> None:
    corpus = tmp_path / "skills_corpus"
    sample = Target(corpus, "beta", frozenset(), frozenset({"one"}))
    selection = Selection((*verdict.selection.targets, sample), judging=("skill2env/verifier/judge.py",))
    (sentence,) = [line for line in Verdict(verdict.changes, selection, ()).scope() if "judges" in line]
    assert "skill2env/verifier/judge.py" in sentence
    assert "one task of each of 1 skills" in sentence


@pytest.mark.parametrize(
    ("unchecked", "told"),
    [
        ((), "; the whole corpus was checked."),
        (("alpha--two", "gamma"), "; not checked: alpha--two, gamma (--everything checks all)."),
    ],
)
def test_the_whole_corpus_was_checked_only_where_nothing_is_left_out(
    verdict: Verdict, unchecked: tuple[str, ...], told: str
) -> None:
    selection = Selection(verdict.selection.targets, judging=("params.yaml",), unchecked=unchecked)
    assert Verdict(verdict.changes, selection, ()).scope()[-1].endswith(told)


def test_what_was_taken_away_is_no_untouched_corpus(verdict: Verdict) -> None:
    selection = Selection((), gone=("alpha",), orphaned=("skills_corpus/provenance/alpha.yaml",))
    _, gone, orphaned = Verdict(verdict.changes, selection, ()).scope()
    assert gone == "Taken away, and not checked: alpha."
    assert orphaned.startswith(
        "Still on record, though the files were taken away: skills_corpus/provenance/alpha.yaml."
    )
    (_, untouched) = Verdict(verdict.changes, Selection(()), ()).scope()
    assert untouched == "No skill and no blueprint is touched, so there is nothing to check."


def test_check_changed_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A skeleton on a branch: exit code 1, annotations at its marks, a page, a summary, and no commands from names."""
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / ".gitignore").write_text("/data/\n/page.md\n/summary.md\n")
    (tmp_path / "skills_corpus" / "skills").mkdir(parents=True)
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", "-A")
    _git(tmp_path, "commit", "-q", "-m", "begin")
    run, here = CliRunner().invoke, ["--workspace", str(tmp_path)]
    assert run(app, ["check", "--changed", "main", *here]).exit_code == 0
    assert run(app, ["new", "skill", "alpha", *here]).exit_code == 0
    (tmp_path / "skills_corpus" / "skills" / "x::error::y").mkdir()
    (tmp_path / "skills_corpus" / "skills" / "x::error::y" / "SKILL.md").write_text("::error::z\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    page = tmp_path / "page.md"
    done = run(app, ["check", "--changed", "main", "--github", "--report", str(page), *here])
    assert done.exit_code == 1, done.output
    first, *lines = done.stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    after = lines[lines.index(f"::{token}::") + 1 :]
    assert all(line.startswith(("::error ", "::warning ")) for line in after)
    assert "::error file=skills_corpus/skills/alpha/SKILL.md,line=3,title=alpha::" in "\n".join(after)
    assert page.read_text() == (tmp_path / "summary.md").read_text()
    assert "| parse | 2 | " in page.read_text()


@pytest.mark.parametrize("name", ["My Blueprint", os.fsdecode(b"n\xff")])
def test_a_blueprint_of_an_odd_name_is_refused_and_nothing_breaks(tmp_path: Path, name: str) -> None:
    corpus = tmp_path / "skills_corpus"
    for folder in ("skills/alpha", f"skills/{os.fsdecode(bytes([255]))}", f"blueprints/alpha/{name}"):
        (corpus / folder).mkdir(parents=True)
        (corpus / folder / "SKILL.md").write_text("Always look first.\n")
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / ".gitignore").write_text("/data/\n")
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "begin")
    done = CliRunner().invoke(app, ["check", "--changed", "main", "--github", "--workspace", str(tmp_path)])
    assert done.exit_code == 1, done.output
    assert "blueprint-name: name the blueprint's folder" in done.stdout
    assert f"file=skills_corpus/blueprints/alpha/{printable(name)}/blueprint.yaml" in done.stdout
    assert done.stdout.count("\nparse ") == 2
    told = CliRunner().invoke(app, ["check", "--changed", "main", "--json", "--workspace", str(tmp_path)])
    assert f"skills_corpus/blueprints/alpha/{printable(name)}/SKILL.md" in {
        change["path"] for change in json.loads(told.stdout)["files"]
    }


@pytest.mark.parametrize(
    "argv", [[], ["x", "--changed", "main"], ["x", "--github"], ["--changed", "main", "--github", "--json"]]
)
def test_what_does_not_go_together_is_refused(argv: list[str]) -> None:
    assert isinstance(CliRunner().invoke(app, ["check", *argv]).exception, UsageError)


def test_a_gate_that_names_a_line_is_shown_there(verdict: Verdict) -> None:
    refused = _rejected("validate", TASK, _finding("rubric_holds", "counts", "blueprint.yaml", 25))
    assert _with(verdict, refused).annotations() == [
        f"::error file=skills_corpus/blueprints/alpha/one/blueprint.yaml,line=25,title={TASK}::counts [rubric_holds]"
    ]
