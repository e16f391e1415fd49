"""Trees of files, their one archive, and their content ids."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill2env.models.tree import (
    BadTree,
    Node,
    Tree,
    below,
    checked_path,
    merged,
    pack,
    pack_gz,
    placed,
    text_file,
    tree_id,
    unpack,
)

PARTS = st.text(
    st.characters(categories=["L", "N"], include_characters="._-@+ "), min_size=1, max_size=30
).filter(lambda part: part not in (".", "..") and part.isprintable())
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
MODES = st.integers(0, 0o777)
FILES = st.builds(Node, st.just("file"), st.binary(max_size=300), MODES)
LINKS = st.builds(Node, st.just("link"), PATHS.map(str.encode), st.just(0o777))
FOLDERS = st.builds(Node, st.just("dir"), st.just(b""), MODES)
TREES = st.dictionaries(PATHS, st.one_of(FILES, LINKS, FOLDERS), max_size=8)


@settings(deadline=None)
@given(TREES)
def test_a_tree_survives_its_archive(tree: Tree) -> None:
    assert unpack(pack(tree)) == tree
    assert unpack(pack_gz(tree)) == tree
    assert tree_id(unpack(pack(tree))) == tree_id(tree)


@settings(deadline=None)
@given(TREES)
def test_order_does_not_matter(tree: Tree) -> None:
    backwards = dict(reversed(tree.items()))
    assert pack(backwards) == pack(tree)
    assert pack_gz(backwards) == pack_gz(tree)
    assert tree_id(backwards) == tree_id(tree)


@settings(deadline=None)
@given(TREES, TREES)
def test_different_trees_have_different_ids(one: Tree, other: Tree) -> None:
    assert (tree_id(one) == tree_id(other)) == (one == other)


def test_an_id_is_what_it_is_said_to_be() -> None:
    """sha256 over `path NUL kind NUL mode NUL sha256 LF` in the order of paths."""
    assert tree_id({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (
        tree_id({"a": text_file("x")}) == "d242754f4c51c2320092566f4ba0e0ec822d7bc4fa243bc0acc7d1d263c4423e"
    )


def test_parts_and_places() -> None:
    tree = {"a/b": text_file("1"), "a/c/d": text_file("2"), "ab": text_file("3")}
    assert set(below(tree, "a")) == {"b", "c/d"}
    assert placed(below(tree, "a"), "a") == {path: tree[path] for path in ("a/b", "a/c/d")}
    assert merged(({"x": text_file("1")}, {"x": text_file("2")}))["x"].data == b"2"


@pytest.mark.parametrize(
    "name", ["/a", "../a", "a/../b", "a/..", "a\nb", "a\x00b", "a\x1bb", "..", "a/\u202e"]
)
def test_odd_paths_are_refused(name: str) -> None:
    with pytest.raises(BadTree, match="absolute, climbs out, or holds control characters"):
        checked_path(name)


@pytest.mark.parametrize(
    ("name", "plain"), [("./a", "a"), ("a//b", "a/b"), ("a/./b/", "a/b"), (".", ""), ("", "")]
)
def test_paths_are_made_plain(name: str, plain: str) -> None:
    assert checked_path(name) == plain


def _tar(*infos: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for info in infos:
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    return buffer.getvalue()


def _info(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_other_kinds_are_refused(kind: bytes) -> None:
    with pytest.raises(BadTree, match="no file, folder or symbolic link"):
        unpack(_tar(_info("a", kind)))


def test_bounds() -> None:
    with pytest.raises(BadTree, match="more than 0 MB or 2 entries"):
        unpack(_tar(*(_info(str(i)) for i in range(3))), max_bytes=100, max_entries=2)
    with pytest.raises(BadTree, match="more than 0 MB"):
        unpack(_tar(_info("a", size=60), _info("b", size=60)), max_bytes=100)


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=2000),
    TREES,
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=5),
    st.sampled_from([bytes, gzip.compress, bz2.compress, lzma.compress]),
)
def test_no_bytes_do_anything_but_be_refused(
    noise: bytes, tree: Tree, changes: list[tuple[int, int]], squeeze: object
) -> None:
    data = bytearray(pack(tree))
    for at, byte in changes:
        if at < len(data):
            data[at] = byte
    for start in range(0, min(len(data), 8192) - 511, 512):
        block = bytes(data[start : start + 512])
        if block.strip(b"\0"):
            data[start + 148 : start + 156] = b"%06o\0 " % tarfile.calc_chksums(block)[0]
    squeezed = bytearray(squeeze(bytes(data)))  # type: ignore[operator]
    for candidate in (noise, bytes(data), bytes(squeezed), bytes(squeezed[: len(squeezed) // 2])):
        try:
            found = unpack(candidate, max_bytes=10_000, max_entries=50)
        except BadTree:
            continue
        assert all(not path.startswith("/") and ".." not in path.split("/") for path in found)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_extensions_that_the_standard_library_searches_in_quadratic_time_are_refused_soon(
    kind: bytes,
) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, 100_000
    data = info.tobuf(tarfile.USTAR_FORMAT) + b"1" * info.size + bytes(-info.size % 512)
    began = time.monotonic()
    with pytest.raises(BadTree, match="an extension has 100000 bytes"):
        unpack(data + tarfile.TarInfo("f").tobuf() + bytes(1024))
    assert time.monotonic() - began < 2


def test_the_commit_that_git_archive_tells_is_passed_over() -> None:
    info = tarfile.TarInfo("pax_global_header")
    info.type, info.size = tarfile.XGLTYPE, 52
    told = info.tobuf(tarfile.USTAR_FORMAT) + b"52 comment=" + b"0" * 40 + b"\n" + bytes(512 - 52)
    assert list(unpack(told + tarfile.TarInfo("f").tobuf() + bytes(1024))) == ["f"]
