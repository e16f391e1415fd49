"""Archives that were made to break the reader: every one is a source, or one sentence, and small ones stay small in memory."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from unit.intake.repositories import skill

from skill2env.errors import UsageError
from skill2env.intake.sources import opened, source
from skill2env.intake.sources.source import Source, Unreadable

DEEP = "a/" * 7000 + "f"


def test_a_broken_zip_is_a_source_or_one_sentence(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("top/a/SKILL.md", skill("a"))
        packed.writestr("top/é.txt", "x" * 100)
    whole, rng, place = buffer.getvalue(), random.Random(1), tmp_path / "x.zip"
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x80, 255, rng.randrange(256)))
        place.write_bytes(data)
        with suppress(UsageError), opened(str(place)) as there:
            for path in there.entries:
                with suppress(Unreadable):
                    there.read(path)


def test_a_small_tar_with_endless_paths_stays_small(tmp_path: Path) -> None:
    place = tmp_path / "x.tgz"
    with (
        gzip.open(place, "wb") as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for number in range(5):
            made.addfile(tarfile.TarInfo(f"top/{number}/{DEEP}"))
        made.addfile(tarfile.TarInfo("top/" + "b" * 5000))
        made.addfile(tarfile.TarInfo("top/" + "c/" * 90 + "f"))
    tracemalloc.start()
    with opened(str(place)) as there:
        assert len(there.names) == 91
        assert list(there.entries) == ["c/" * 90 + "f"]
        assert [item.code for item in there.findings.all()] == ["entry-path"] * 6
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 << 20


def test_folders_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_ENTRIES", 50)
    there = Source("x", "", lambda *_: b"")
    for number in range(3):
        there.add(f"{number}/" + "a/" * 30 + "f", source.Entry("file"))
    with pytest.raises(UsageError, match="more than 50 folders"):
        _ = there.names
