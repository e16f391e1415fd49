"""What tests must not do, one module for each sort of fault."""

from __future__ import annotations

from skill2env.stages.validate.linting import comparisons, names, reading, shape
from skill2env.stages.validate.linting.found import Fault, Source, source_of

_RULES = (names.faults, reading.faults, comparisons.faults, shape.faults)


def lint(text: str) -> list[Fault]:
    """Return all faults of a test module in the order of its lines.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or too entangled to be followed.
    """
    source = source_of(text)
    return sorted({fault for rule in _RULES for fault in rule(source)})


__all__ = ["Fault", "Source", "lint"]
