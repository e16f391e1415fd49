"""The collector against archives that hypothesis makes: refused, or exactly what the archive has, and never anything else.

Headers are laid out byte by byte here, since `tarfile` would not write most of them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skill2env.trial import collect as module
from skill2env.trial.collect import Collected, Refused, read_archive

OUTPUT = "/workspace/out"
LIMIT_SEC = 5.0
"""Far more than any of these small archives takes; what is quadratic takes minutes."""
KINDS = b"\x000123456ASLKxgXVDMNZ\xff"
END = bytes(1024)


@dataclass(frozen=True)
class Member:
    """A header and what follows it; each field may be a lie."""

    name: bytes
    kind: int = ord("0")
    data: bytes = b""
    size: int | None = None
    mode: int = 0o644
    link: bytes = b""
    prefix: bytes = b""

    def encoded(self) -> bytes:
        size = len(self.data) if self.size is None else self.size
        header = bytearray(512)
        header[0:100] = self.name[:100].ljust(100, b"\0")
        header[100:108] = b"%07o\0" % self.mode
        header[108:124] = b"0000000\0" * 2
        header[124:136] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)
        header[136:148] = b"%011o\0" % 0
        header[156:157] = bytes([self.kind])
        header[157:257] = self.link[:100].ljust(100, b"\0")
        header[257:265] = b"ustar\x0000"
        header[345:500] = self.prefix[:155].ljust(155, b"\0")
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        return bytes(header) + self.data + bytes(-len(self.data) % 512)


def record(key: bytes, value: bytes, lie: int = 0) -> bytes:
    """Return one record of a PAX extension, whose length is off by `lie`."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % (length + lie) + rest


