"""A place that can't be written for another reason than room: one sentence with what helps, and no traceback."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from skill2env.commands.new import _written
from skill2env.errors import ExitCode, WorkspaceError, remedy
from skill2env.linting import lint_all
from skill2env.llm.keys import Keys
from skill2env.llm.records import write_lines
from skill2env.models.tree import Tree
from skill2env.params import LlmParams
from skill2env.store import results
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace, write_text


def read_only(*_: Any, **__: Any) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.parametrize(
    ("code", "helps"),
    [
        (errno.EROFS, "make it a place that can be written"),
        (errno.EACCES, "make it yours to write"),
        (errno.ENOTDIR, "move away what stands in its place"),
        (errno.ENOENT, "make its folder"),
        (errno.ENOSPC, "free space"),
    ],
)
def test_what_helps_depends_on_why_it_failed(code: int, helps: str) -> None:
    assert remedy(OSError(code, os.strerror(code))) == helps


def test_no_room_is_asked_for_where_there_is_a_file_in_the_place_of_data(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    told = r"data/lock: can't be made \(File exists\); move away what stands in its place and run again"
    with pytest.raises(WorkspaceError, match=told), Workspace(tmp_path).locked():
        pass
    with pytest.raises(WorkspaceError, match=r"can't be written \(.*\); move away what stands in its place"):
        write_text(tmp_path / "data" / "a.json", "")


def test_a_store_that_cannot_be_opened_is_not_to_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sqlite").mkdir()
    with pytest.raises(WorkspaceError, match="make its folder yours to write") as told:
        ResultStore(tmp_path / "a.sqlite")
    assert "delete" not in str(told.value)
    (tmp_path / "b.sqlite").write_text("no database at all, not even nearly")
    with pytest.raises(WorkspaceError, match="it is damaged, so delete it to start anew"):
        ResultStore(tmp_path / "b.sqlite")
    monkeypatch.setattr(results.sqlite3, "connect", read_only)
    with pytest.raises(WorkspaceError, match="make it a place that can be written and run again"):
        ResultStore(tmp_path / "c.sqlite")


def test_a_store_that_became_read_only_is_not_to_be_deleted(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "a.sqlite")
    store._db.close()
    store._db = sqlite3.connect(f"file:{tmp_path}/a.sqlite?mode=ro", uri=True)
    with pytest.raises(WorkspaceError, match="make its folder yours to write"):
        store.put("key", "kind", "item", "{}")
    store.close()


def test_records_for_a_place_that_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "unlink", read_only)
    told = r"a\.jsonl: can't be written .*make its folder or name another file"
    with pytest.raises(WorkspaceError, match=told):
        write_lines(tmp_path / "none" / "a.jsonl", (), Keys(LlmParams(), {}))


def test_a_skill_that_cannot_be_mended_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "foo").mkdir()
    (tmp_path / "foo" / "SKILL.md").write_bytes(
        b"---\r\nname: foo\r\ndescription: Looks.\r\n---\r\nLook.\r\n"
    )
    monkeypatch.setattr(os, "replace", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(WorkspaceError, match=r"SKILL\.md: can't be written .*make it a place that can be"):
        list(lint_all(tmp_path, fix=True))


def test_a_skeleton_for_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="move away what stands in its place and run again") as told:
        _written(Tree(()), tmp_path / "file" / "foo")
    assert told.value.exit_code == ExitCode.WORKSPACE
