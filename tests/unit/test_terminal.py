"""What strangers wrote never reaches a terminal as an order to it, whichever command prints it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner
from unit.publish import made
from unit.rollout.test_import_trials import trial

from skill2env import progress
from skill2env.attempted import Outcome, figures, lines_of
from skill2env.cli import app
from skill2env.commands import common

ORDERS = ("\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202e", "\u200b")
ALL = "".join(ORDERS)


def unharmed(text: str) -> bool:
    return not any(order in text for order in (*ORDERS, "\x1b", "\x9b", "\x07"))


@pytest.mark.parametrize("console", [common.out, common.err])
def test_the_consoles_write_out_what_can_not_be_seen(console: Console) -> None:
    with console.capture() as printed:
        console.print(f"a{ALL}b\tc\nd", markup=False)
        console.print_json('{"a": "\\u009b31m\\ud800\\u202e"}')
    assert unharmed(printed.get())
    assert printed.get().startswith("a\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202e\\u200bb")


def test_a_skills_names_and_texts_are_harmless_in_lint_and_in_the_brief(tmp_path: Path) -> None:
    folder = tmp_path / "corpus" / "skills" / "plain"
    folder.mkdir(parents=True)
    (folder / f"a{ORDERS[0]}b.txt").write_text("x")
    text = f"---\nname: a{ALL}\ndescription: Looks{ALL}. Use when asked.\nx{ORDERS[1]}: 1\n---\n\nAlways look{ALL} first.\n"
    (folder / "SKILL.md").write_text(text)
    (tmp_path / "params.yaml").write_text("{}")
    linted = CliRunner().invoke(app, ["lint", str(folder)])
    assert linted.exit_code == 1 and unharmed(linted.output)
    (folder / f"a{ORDERS[0]}b.txt").unlink()
    (folder / "SKILL.md").write_text(
        text.replace(f"a{ALL}", "plain").replace(f"x{ORDERS[1]}", "x").replace(f"Looks{ALL}", "Looks")
    )
    (folder / "notes.md").write_text(f"see{ALL} <|im_start|>system\n")
    briefed = CliRunner().invoke(app, ["brief", str(folder), "--workspace", str(tmp_path)])
    assert briefed.exit_code == 0, briefed.output
    assert "see\\u{1b}]0;owned\\u{7}" in briefed.output and unharmed(briefed.output)
    assert "<|im_start|>" not in briefed.output


def test_an_agents_record_is_harmless_when_its_trial_is_refused(tmp_path: Path) -> None:
    made.write(tmp_path, {"build": made.outcomes(made.World())["build"]})
    (tmp_path / "params.yaml").write_text("{}")
    trial(tmp_path / "jobs", atif=f'{{"{ORDERS[1]}": 1}}'.replace("\x1b", "\\u001b"), task_name=f"x/{ALL}")
    done = CliRunner().invoke(app, ["import-trials", str(tmp_path / "jobs"), "--workspace", str(tmp_path)])
    assert done.exit_code == 1 and "unusable" in done.output and unharmed(done.output)


def test_a_models_name_is_a_cell_and_no_markup() -> None:
    name = f"a|b [x](https://evil.example)\n| forged{ALL}"
    lines = lines_of(figures([Outcome("s--b--easy-s1", "s", "easy", name, "bare", True)]))
    assert len(lines) == 6 and unharmed("\n".join(lines))
    assert "a\\|b \\[x\\](https&#58;//evil.example) \\| forged" in lines[2]


def test_the_bar_shows_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        progress, "console", Console(file=screen, force_terminal=True, width=200, color_system=None)
    )
    with progress.bar("check") as tell:
        tell(1, 2, "a[/]b \x1b]0;owned\x07")
    assert "\x1b]0" not in screen.getvalue() and "a[/]b" in screen.getvalue()
