"""Renders one template of a stranger in a process of its own: run as a script, it knows nothing of the project but its input."""

from __future__ import annotations

import json
import resource
import sys

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

MEMORY_BYTES = 1 << 30
CPU_SEC = 10
MAX_CHARS = 1_000_000
"""A longer request is nobody's."""


def main() -> None:
    """Read template and values as JSON, and write the text, or what is wrong and in which line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SEC, CPU_SEC))
    asked = json.load(sys.stdin)
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    try:
        text = environment.from_string(asked["template"]).render(asked["values"])
        text.encode("utf-8")
        if len(text) > MAX_CHARS:
            raise ValueError(f"the text has more than {MAX_CHARS:,} characters")
        answer = {"text": text}
    except Exception as error:  # the boundary: a template can raise whatever Python can
        told = str(error) or type(error).__name__
        told = told[:1000].encode("utf-8", "replace").decode()
        answer = {"error": told, "line": str(_line(error))}
    json.dump(answer, sys.stdout)


def _line(error: BaseException) -> int:
    """Return the line of the template at which an error was raised, as Jinja puts it into the traceback; 0 where it does not."""
    line = 0 if isinstance(error, SyntaxError) else getattr(error, "lineno", None) or 0
    trace = None if line else error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return int(line)


if __name__ == "__main__":
    main()
