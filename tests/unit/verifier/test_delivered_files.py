"""Reading what a program left, while something may still be changing it."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from skill2env.verifier import children, left_behind


def test_a_folder_swapped_for_a_link_is_never_followed(tmp_path: Path) -> None:
    secret, scratch = tmp_path / "secret", tmp_path / "scratch"
    (secret / "deep").mkdir(parents=True)
    (secret / "deep/file").write_text("the truth")
    (scratch / "real/deep").mkdir(parents=True)
    (scratch / "real/deep/file").write_text("harmless")
    (scratch / "link").symlink_to(secret)
    done = threading.Event()

    def swap() -> None:
        real, link, spare = (scratch / name for name in ("real", "link", "spare"))
        while not done.is_set():
            for one, other in ((real, spare), (link, real), (spare, link)):
                one.rename(other)
            for one, other in ((real, spare), (link, real), (spare, link)):
                one.rename(other)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        found = [content for _ in range(300) for content in left_behind.files_left(scratch).values()]
    finally:
        done.set()
        thread.join()
    assert set(found) <= {b"harmless"}
    assert found


def test_emptying_a_folder_goes_to_any_depth(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Should it fail, pytest's own clearing up must not meet what is left."""
    request.addfinalizer(lambda: subprocess.run(["rm", "-rf", str(tmp_path)], check=True))
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    (tmp_path / "outside").symlink_to("/etc")
    os.mkfifo(tmp_path / "fifo")
    assert children.empty(tmp_path)
    assert Path("/etc/passwd").exists()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_empty(tmp_path: Path) -> None:
    assert children.empty(tmp_path)


@pytest.mark.parametrize("name", ["report.json", "a/b/c"])
def test_files_are_named_by_their_paths(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"\0x")
    assert left_behind.files_left(tmp_path) == {name: b"\0x"}
