"""A writable layer read on the host says the same as the engine, deletions and replaced folders included."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skill2env.sandbox.layer import (
    bytes_in,
    changes_in,
    fingerprint_of,
    kind_in,
    marks_in,
    untouched_in,
    writable_layer,
)
from skill2env.sandbox.protocol import TooMany

ROOT = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can make whiteouts and read an engine's folders"
)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "made.txt").write_text("x" * 5000)
    (tmp_path / "workspace" / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "workspace" / "pipe")
    return tmp_path


def test_kinds_that_the_layer_decides(layer: Path) -> None:
    assert kind_in(layer, "/workspace") == (True, "dir")
    assert kind_in(layer, "/workspace/made.txt") == (True, "file")
    assert kind_in(layer, "/workspace/link") == (True, "link")
    assert kind_in(layer, "/workspace/pipe") == (True, "other")


def test_what_it_does_not_mention_is_the_images(layer: Path) -> None:
    assert kind_in(layer, "/workspace/from-the-image") == (False, None)
    assert kind_in(layer, "/srv/data") == (False, None)


def test_nothing_is_below_a_file_or_a_link(layer: Path) -> None:
    assert kind_in(layer, "/workspace/made.txt/below") == (True, None)
    assert kind_in(layer, "/workspace/link/below") == (True, None)


@ROOT
def test_a_whiteout_is_a_deletion(layer: Path) -> None:
    os.mknod(layer / "workspace" / "gone", 0o020000, os.makedev(0, 0))
    assert kind_in(layer, "/workspace/gone") == (True, None)
    assert "/workspace/gone" in changes_in(layer)


def test_changes_and_bytes(layer: Path) -> None:
    assert changes_in(layer) == (
        "/workspace",
        "/workspace/link",
        "/workspace/made.txt",
        "/workspace/pipe",
    )
    assert 5000 <= bytes_in(layer) < 100_000


def test_too_many_entries_are_not_listed(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skill2env.sandbox.layer.MAX_ENTRIES", 3)
    with pytest.raises(TooMany):
        changes_in(layer)


def test_other_drivers_and_absent_folders_are_left_to_the_engine(tmp_path: Path) -> None:
    assert writable_layer({}) is None
    assert writable_layer({"GraphDriver": {"Name": "btrfs", "Data": {"UpperDir": str(tmp_path)}}}) is None
    assert writable_layer({"GraphDriver": {"Name": "overlay2", "Data": {"UpperDir": "/nonexistent"}}}) is None


def test_names_that_are_no_text_are_listed_as_the_engine_lists_them(layer: Path) -> None:
    os.close(os.open(os.fsencode(layer) + b"/odd\xff", os.O_CREAT | os.O_WRONLY))
    assert "/odd\ufffd" in changes_in(layer)


def test_a_path_that_is_too_long_is_too_much_and_no_crash(layer: Path) -> None:
    before = Path.cwd()
    os.chdir(layer)
    try:
        for _ in range(20):
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
    finally:
        os.chdir(before)
    for ask in (changes_in, bytes_in):
        with pytest.raises(TooMany, match="File name too long"):
            ask(layer)


def test_a_folder_that_becomes_a_file_while_it_is_read_is_passed_over(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def swapping(folder: Path) -> object:
        if folder == layer / "workspace":
            folder.rename(layer / "moved")
            folder.touch()
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", swapping)
    assert changes_in(layer) == ("/workspace",)


def test_what_the_layer_says_nothing_about_is_untouched(layer: Path) -> None:
    assert untouched_in(layer, "/srv/data")
    assert untouched_in(layer, "/workspace/from-the-image")
    assert not untouched_in(layer, "/workspace")
    assert not untouched_in(layer, "/workspace/made.txt")
    assert not untouched_in(layer, "/workspace/link/below")


@ROOT
def test_what_was_deleted_or_made_anew_is_touched(layer: Path) -> None:
    os.mknod(layer / "workspace" / "gone", stat.S_IFCHR, os.makedev(0, 0))
    anew = layer / "workspace" / "anew"
    anew.mkdir()
    os.setxattr(anew, "trusted.overlay.opaque", b"y")
    assert not untouched_in(layer, "/workspace/gone")
    assert not untouched_in(layer, "/workspace/gone/below")
    assert not untouched_in(layer, "/workspace/anew/below")


def test_the_fingerprint_changes_with_every_change(layer: Path) -> None:
    before = fingerprint_of(layer)
    assert fingerprint_of(layer) == before
    file = layer / "workspace" / "made.txt"
    file.write_bytes(b"y" * 5000)
    assert fingerprint_of(layer) != before
    before = fingerprint_of(layer)
    file.chmod(0o600)
    assert fingerprint_of(layer) != before


def test_marks_are_times_and_owners_of_files(layer: Path) -> None:
    os.utime(layer / "workspace" / "made.txt", (5, 5))
    marks = marks_in(layer)
    assert sorted(marks) == ["workspace/link", "workspace/made.txt"]
    assert marks["workspace/made.txt"] == f"5 {os.geteuid()}:{os.getegid()}"