NAMES = st.one_of(
    st.sampled_from([b"out", b"out/", b"out/a", b"out/a/b", b"out/a/b/c", b"out/c"]),
    st.sampled_from(
        [
            b"",
            b"/",
            b".",
            b"..",
            b"out/..",
            b"out/../../x",
            b"../out/x",
            b"/etc/passwd",
            b"/out",
            b"out//a",
            b"./out",
            b"out/a\nb",
            b"out/a\0b",
            b"out/\xff\xfe",
            b"out/\xed\xa0\x80",
            b"out/\x1b[2J",
            "out/\u202e".encode(),
            b"outer/x",
            b"out/" + b"n" * 90,
            b"out/" + b"d/" * 40,
            b"out\\a",
            b"out/C:",
        ]
    ),
    st.binary(max_size=30).map(lambda tail: b"out/" + tail),
    st.text(max_size=12).map(lambda tail: b"out/" + tail.encode("utf-8", "surrogatepass")),
)
SIZES = st.one_of(
    st.none(),
    st.none(),
    st.none(),
    st.sampled_from([-1, -512, -4096, 0, 1, 511, 513, 1 << 20, 1 << 24, (1 << 24) + 1, 1 << 40, 1 << 62]),
)
RECORDS = st.one_of(
    st.builds(record, st.just(b"path"), NAMES),
    st.builds(record, st.sampled_from([b"path", b"linkpath", b"mtime", b"uname"]), st.binary(max_size=40)),
    st.builds(
        record, st.just(b"size"), st.sampled_from([b"0", b"5", b"-1", b"1e3", b"9" * 25, b"", b"\xd9\xa1"])
    ),
    st.builds(
        record,
        st.sampled_from([b"GNU.sparse.major", b"GNU.sparse.map", b"GNU.sparse.name", b"GNU.sparse.realsize"]),
        st.sampled_from([b"1", b"0", b"0,10,20", b"x"]),
    ),
    st.builds(record, st.just(b"hdrcharset"), st.sampled_from([b"BINARY", b"utf-16", b"no-such"])),
    st.builds(record, st.just(b"path"), NAMES, st.sampled_from([-3, -1, 1, 900])),
    st.binary(max_size=40),
)
EXTENSIONS = st.one_of(
    st.builds(
        lambda parts, kind: Member(b"PaxHeaders/x", kind, b"".join(parts)).encoded(),
        st.lists(RECORDS, max_size=3),
        st.sampled_from([ord("x"), ord("x"), ord("x"), ord("g"), ord("X")]),
    ),
    st.builds(
        lambda name, kind: Member(b"././@LongLink", kind, name + b"\0").encoded(),
        NAMES,
        st.sampled_from([ord("L"), ord("L"), ord("K")]),
    ),
)
MEMBERS = st.one_of(
    st.builds(lambda name, data: Member(name, data=data).encoded(), NAMES, st.binary(max_size=1200)),
    st.builds(lambda name: Member(name, ord("5")).encoded(), NAMES),
    st.builds(
        lambda *fields: Member(*fields).encoded(),
        NAMES,
        st.sampled_from(KINDS),
        st.binary(max_size=600),
        SIZES,
        st.integers(0, 0o7777777),
        NAMES,
        st.one_of(st.just(b""), NAMES),
    ),
)


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """Members with lies in them, and then some bits flipped, some bytes cut off, or the whole compressed."""
    parts = draw(st.lists(st.one_of(MEMBERS, MEMBERS, MEMBERS, EXTENSIONS), max_size=6))
    data = bytearray(b"".join(parts) + draw(st.sampled_from([END, END, END, END, b"", bytes(512)])))
    for bit in (
        draw(st.lists(st.integers(0, 8 * max(len(data), 1) - 1), max_size=3)) if draw(st.booleans()) else ()
    ):
        if bit // 8 < len(data):
            data[bit // 8] ^= 1 << bit % 8
    if draw(st.integers(0, 7)) == 0:
        data = data[: draw(st.integers(0, len(data)))]
    return gzip.compress(bytes(data)) if draw(st.integers(0, 19)) == 0 else bytes(data)


def chunked(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def read(data: bytes, size: int, folder: Path) -> Collected | None:
    """Return what was collected, or None where it was refused; any other exception is the test's failure."""
    result = Collected(folder / "root")
    began = time.monotonic()
    try:
        read_archive(chunked(data, size), OUTPUT, result)
    except Refused:
        return None
    finally:
        assert time.monotonic() - began < LIMIT_SEC
    return result


def on_disk(root: Path) -> dict[str, str]:
    """Return what lies below a folder, in the collector's own words; only plain files and folders may."""
    found = {}
    for place, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(place, name)
            state = path.lstat()
            assert stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode), path
            assert stat.S_ISDIR(state.st_mode) or state.st_nlink == 1, path
            mode = f"{stat.S_IMODE(state.st_mode):o}"
            assert mode in ("644", "755"), path
            content = "" if path.is_dir() else f" {hashlib.sha256(path.read_bytes()).hexdigest()}"
            found[str(path.relative_to(root))] = mode + content
    return found


def as_tarfile_reads_it(data: bytes) -> dict[str, str | None]:
    """Return path to hash of content, or to None for a folder, by the standard library."""
    found: dict[str, str | None] = {}
    with tarfile.open(
        fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() else None
            content = hashlib.sha256(file.read()).hexdigest() if file else None
            found["workspace/" + member.name.rstrip("/")] = content
    return found


@settings(max_examples=600, deadline=None)
@given(st.one_of(archives(), archives(), archives(), st.binary(max_size=2000)), st.integers(1, 3000))
@example(Member(b"out", ord("2"), link=b"/etc/passwd").encoded() + END, 512)
@example(Member(b"out/a", ord("1"), link=b"out/b").encoded() + END, 512)
@example(Member(b"out/../../x", data=b"x").encoded() + END, 512)
@example(Member(b"out/../../../outside", data=b"x").encoded() + END, 512)
@example(Member(b"out", size=-512).encoded() + END, 512)
@example(Member(b"out", ord("5"), b"hidden").encoded() + END, 512)
def test_any_bytes_are_refused_or_are_exactly_what_is_written(data: bytes, size: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = read(data, size, folder)
        written = on_disk(folder / "root")
        assert [path.name for path in folder.iterdir()] in ([], ["root"])
        assert all(path.split("/")[:2] in (["workspace"], ["workspace", "out"]) for path in written)
        if result is None:
            return
        assert result.files.items() <= written.items()
        implied = set(written) - set(result.files)
        assert all(any(path.startswith(f"{parent}/") for path in result.files) for parent in implied)
        known = as_tarfile_reads_it(data)
        assert set(result.files) == set(known)
        for path, content in known.items():
            assert result.files[path].partition(" ")[2] == (content or "")
        again = Collected(folder / "again")
        read_archive(chunked(data, 700), OUTPUT, again)
        assert again.files == result.files


TREES = st.dictionaries(
    st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_characters="/", exclude_categories=("C", "Z")),
            min_size=1,
            max_size=50,
        ).filter(lambda part: part not in (".", "..") and len(part.encode()) <= 255),
        min_size=1,
        max_size=4,
    ).map("/".join),
    st.tuples(st.binary(max_size=2000), st.sampled_from([0o644, 0o755, 0o600, 0o4755, 0])),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(TREES, st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]), st.integers(1, 5000))
