"""What the command line says of itself and of what is wrong with it: one sentence, and the command's own help named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skill2env.cli import main
from skill2env.errors import ExitCode


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["skill2env", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nosuch", "No such command 'nosuch'; see `skill2env --help`"),
        ("parse --nosuch", "No such option: --nosuch; see `skill2env parse --help`"),
        ("lint", "Missing argument 'path'; see `skill2env lint --help`"),
        ("new skill", "Missing argument 'name'; see `skill2env new skill --help`"),
        ("check --only", "Option '--only' requires an argument; see `skill2env --help`"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_sentence(
    arguments: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, *arguments.split()) == ExitCode.USAGE
    assert capsys.readouterr().err == f"error: {told}\n"


def test_a_value_out_of_bounds_is_told_with_its_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "soak", "--times", "0") == ExitCode.USAGE
    told = capsys.readouterr().err
    assert "'--times'" in told
    assert told.endswith("; see `skill2env soak --help`\n")


@pytest.mark.parametrize("arguments", [(), ("new",)])
def test_a_group_alone_shows_its_help(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, *arguments) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert told.startswith(f"Usage: {' '.join(('skill2env', *arguments))} [OPTIONS] COMMAND")
    assert "error" not in told
    assert "see `" not in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("docs", "--check"), "docs: is no docs folder beside a README.md"),
        (("docs", "--folder", "mine"), "mine: is no docs folder beside a README.md"),
        (
            ("funnel",),
            "metrics: not all stages have been run; run `dvc repro` first, or name another workspace",
        ),
        (("export", "--all", "foo"), "name tasks, or give --all, and not both"),
        (("export", "--all", "--dataset", "mine"), "mine holds no task; `skill2env funnel`"),
        (("show", "foo"), "no stage was run here, so none knows an item 'foo'; run `dvc repro`"),
        (
            ("report", "nosuch"),
            "there is no skill nosuch in corpus/skills; name another, or a skill's folder",
        ),
    ],
)
def test_what_is_not_there_is_told_in_one_sentence(
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text("corpus: corpus\n")
    Path("README.md").write_text("Somebody else's.\n")
    Path("mine").mkdir()
    Path("mine", "README.md").write_text("A card.\n")
    assert _run(monkeypatch, *arguments) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert said.startswith(f"error: {told}")
    assert said.count("\n") == 1
