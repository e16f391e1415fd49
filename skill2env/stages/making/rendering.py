"""Renders the instruction of a blueprint under limits: Jinja's sandbox bounds neither time nor memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

WALL_SEC = 60
"""Seconds that a rendering may take; the limit on the processor's time comes first on a machine that is not busy."""
_ALONE = Path(__file__).with_name("render_alone.py")


class BadTemplate(ValueError):
    """A template can't be rendered; the message says why."""

    def __init__(self, why: str, line: int = 0) -> None:
        """Keep the line, 0 where there is none."""
        super().__init__(why)
        self.line = line


def rendered(template: str, values: Mapping[str, object]) -> str:
    """Return the text that a template gives, rendered in a process of its own.

    Raises:
        BadTemplate: it raises something, or takes more time, memory or characters than it may.
    """
    asked = json.dumps({"template": template, "values": values}, default=str)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-B", str(_ALONE)],
            input=asked.encode(),
            capture_output=True,
            env={},
            cwd="/",
            timeout=WALL_SEC,
            check=False,
        )
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        raise BadTemplate(
            "it takes too much time or memory; write it without big numbers and loops"
        ) from None
    if "text" not in answer:
        raise BadTemplate(answer["error"], int(answer["line"]))
    return str(answer["text"])
