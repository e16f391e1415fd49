"""A failure reaches the reader whatever it is about, though the tests run in several processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
NOTHING = "import pytest\n@pytest.mark.parametrize('one', [])\ndef test_each(one): assert one\ndef test_two(): pass\n"
FAILS = "def test_one():\n    raise ValueError('not \\udcff a character')\ndef test_two(): pass\n"


def run(folder: Path, text: str) -> str:
    """Return what two processes print that run a text as tests with this project's settings."""
    for name in ("conftest.py", "absent.py"):
        shutil.copy(TESTS / name, folder)
    (folder / "test_odd.py").write_text(text)
    settings = ["--rootdir", str(folder), "-c", str(TESTS.parent / "pyproject.toml")]
    command = [sys.executable, "-m", "pytest", "-n", "2", *settings, "test_odd.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_a_failure_about_undecodable_text_is_reported(tmp_path: Path) -> None:
    told = run(tmp_path, FAILS)
    assert r"not \udcff a character" in told
    assert "1 failed, 1 passed" in told


def test_a_test_over_an_empty_list_is_no_success(tmp_path: Path) -> None:
    told = run(tmp_path, NOTHING)
    assert "Empty parameter set in 'test_each'" in told
    assert "passed" not in told
