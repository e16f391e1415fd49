"""Parses Python text from several threads."""

from __future__ import annotations

import ast
import threading

_LOCK = threading.Lock()


def parse_python(text: str) -> ast.Module:
    """Return the syntax tree of a text.

    One at a time: CPython 3.11 counts the depth of a tree under construction in a place that threads share, and fails with
    "AST constructor recursion depth mismatch" when two meet (cpython issue 106905).

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or nested too deeply.
    """
    with _LOCK:
        return ast.parse(text)
