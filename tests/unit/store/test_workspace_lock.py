"""One run at a time in a workspace; a run that is dead keeps nobody out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skill2env.errors import WorkspaceError
from skill2env.store.workspace import Workspace

HOLDS = """
import sys
from pathlib import Path
from skill2env.store.workspace import Workspace
with Workspace(Path(sys.argv[1])).locked():
    print("in", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_is_told_who_is_in_and_a_dead_one_is_not_in(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout and process.stdout.readline() == b"in\n"
        told = rf"the workspace is in use by another run \(process {process.pid}\); wait"
        with pytest.raises(WorkspaceError, match=told), Workspace(tmp_path).locked():
            pass
    finally:
        process.kill()
        process.wait()
    with Workspace(tmp_path).locked():
        assert (tmp_path / "data/lock").read_text() == f"{os.getpid()}\n"
    with Workspace(tmp_path).locked():
        pass


def test_two_workspaces_do_not_disturb_each_other(tmp_path: Path) -> None:
    with Workspace(tmp_path / "a").locked(), Workspace(tmp_path / "b").locked():
        pass


def test_a_workspace_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with pytest.raises(WorkspaceError, match="lock: can't be made"), Workspace(tmp_path).locked():
        pass
