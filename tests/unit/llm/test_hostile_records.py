"""Files of records that a stranger shares: a bomb is refused before it fills the disk, and a bad line is one line."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from skill2env.errors import UsageError
from skill2env.llm import records
from skill2env.llm.records import BadLine, Layer, Recorded, read_lines
from skill2env.models.chat import Ask, Completion, Message, Sampling, Tokens

ASK = Ask(
    model="a/b", messages=(Message(role="user", text="x"),), sampling=Sampling(max_tokens=9, temperature=0.5)
)
ANSWER = Completion(text="y", finish="stop", model="b", tokens=Tokens(), money=None, seconds=0, requests=1)
GOOD = Recorded(key=ASK.key, ask=ASK, completion=ANSWER)


def test_a_bomb_of_records_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_UNPACKED_BYTES", 4 << 20)
    path = tmp_path / "bomb.jsonl.xz"
    path.write_bytes(lzma.compress(b"\n" * (16 << 20)))
    assert path.stat().st_size < 10_000
    with pytest.raises(UsageError, match="holds more than 4 MB"):
        list(read_lines(path))
    with pytest.raises(UsageError, match="holds more than 4 MB"):
        Layer([path]).get("0" * 64)


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 1 << 20)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b" " * (2 << 20))
    with pytest.raises(UsageError, match="a line of more than 1 MB"):
        list(read_lines(path))


def test_lines_that_can_not_be_read_or_named_are_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    odd = json.dumps(GOOD.model_dump(mode="json")).replace("0.5", "NaN")
    path.write_text("[" * 100_000 + "\n" + odd + "\n" + GOOD.line())
    first, second, third = read_lines(path)
    assert isinstance(first, BadLine) and isinstance(second, BadLine)
    assert third == GOOD
