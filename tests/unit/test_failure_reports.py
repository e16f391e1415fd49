"""A failure reaches the reader whatever its text holds, though the tests run in several processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FAILS = "def test_one():\n    raise ValueError('not \\udcff a character')\ndef test_two(): pass\n"


def test_a_failure_about_undecodable_text_is_reported(tmp_path: Path) -> None:
    for name in ("conftest.py", "absent.py"):
        shutil.copy(TESTS / name, tmp_path)
    (tmp_path / "test_odd.py").write_text(FAILS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "2",
        "--rootdir",
        str(tmp_path),
        "-c",
        str(TESTS.parent / "pyproject.toml"),
    ]
    done = subprocess.run(
        [*command, "test_odd.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert r"not \udcff a character" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
