"""A file that is read in a container's layer is the file that was meant, and nothing outside the layer is ever opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skill2env.models.tree import Node, unpack
from skill2env.sandbox.layer_file import archive_of, file_in


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    layer = tmp_path / "layer"
    (layer / "workspace" / "deep").mkdir(parents=True)
    (layer / "workspace" / "deep" / "made.txt").write_bytes(b"x" * 70_000)
    (tmp_path / "secret").write_text("of the host")
    return layer


def read(layer: Path, path: str) -> dict[str, Node] | None:
    handle = file_in(layer, path)
    return None if handle is None else unpack(b"".join(archive_of(handle, Path(path).name)))


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 70_000])
def test_a_file_comes_as_an_archive_of_one(layer: Path, size: int) -> None:
    made = layer / "workspace" / "deep" / "run.sh"
    made.write_bytes(b"y" * size)
    made.chmod(0o755)
    assert read(layer, "/workspace/deep/run.sh") == {"run.sh": Node("file", b"y" * size, 0o755)}


def test_a_long_name_that_is_not_ascii_is_kept(layer: Path) -> None:
    name = "ü" * 120
    (layer / name).write_text("z")
    assert read(layer, f"/{name}") == {name: Node("file", b"z", 0o644)}


def test_no_link_is_followed(layer: Path) -> None:
    (layer / "workspace" / "last").symlink_to("../../secret")
    (layer / "workspace" / "way").symlink_to("../..")
    assert read(layer, "/workspace/last") is None
    assert read(layer, "/workspace/way/secret") is None


def test_no_way_leads_out_of_the_layer(layer: Path) -> None:
    assert read(layer, "/../secret") is None
    assert read(layer, "/workspace/../../secret") is None
    assert read(layer, "/") is None


def test_what_is_no_file_is_left_to_the_engine(layer: Path) -> None:
    os.mkfifo(layer / "workspace" / "pipe")
    assert [read(layer, f"/workspace/{name}") for name in ("pipe", "deep", "absent", "deep/made.txt/x")] == [
        None
    ] * 4
    assert read(layer.parent / "gone", "/workspace") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write what the overlay driver notes")
def test_a_file_whose_bytes_lie_in_the_image_is_left_to_the_engine(layer: Path) -> None:
    made = layer / "workspace" / "deep" / "made.txt"
    assert read(layer, "/workspace/deep/made.txt")
    os.setxattr(made, "trusted.overlay.metacopy", b"")
    assert read(layer, "/workspace/deep/made.txt") is None


def test_a_file_that_becomes_shorter_breaks_the_archive_off(layer: Path) -> None:
    made = layer / "workspace" / "deep" / "made.txt"
    handle = file_in(layer, "/workspace/deep/made.txt")
    assert handle is not None
    pieces = archive_of(handle, "made.txt")
    first = [next(pieces), next(pieces)]
    made.write_bytes(b"")
    assert sum(map(len, [*first, *pieces])) == 512 + (1 << 16)


def test_a_file_that_grows_is_read_to_where_it_ended(layer: Path) -> None:
    made = layer / "workspace" / "deep" / "made.txt"
    handle = file_in(layer, "/workspace/deep/made.txt")
    assert handle is not None
    pieces = archive_of(handle, "made.txt")
    header = next(pieces)
    made.write_bytes(b"x" * 200_000)
    assert len(unpack(header + b"".join(pieces))["made.txt"].data) == 70_000


def test_nothing_stays_open(layer: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for path in ("/workspace/deep/made.txt", "/workspace/deep", "/workspace/absent/x", "/workspace"):
        read(layer, path)
    assert len(os.listdir("/proc/self/fd")) == before
