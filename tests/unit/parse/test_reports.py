"""Public bug reports about reading SKILL.md files: each kind with bytes of our own, and the right behaviour.

The numbers are those of public issues. What each stands for is in its row; where it needs more than values and
findings, a test of its own follows.
"""

from __future__ import annotations

import builtins
import locale
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skill2env.linting import lint, lint_all
from skill2env.models.outcome import Accepted, Finding
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill

SAID = "Rotates logs. Use when a disk fills up."
BODY = "\n# Log rotation\n\nCut the log.\n"


def front(*lines: str, name: str = "probe") -> str:
    return "\n".join(("---", f"name: {name}", *lines, "---", BODY))


PLAIN = front(f"description: {SAID}")

REPORTS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "anthropics/claude-code#78270": (
        front("description: Use for: logs"),
        {"description": "Use for: logs"},
        {"yaml-syntax", "quoted-value"},
    ),
    "secondsky/claude-skills#60": (
        front("description: Use for: logs", "metadata:", "  version: 2"),
        {"metadata": (("version", "2"),)},
        {"yaml-syntax", "quoted-value"},
    ),
    "openai/codex#20704": (
        front("description: Use for: logs", "license: a: b: c"),
        {"licence": "a: b: c"},
        {"yaml-syntax", "quoted-value"},
    ),
    "anthropics/claude-code#12971": (
        front("description: |", "  Rotates logs.", "  Use daily."),
        {"description": "Rotates logs.\nUse daily."},
        set(),
    ),
    "anthropics/claude-code#14064": (
        front("description: >-", "  Rotates logs.", "  Use daily."),
        {"description": "Rotates logs. Use daily."},
        set(),
    ),
    "anthropics/claude-code#9817": (
        front("description:", "  Rotates logs.", "  Use when a disk fills up."),
        {"description": SAID},
        set(),
    ),
    "google-gemini/gemini-cli#25693": (
        "\ufeff" + PLAIN.replace("---\n", "--- \n"),
        {"description": SAID},
        {"byte-order-mark", "fence-not-exact"},
    ),
    "crewAIInc/crewAI#7538": ("\ufeff" + PLAIN, {"description": SAID}, {"byte-order-mark"}),
    "elizaOS/eliza#22471": (PLAIN.replace("\n", "\r\n"), {"description": SAID}, {"crlf"}),
    "github/spec-kit#3739": (
        front("description: Splits --- here", "license: MIT"),
        {"description": "Splits --- here", "licence": "MIT"},
        set(),
    ),
    "googleworkspace/cli#521": (
        front(f"description: {SAID}", "metadata: {tags: [a, b]}"),
        {"metadata": (("tags", '["a","b"]'),)},
        {"metadata-nested"},
    ),
    "agentskills/agentskills#144 as a string": (
        front(f"description: {SAID}", "allowed-tools: Read Bash(git add:*)"),
        {"allowed_tools": ("Read", "Bash(git add:*)")},
        set(),
    ),
    "agentskills/agentskills#144 as a list": (
        front(f"description: {SAID}", "allowed-tools:", "  - Read", "  - Bash(git add:*)"),
        {"allowed_tools": ("Read", "Bash(git add:*)")},
        {"allowed-tools-form"},
    ),
    "agentskills/agentskills#345": (
        front(f"description: {SAID}", name="日志轮换"),
        {"name": "日志轮换"},
        {"name-not-directory"},
    ),
    "anthropics/claude-code#80469": (
        front("description: Rotates <name> logs."),
        {"description": "Rotates <name> logs."},
        {"description-xml-tag"},
    ),
    "openclaw/openclaw#108926": (
        front(f"description: {SAID}", "metadata: {", "  // mine", '  "tool": {"bins": ["cut"],},', "}"),
        {"description": SAID},
        {"yaml-syntax", "value-kept-as-text", "metadata-not-a-mapping"},
    ),
    "anthropics/claude-code#30611": (
        front(f"description: {SAID}", "argument-hint: a file", "hooks: {}"),
        {"description": SAID},
        {"unknown-key"},
    ),
}


def read(data: bytes, folder: Path, name: str = "SKILL.md") -> tuple[Skill, list[Finding]]:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    answer = read_skill(folder, folder.name)
    assert isinstance(answer, Accepted), answer
    return answer.record, [f for f in answer.record.findings if f.code != "no-provenance"]


