"""Makes `.venv-reference/` beside the project's own environment, with the reference validator."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / ".venv-reference"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "requirements-sha256"
REQUIREMENTS = HERE / "requirements.txt"


def set_up() -> bool:
    """Make the environment if it is missing or made from other requirements; return whether it is there."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return True
    print(f"making {FOLDER.name}", file=sys.stderr)
    pip = (str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--require-hashes")
    made = subprocess.run((sys.executable, "-m", "venv", "--clear", str(FOLDER)), check=False)
    if made.returncode or subprocess.run((*pip, "-r", str(REQUIREMENTS)), check=False).returncode:
        return False
    STAMP.write_text(wanted)
    return True
