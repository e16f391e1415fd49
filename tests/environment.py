"""Makes environments beside the project's own, for tools that its lock should not hold."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python_of(name: str, requirements: Path) -> Path | None:
    """Return the Python of `.venv-<name>/`, made anew where its requirements changed; None where it can't be made."""
    folder = ROOT / f".venv-{name}"
    python, stamp = folder / "bin" / "python", folder / "requirements-sha256"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"making {folder.name}", file=sys.stderr)
    pip = (str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--require-hashes")
    made = subprocess.run((sys.executable, "-m", "venv", "--clear", str(folder)), check=False)
    if made.returncode or subprocess.run((*pip, "-r", str(requirements)), check=False).returncode:
        return None
    stamp.write_text(wanted)
    return python
