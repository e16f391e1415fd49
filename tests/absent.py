"""What a test does that the machine lacks something for: it is skipped, but fails in CI, where nothing passes by not running."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(why: str) -> NoReturn:
    """End the test that runs."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