@pytest.mark.parametrize("report", REPORTS)
def test_the_right_behaviour(report: str, tmp_path: Path) -> None:
    text, values, codes = REPORTS[report]
    skill, findings = read(text.encode(), tmp_path / "probe")
    assert {key: getattr(skill, key) for key in values} == values
    assert {finding.code for finding in findings} == codes
    assert all(f.severity != "error" and f.file == "SKILL.md" and f.line for f in findings)


def test_no_skill_is_dropped_from_a_list(tmp_path: Path) -> None:
    """mattpocock/skills#908, anomalyco/opencode#8582: a broken skill is isolated, and in the list."""
    for name, text in (
        ("good", PLAIN),
        ("broken", "---\nname: [\n"),
        ("empty", ""),
        ("binary", "\1\2\3" * 9),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(text)
    assert [linted.folder.name for linted in lint_all(tmp_path)] == ["binary", "broken", "empty", "good"]
    assert not lint(tmp_path / "empty").passes


def test_each_fault_is_told_once_with_its_line(tmp_path: Path) -> None:
    """openai/codex#20704."""
    _, findings = read(front("description: Use for: logs").encode(), tmp_path / "probe")
    assert [(f.code, f.line, f.column) for f in findings] == [("quoted-value", 3, 14), ("yaml-syntax", 3, 21)]


def test_marks_are_treated_alike_everywhere(tmp_path: Path) -> None:
    """NVIDIA/SkillEvaluator#91: reading, linting and mending agree on what a byte order mark is."""
    folder = tmp_path / "probe"
    marked, _ = read(b"\xef\xbb\xbf" + PLAIN.encode(), folder)
    assert [finding.code for finding in lint(folder, fix=True).fixed] == ["byte-order-mark"]
    plain, _ = read((folder / "SKILL.md").read_bytes(), folder)
    assert (marked.text, marked.name) == (plain.text, plain.name)


def test_no_locale_decides_how_bytes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """agentskills/agentskills#536, anthropics/skills#1271."""
    monkeypatch.setattr(locale, "getpreferredencoding", lambda *_: "cp1252")
    monkeypatch.setattr(locale, "getencoding", lambda: "ascii")
    skill, _ = read(front("description: 轮换日志。").encode(), tmp_path / "probe")
    assert skill.description == "轮换日志。"


@pytest.mark.parametrize("folder", ["re\u0301sume\u0301", "r\u00e9sum\u00e9"])
def test_names_are_compared_in_one_form(folder: str, tmp_path: Path) -> None:
    """charmbracelet/crush#3625: both sides are normalised."""
    _, findings = read(front(f"description: {SAID}", name="r\u00e9sum\u00e9").encode(), tmp_path / folder)
    assert findings == []


@pytest.mark.parametrize("name", ["skill.md", "SKILL.MD", "Skill.md"])
def test_any_letter_case_is_found_with_a_warning(name: str, tmp_path: Path) -> None:
    """anthropics/claude-code#16983, openai/codex#20637."""
    skill, findings = read(PLAIN.encode(), tmp_path / "probe", name)
    assert skill.skill_file == name
    assert [finding.code for finding in findings] == ["skill-file-case"]


def test_nothing_is_executed_on_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """anthropics/claude-code#12781, anthropics/claude-code#24510: commands in documentation stay text."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    for owner, name in ((subprocess, "Popen"), (os, "system"), (os, "posix_spawn"), (builtins, "exec")):
        monkeypatch.setattr(owner, name, refuse)
    text = PLAIN + f"\nRun !`touch {tmp_path}/made`.\n\n```bash\n!`touch {tmp_path}/made`\n```\n"
    _, findings = read(text.encode(), tmp_path / "probe")
    assert [(f.code, f.line, f.column) for f in findings] == [
        ("bang-command", 10, 5),
        ("bang-command", 13, 1),
    ]
    assert not (tmp_path / "made").exists()


def test_paths_are_those_of_the_skills_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """aaif-goose/goose#9558, earendil-works/pi#1136."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "elsewhere.sh").touch()
    (tmp_path / "probe" / "scripts").mkdir(parents=True)
    (tmp_path / "probe" / "scripts" / "here.sh").touch()
    monkeypatch.chdir(tmp_path)
    text = PLAIN + "\nRun scripts/here.sh, then scripts/elsewhere.sh.\n"
    _, findings = read(text.encode(), tmp_path / "probe")
    assert [(f.code, f.line, f.column) for f in findings] == [("missing-bundled-file", 10, 27)]
