"""What several modules need stands in one of them."""

from __future__ import annotations

import re
from pathlib import Path

from skill2env.pipeline import STAGES

PACKAGE = Path(__file__).resolve().parents[2] / "skill2env"


def holding(pattern: str, folder: str = ".") -> list[str]:
    """Return the modules of a folder whose text has a pattern."""
    found = (
        path for path in sorted((PACKAGE / folder).rglob("*.py")) if re.search(pattern, path.read_text())
    )
    return [path.relative_to(PACKAGE).as_posix() for path in found]


def test_the_names_of_the_stages() -> None:
    names = ", ".join(f'"{name}"' for name in STAGES)
    assert holding(re.escape(f"({names})")) == ["stages/__init__.py"]


def test_the_options_that_commands_share() -> None:
    assert holding(r'"--(workspace|json)"', "commands") == ["commands/common.py"]


def test_the_exit_codes() -> None:
    assert holding(r"Exit\(\d|exit_code = \d", ".") == []