def test_every_honest_archive_is_collected_whole(
    tree: dict[str, tuple[bytes, int]], form: int, size: int
) -> None:
    tree = {
        path: file for path, file in tree.items() if not any(other.startswith(f"{path}/") for other in tree)
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        top = tarfile.TarInfo("out")
        top.type = tarfile.DIRTYPE
        archive.addfile(top)
        for path, (data, mode) in tree.items():
            info = tarfile.TarInfo(f"out/{path}")
            info.size, info.mode, info.mtime = len(data), mode, 1.5
            archive.addfile(info, io.BytesIO(data))
    with tempfile.TemporaryDirectory() as name:
        result = read(buffer.getvalue(), size, Path(name))
        assert result is not None
        assert result.files == {
            "workspace/out": "755",
            **{
                f"workspace/out/{path}": f"{0o755 if mode & 0o100 else 0o644:o} {hashlib.sha256(data).hexdigest()}"
                for path, (data, mode) in tree.items()
            },
        }
        assert result.files.items() <= on_disk(Path(name) / "root").items()


CAPPED = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 700)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(CAPPED)
def test_what_is_written_keeps_the_caps(members: list[tuple[str, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as name:
        patch.setattr(module, "MAX_FILE_BYTES", 500)
        patch.setattr(module, "MAX_TOTAL_BYTES", 1000)
        patch.setattr(module, "MAX_ENTRIES", 4)
        data = b"".join(Member(b"out/" + path.encode(), data=bytes(size)).encoded() for path, size in members)
        result = read(data + END, 512, Path(name))
        files = [path for path in (Path(name) / "root").rglob("*") if path.is_file()]
        sizes = [size for _, size in members]
        assert sum(path.stat().st_size for path in files) <= 1000
        assert max((path.stat().st_size for path in files), default=0) <= 500
        assert len(files) <= 4
        within = max(sizes, default=0) <= 500 and sum(sizes) <= 1000 and len(sizes) <= 4
        assert (result is not None) == (within and len({path for path, _ in members}) == len(members))


SLOW = {
    "digits, in which the standard library looks for a record in quadratic time (CVE-2024-6232)": (
        Member(b"x", ord("x"), b"1" * 400_000).encoded()
    ),
    "thousands of extensions, one after the other": Member(
        b"x", ord("x"), record(b"path", b"out/a")
    ).encoded()
    * 5000,
    "a sparse file whose map has a million numbers": (
        Member(
            b"x", ord("x"), record(b"GNU.sparse.major", b"1") + record(b"GNU.sparse.minor", b"0")
        ).encoded()
        + Member(b"out", data=b"1000000\n" + b"1\n" * 2_000_000).encoded()
    ),
    "an extension of many records": Member(b"x", ord("x"), record(b"path", b"out") * 200_000).encoded(),
    "two thousand entries, each with the longest extension": (
        Member(b"x", ord("x"), record(b"comment", b"1" * 16_000)).encoded() + Member(b"out/a").encoded()
    )
    * 2000,
}


@pytest.mark.parametrize("what", SLOW)
def test_what_would_take_long_is_refused_soon(what: str, tmp_path: Path) -> None:
    assert read(SLOW[what] + END, 1 << 16, tmp_path) is None


def test_folders_have_plain_modes_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        result = read(Member(b"out", ord("5")).encoded() + Member(b"out/a").encoded() + END, 512, tmp_path)
    finally:
        os.umask(before)
    assert result is not None
    modes = {path: oct((result.root / path).stat().st_mode & 0o7777) for path in result.files}
    assert modes == {"workspace/out": "0o755", "workspace/out/a": "0o644"}


@pytest.mark.parametrize("missing", range(1, 1024, 93))
def test_an_archive_without_its_end_is_refused(missing: int, tmp_path: Path) -> None:
    data = Member(b"out", data=b"x" * 100).encoded()
    assert read(data[: len(data) - missing], 100, tmp_path) is None
