"""The collector against archives made by hand: whatever the bytes, it refuses or writes below its root, and nothing else."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill2env.models.tree import tree_id
from skill2env.trial import collect as module
from skill2env.trial.collect import Collected, Refused, read_archive

OUTPUT = "/workspace/out"


def chunked(data: bytes, size: int = 1000) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def entry(name: str, data: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def tar(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form, errors="surrogateescape") as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data) if data else None)
    return buffer.getvalue()


def collected(data: bytes, folder: Path, output: str = OUTPUT) -> Collected:
    result = Collected(folder / "root")
    read_archive(chunked(data), output, result)
    return result


def test_files_and_folders_are_written_with_plain_modes(tmp_path: Path) -> None:
    result = collected(
        tar(
            entry("out", type=tarfile.DIRTYPE, mode=0o7777),
            entry("out/a", b"one", mode=0o4755),
            entry("out/b/c", b"two", mode=0o600),
        ),
        tmp_path,
    )
    root = tmp_path / "root/workspace/out"
    assert (root / "a").read_bytes() == b"one"
    assert oct((root / "a").stat().st_mode & 0o7777) == "0o755"
    assert oct((root / "b/c").stat().st_mode & 0o7777) == "0o644"
    assert sorted(result.files) == ["workspace/out", "workspace/out/a", "workspace/out/b/c"]
    assert result.files["workspace/out/a"] == (
        "755 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    )


def test_the_content_id_depends_on_content_and_mode_alone(tmp_path: Path) -> None:
    def of(name: str, data: bytes, mode: int) -> str:
        return tree_id(collected(tar(entry("out", data, mode=mode, mtime=len(name))), tmp_path / name).tree())

    assert of("1", b"x", 0o644) == of("22", b"x", 0o600)
    assert len({of("3", b"x", 0o644), of("4", b"y", 0o644), of("5", b"x", 0o755)}) == 3


@pytest.mark.parametrize(
    ("what", "entries"),
    [
        ("no regular file", [entry("out", type=tarfile.SYMTYPE, linkname="/etc/passwd")]),
        ("no regular file", [entry("out", type=tarfile.LNKTYPE, linkname="out2")]),
        ("no regular file", [entry("out", type=tarfile.CHRTYPE)]),
        ("no regular file", [entry("out", type=tarfile.BLKTYPE)]),
        ("no regular file", [entry("out", type=tarfile.FIFOTYPE)]),
        ("no regular file", [entry("out", type=tarfile.CONTTYPE)]),
        ("no regular file", [entry("out", type=b"Z")]),
        ("not allowed", [entry("out/../../x", b"x")]),
        ("not allowed", [entry("/out", b"x")]),
        ("not allowed", [entry("out//x", b"x")]),
        ("not allowed", [entry("out/./x", b"x")]),
        ("not allowed", [entry("out/a\nb", b"x")]),
        ("not allowed", [entry("out/\udcff", b"x")]),
        ("not allowed", [entry("out/\u202e", b"x")]),
        ("not allowed", [entry("out/" + "n" * 256, b"x")]),
        ("not below", [entry("other", b"x")]),
        ("not below", [entry("outer/x", b"x")]),
        ("folders deep", [entry("out/" + "d/" * 40 + "f", b"x")]),
        ("more than 1024 bytes", [entry("out/" + ("d" * 200 + "/") * 6 + "f", b"x")]),
        ("stands twice", [entry("out", b"x"), entry("out", b"y")]),
        ("stands twice", [entry("out", b"x"), entry("out/y", b"y")]),
        ("stands twice", [entry("out", type=tarfile.DIRTYPE), entry("out", b"y")]),
    ],
)
def test_what_is_refused(tmp_path: Path, what: str, entries: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    with pytest.raises(Refused, match=what):
        collected(tar(*entries), tmp_path)


def test_a_link_on_the_way_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "root/workspace").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "root/workspace/out").symlink_to(tmp_path / "outside/file")
    with pytest.raises(Refused):
        collected(tar(entry("out", b"x")), tmp_path)
    assert list((tmp_path / "outside").iterdir()) == []


def test_limits_on_bytes_and_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 100)
    monkeypatch.setattr(module, "MAX_TOTAL_BYTES", 250)
    monkeypatch.setattr(module, "MAX_ENTRIES", 5)
    with pytest.raises(Refused, match="101 bytes, more than 100"):
        collected(tar(entry("out", bytes(101))), tmp_path / "1")
    with pytest.raises(Refused, match="more than 250 bytes"):
        collected(tar(*(entry(f"out/{i}", bytes(90)) for i in range(3))), tmp_path / "2")
    with pytest.raises(Refused, match="more than 5 entries"):
        collected(tar(*(entry(f"out/{i}") for i in range(6))), tmp_path / "3")
    assert len(collected(tar(*(entry(f"out/{i}", bytes(50)) for i in range(5))), tmp_path / "4").files) == 5


def test_a_header_that_promises_a_terabyte_is_refused_before_it_comes(tmp_path: Path) -> None:
    info = tarfile.TarInfo("out")
    info.size = 1 << 40
    asked = []

    def chunks() -> Iterator[bytes]:
        yield info.tobuf(tarfile.GNU_FORMAT)
        for _ in range(1000):
            asked.append(1)
            yield bytes(1 << 16)

    with pytest.raises(Refused, match="1099511627776 bytes"):
        read_archive(chunks(), OUTPUT, Collected(tmp_path))
    assert len(asked) < 3


def test_a_negative_size_buys_no_room(tmp_path: Path) -> None:
    info = tarfile.TarInfo("out")
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = tarfile.itn(-4096, 12, tarfile.GNU_FORMAT)
    header[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(header))[0]
    with pytest.raises(Refused):
        read_archive(chunked(bytes(header) + bytes(2048)), OUTPUT, Collected(tmp_path))


def test_an_extension_that_promises_a_gigabyte_is_refused_before_it_comes(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    asked = []

    def chunks() -> Iterator[bytes]:
        yield info.tobuf(tarfile.PAX_FORMAT)
        while True:
            asked.append(1)
            yield b"20 path=aaaaaaaaaaa\n" * 100

    with pytest.raises(Refused, match="an extension has 1073741824 bytes"):
        read_archive(chunks(), OUTPUT, Collected(tmp_path))
    assert len(asked) < 3


def test_more_bytes_than_the_entries_may_have_are_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_TOTAL_BYTES", 1 << 16)
    monkeypatch.setattr(module, "MAX_ENTRIES", 10)
    data = tar(*(entry("out/" + "n" * 200 + f"/{number}", type=tarfile.DIRTYPE) for number in range(200)))
    with pytest.raises(Refused, match="archive has more than"):
        read_archive(iter([data[: 512 * 3], bytes(1 << 20)]), OUTPUT, Collected(tmp_path))


def test_seconds_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", -1)
    with pytest.raises(Refused, match="took more than"):
        collected(tar(entry("out", b"x")), tmp_path)


NAMES = st.one_of(
    st.sampled_from(["out", "out/a", "out/a/b", "../x", "/etc/x", "out/../../x", "", ".", "out/", "out/\n"]),
    st.text(max_size=40).map(lambda text: f"out/{text}"),
)
TYPES = st.sampled_from(
    [
        tarfile.REGTYPE,
        tarfile.AREGTYPE,
        tarfile.DIRTYPE,
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.FIFOTYPE,
        tarfile.CHRTYPE,
        tarfile.GNUTYPE_SPARSE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        b"V",
        b"\xff",
    ]
)
HEADERS = st.dictionaries(
    st.sampled_from(
        [
            "path",
            "size",
            "linkpath",
            "GNU.sparse.map",
            "GNU.sparse.size",
            "GNU.sparse.major",
            "GNU.sparse.minor",
            "GNU.sparse.realsize",
            "GNU.sparse.name",
            "hdrcharset",
            "mtime",
        ]
    ),
    st.text(max_size=20),
    max_size=4,
)


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """Well-formed tars of odd entries, and then some bytes changed."""
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer, mode="w", format=draw(st.sampled_from([0, 1, 2])), errors="replace"
    ) as archive:
        for _ in range(draw(st.integers(0, 4))):
            info = tarfile.TarInfo(draw(NAMES).replace("\0", "?"))
            info.type = draw(TYPES)
            info.mode = draw(st.integers(0, 0o7777))
            info.linkname = draw(st.sampled_from(["", "/etc/passwd", "../..", "out/a"]))
            data = draw(st.binary(max_size=600))
            info.size = len(data)
            if archive.format == tarfile.PAX_FORMAT:
                info.pax_headers = draw(HEADERS)
            try:
                archive.addfile(info, io.BytesIO(data))
            except (ValueError, UnicodeError):
                continue
    data = bytearray(buffer.getvalue()[: draw(st.integers(0, 12000))])
    for at, byte in draw(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6)):
        if at < len(data):
            data[at] = byte
    for start in range(0, len(data) - 511, 512):
        if draw(st.booleans()):
            block = bytes(data[start : start + 512])
            data[start + 148 : start + 156] = b"%06o\0 " % tarfile.calc_chksums(block)[0]
    return bytes(data)


def _outside(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if "root" not in path.relative_to(folder).parts[:1]]


@settings(max_examples=200, deadline=None)
@given(st.one_of(archives(), st.binary(max_size=3000)), st.integers(1, 2000))
def test_no_bytes_do_anything_but_be_refused_or_written_below_the_root(data: bytes, size: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = Collected(folder / "root")
        try:
            read_archive(chunked(data, size), OUTPUT, result)
        except Refused:
            pass
        assert _outside(folder) == []
        for place, folders, names in os.walk(folder / "root"):
            for found in (*folders, *names):
                assert not Path(place, found).is_symlink()
        for path in result.files:
            assert path.split("/")[:2] == ["workspace", "out"]
            assert (folder / "root" / path).exists()
