"""A text that is full of hazards is looked through in time that grows with its length, and each has its own line."""

from __future__ import annotations

import time

import pytest

from skill2env.intake.screens.hazards import hazards


@pytest.mark.parametrize("line", ["\u200b\n", "[INST]\n"])
def test_a_hundred_thousand_hazards_take_no_quadratic_time(line: str) -> None:
    began = time.monotonic()
    lines = [number for number, _, _ in hazards(line * 100_000)]
    assert lines == list(range(1, 100_001))
    assert time.monotonic() - began < 4
