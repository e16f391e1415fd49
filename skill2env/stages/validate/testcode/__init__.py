"""Reads the text of `tests/test_outputs.py` without running it: its names, and where its values come from."""

from __future__ import annotations

from skill2env.stages.validate.testcode.code import FILE, TestCode, read_code
from skill2env.stages.validate.testcode.flow import Flow, Tangled
from skill2env.stages.validate.testcode.origins import Origins
from skill2env.stages.validate.testcode.texts import Leaf

__all__ = ["FILE", "Flow", "Leaf", "Origins", "Tangled", "TestCode", "read_code"]
