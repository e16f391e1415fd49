"""What a hostile `world.py` says from its container refuses its own world, and never ends the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skill2env.models.tree import pack, text_file
from skill2env.stages.making import worlds
from skill2env.stages.making.worlds import World, WorldFault

BODY = pack({"world/a": text_file("x")})


class Told:
    """A dialogue in which one answer is given."""

    def __init__(self, **answer: Any) -> None:
        plain = {"ok": True, "error": "", "truth": {}, "facts": {}, "bytes": len(BODY)}
        self._line = json.dumps({**plain, **answer})

    def line(self, timeout: float) -> Any:
        return json.loads(self._line)

    def bytes(self, size: int, timeout: float) -> bytes:
        return BODY


def answered(**answer: Any) -> World:
    dialogue: Any = Told(**answer)
    world, _ = worlds._result(dialogue, 5, 10)
    return World.model_validate_json(world.model_dump_json())


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", nested(900)])
@pytest.mark.parametrize("where", ["truth", "facts"])
def test_what_can_not_be_kept_is_a_fault_of_the_world(where: str, value: Any) -> None:
    assert answered(**{where: {"a": value}}).error.startswith("what world.py returned holds NaN")


def test_a_fault_that_can_not_be_kept_is_told_as_one() -> None:
    assert answered(ok=False, error="\ud800").error.startswith("what world.py returned holds NaN")


def test_plain_facts_are_kept() -> None:
    world = answered(truth={"a": [1.5, None, "é\0", nested(50)]})
    assert (world.error, world.truth) == ("", {"a": [1.5, None, "é\0", nested(50)]})


@pytest.mark.parametrize(
    ("message", "line"), [("12", 12), ("²", 0), ("9" * 5000, 0), ("x", 0), ("", 0), ("٣", 0)]
)
def test_a_line_is_only_taken_for_one_where_it_is(message: str, line: int) -> None:
    (finding,) = WorldFault(f"world.py:{message}: it broke").findings
    assert (finding.line, finding.message) == (line, "it broke")
