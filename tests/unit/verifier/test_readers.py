"""The strict readers: what is sound is returned, and all else is a plain failure of the test, never another exception."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skill2env.verifier import archives, readers

FAILS = pytest.fail.Exception
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "given"
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return path

    return write


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    assert readers.read_bytes(tmp_path / "real") == b"x"
    for name in ("link", "fifo", "folder", "absent"):
        with pytest.raises(FAILS):
            readers.read_bytes(tmp_path / name)
    with pytest.raises(FAILS):
        readers.read_bytes("/dev/zero")


def test_big_files_are_not_read(tmp_path: Path) -> None:
    os.truncate(os.open(tmp_path / "big", os.O_CREAT | os.O_WRONLY), (16 << 20) + 1)
    with pytest.raises(FAILS, match="at most 16777216 bytes"):
        readers.read_bytes(tmp_path / "big")


def test_text_is_utf8(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_text(file("\ufeffgr\u00fcn\n")) == "gr\u00fcn\n"
    for data in (b"a\xff", "x".encode("utf-16"), b"\xed\xa0\x80"):
        with pytest.raises(FAILS, match="not UTF-8"):
            readers.read_text(file(data))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_json_is_read(file: Callable[[str | bytes], Path], value: Any) -> None:
    assert readers.read_json(file(json.dumps(value))) == value


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        '{"a": -Infinity}',
        "1e999",
        "[-1e999]",
        '{"a": 1, "a": 1}',
        '{"x": {"a": 1, "b": 2, "a": 3}}',
        "",
        "{",
        "{'a': 1}",
        "[1,]",
        "// x\n1",
        "nan",
        "1 2",
        "[" * 200_000 + "]" * 200_000,
        "[" * 101 + "]" * 101,
        "9" * 5000,
    ],
)
def test_json_is_strict(file: Callable[[str | bytes], Path], text: str) -> None:
    with pytest.raises(FAILS):
        readers.read_json(file(text))


def test_a_hundred_levels_are_enough(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_json(file("[" * 99 + "]" * 99))


def test_json_lines(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_jsonl(file('{"a": 1}\n[2]\n\n\n')) == [{"a": 1}, [2]]
    for text in ("1\n\n2\n", "1\nNaN\n", "{}{}"):
        with pytest.raises(FAILS):
            readers.read_jsonl(file(text))


def test_csv(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_csv(file('\ufeffa,b\n1,"x,\ny"\n')) == [{"a": "1", "b": "x,\ny"}]
    assert readers.read_csv(file("a;b\n1;2\n"), delimiter=";") == [{"a": "1", "b": "2"}]
    for text in ("", "a,a\n1,2\n", "a,b\n1\n", "a,b\n1,2,3\n", 'a\n"x\n', 'a\n"x"y\n', "a\n" + "x" * 200_000):
        with pytest.raises(FAILS):
            readers.read_csv(file(text))


def test_yaml(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_yaml(file("a: [1, x]\nb: {c: null}\n")) == {"a": [1, "x"], "b": {"c": None}}
    for text in (
        "a: 1\na: 2\n",
        "a: &x 1\nb: *x\n",
        "--- 1\n--- 2\n",
        "!!python/object/apply:os.system [id]",
        "a: [",
        "\t- x",
        "!!int ''",
        "!!float ''",
        "!!bool x",
        "!!timestamp x",
        "!!map [a]",
        "{[a]: 1}",
        "[" * 5000,
        "? {a: 1}\n: 2",
    ):
        with pytest.raises(FAILS):
            readers.read_yaml(file(text))


def test_toml_ini_and_xml(file: Callable[[str | bytes], Path]) -> None:
    assert readers.read_toml(file("[a]\nb = 1\n")) == {"a": {"b": 1}}
    assert readers.read_ini(file("[A]\nKey = %(x)s\n")) == {"A": {"Key": "%(x)s"}}
    assert readers.read_xml(file("<a><b c='1'/></a>"))[0].get("c") == "1"
    for reader, text in (
        (readers.read_toml, "a = 1\na = 2"),
        (readers.read_toml, "[" * 5000),
        (readers.read_ini, "[A]\nx=1\nx=2\n"),
        (readers.read_ini, "[A]\n[A]\n"),
        (readers.read_ini, "x=1\n"),
        (readers.read_xml, "<a>"),
        (readers.read_xml, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
        (readers.read_xml, "<a>\0</a>"),
    ):
        with pytest.raises(FAILS):
            reader(file(text))


def _tar(mode: str, *members: tuple[str, bytes, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, kind, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(data), "x"
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _zip(*members: tuple[str, bytes], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = method, mode << 16
            archive.writestr(info, data)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
def test_tars_of_every_compression(file: Callable[[str | bytes], Path], mode: str) -> None:
    data = _tar(
        mode, ("./d", tarfile.DIRTYPE, b""), ("./d/a", tarfile.REGTYPE, b"1"), ("b", tarfile.REGTYPE, b"")
    )
    assert archives.read_archive(file(data)) == {"d/a": b"1", "b": b""}


def test_zips(file: Callable[[str | bytes], Path]) -> None:
    assert archives.read_archive(file(_zip(("d/", b""), ("d/a", b"1"), ("b", b"2")))) == {
        "d/a": b"1",
        "b": b"2",
    }


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_archives_fail(file: Callable[[str | bytes], Path], kind: bytes) -> None:
    with pytest.raises(FAILS, match="no regular file"):
        archives.read_archive(file(_tar("w:", ("a", kind, b""))))
    with pytest.raises(FAILS, match="no regular file"):
        archives.read_archive(file(_zip(("a", b"/etc/passwd"), mode=0o120777)))


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "a/.."])
def test_names_that_climb_fail(file: Callable[[str | bytes], Path], name: str) -> None:
    for data in (_tar("w:", (name, tarfile.REGTYPE, b"x")), _zip((name, b"x"))):
        with pytest.raises(FAILS, match="absolute or climbs out"):
            archives.read_archive(file(data))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names_fail(file: Callable[[str | bytes], Path]) -> None:
    for data in (
        _tar("w:", ("a", tarfile.REGTYPE, b"x"), ("./a", tarfile.REGTYPE, b"y")),
        _zip(("a", b"x"), ("a", b"y")),
    ):
        with pytest.raises(FAILS, match="stands twice"):
            archives.read_archive(file(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_bombs_are_not_unpacked(
    file: Callable[[str | bytes], Path], monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "_TAR_BYTES", 2 << 20)
    bomb = bytes(8 << 20)
    with pytest.raises(FAILS, match="too big"):
        archives.read_archive(file(_zip(("a", bomb), method=method)))
    for mode in ("w:gz", "w:bz2", "w:xz"):
        with pytest.raises(FAILS, match="too big"):
            archives.read_archive(file(_tar(mode, ("a", tarfile.REGTYPE, bomb))))
    folders = gzip.compress(_tar("w:", ("d", tarfile.DIRTYPE, b"")) * 1000)
    with pytest.raises(FAILS, match="too big"):
        archives.read_archive(file(folders))


def test_many_members_fail(file: Callable[[str | bytes], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    with pytest.raises(FAILS, match="too big"):
        archives.read_archive(file(_zip(*((str(i), b"") for i in range(11)))))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(
        [
            _tar("w:", ("a", tarfile.REGTYPE, b"1")),
            _tar("w:gz", ("a", tarfile.REGTYPE, b"1")),
            _tar("w:xz", ("a", tarfile.REGTYPE, b"1")),
            _zip(("a", b"1"), ("b/c", b"2")),
            _zip(("a", b"1"), method=zipfile.ZIP_LZMA),
        ]
    ),
    st.lists(st.tuples(st.integers(0, 1500), st.integers(0, 255)), max_size=8),
    st.integers(0, 20000),
    st.booleans(),
)
def test_damaged_archives_fail_and_raise_nothing_else(
    file: Callable[[str | bytes], Path], data: bytes, changes: list[tuple[int, int]], cut: int, sums: bool
) -> None:
    changed = bytearray(data)
    for at, byte in changes:
        if at < len(changed):
            changed[at] = byte
    if sums and len(changed) >= 512:
        changed[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(changed[:512]))[0]
    with contextlib.suppress(FAILS):
        assert isinstance(archives.read_archive(file(bytes(changed[:cut]))), dict)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200) | st.text("{}[]():,&*!%#-?|>'\"\\\n\t ab1.e+~<=/;@", max_size=60).map(str.encode)
)
def test_no_bytes_make_a_reader_raise_anything_but_a_failure(
    file: Callable[[str | bytes], Path], data: bytes
) -> None:
    path = file(data)
    for reader in (
        readers.read_text,
        readers.read_json,
        readers.read_jsonl,
        readers.read_csv,
        readers.read_yaml,
        readers.read_toml,
        readers.read_ini,
        readers.read_xml,
        archives.read_archive,
    ):
        try:
            reader(path)
        except FAILS:
            continue


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (1.0, True),
        (1, True),
        (1.05, True),
        (0.95, True),
        (1.2, False),
        (-1.0, False),
        (float("nan"), False),
        (float("inf"), False),
        (-float("inf"), False),
        (10**400, False),
        (True, False),
        ("1", False),
        (None, False),
        ([1], False),
        (1 + 0j, False),
    ],
)
def test_near(actual: object, expected: bool) -> None:
    assert readers.near(actual, 1.0, 0.1) is expected


def test_digest(file: Callable[[str | bytes], Path]) -> None:
    assert readers.digest(file("x")) == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
