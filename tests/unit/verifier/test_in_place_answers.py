"""Whose fault it is when the judge in Harbor's container gives no answer."""

from __future__ import annotations

import os
import time

from skill2env.verifier import in_place


def read(*said: bytes, limit: int = 100, seconds: float = 0.2, end: bool = True) -> bytes:
    reader, writer = os.pipe()
    try:
        for data in said:
            os.write(writer, data)
        if end:
            os.close(writer)
        return in_place._read(reader, limit, seconds)
    finally:
        os.close(reader)
        if not end:
            os.close(writer)


def test_a_line_is_read_to_its_end_and_no_further_than_the_limit() -> None:
    assert read(b"ab", b"c\n", end=False) == b"abc\n"
    assert read(b"!{}\n", limit=1) == b"!"
    assert read(b"half") == b"half"
    assert read() == b""


def test_silence_ends_with_time() -> None:
    began = time.monotonic()
    assert read(b"half", end=False) == b"half"
    assert 0.1 < time.monotonic() - began < 2


def test_a_judge_that_never_stood_is_the_harnesss_fault() -> None:
    assert in_place._answer(b"", b"")["status"] == "no_verdict"


def test_a_judge_that_stood_and_is_gone_is_the_agents_fault() -> None:
    for said in (b"", b'{"status": "pass", "rew'):
        answer = in_place._answer(in_place._READY, said)
        assert (answer["status"], answer["reward"]) == ("agent_fault", 0)


def test_an_answer_is_handed_on() -> None:
    answer = {"status": "pass", "reward": 1.0}
    assert in_place._answer(in_place._READY, b'{"status": "pass", "reward": 1.0}\n') == answer
