"""YAML with line numbers: the value, and where each part of it stands."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any

import yaml

from skill2env.models.outcome import Finding, Severity

MAX_BYTES = 64_000
Path = tuple[str | int, ...]
_MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses aliases, since they can make a small file huge, and duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)


def load(text: str, file: str) -> tuple[Any, dict[Path, int], list[Finding]]:
    """Return a document's value, the line of each path in it, and what is wrong with its syntax."""
    if len(text) > MAX_BYTES or max((text.count(mark) for mark in "[{"), default=0) > 2000:
        return (
            None,
            {},
            [_fault(file, 1, f"more than {MAX_BYTES} characters, or too many brackets; make it smaller")],
        )
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        lines: dict[Path, int] = {}
        faults: list[Finding] = []
        _locate(node, (), lines, faults, file)
        value = loader.construct_document(node) if node and not faults else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        return None, {}, [_fault(file, mark.line + 1 if mark else 1, f"not valid YAML: {problem}")]
    except (RecursionError, ValueError, LookupError, AttributeError, OverflowError) as error:
        # The library falls over tags that do not fit their values, such as `!!int ""` and `!!timestamp soon`.
        return None, {}, [_fault(file, 1, f"not readable as YAML: {type(error).__name__}: {error}")]
    finally:
        if loader is not None:
            loader.dispose()
    return value, lines, faults or _unstorable(value, file)


def _unstorable(value: Any, file: str) -> list[Finding]:
    """Refuse what YAML can say and no JSON can: NaN, infinities, bytes, sets, numbers without end, halves of characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_date)
        text.encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        return [_fault(file, 1, f"holds what JSON can't say ({error}); write plain values")]
    return []


def _date(value: Any) -> str:
    """Return a date, which `author` has, as JSON has it."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} {str(value)[:40]!r}")


def _locate(node: Any, path: Path, lines: dict[Path, int], faults: list[Finding], file: str) -> None:
    if node is None:
        return
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            name = str(key.value)
            if key.tag == _MERGE:
                faults.append(_fault(file, key.start_mark.line + 1, "merge keys are not allowed"))
            if name in seen:
                faults.append(
                    _fault(file, key.start_mark.line + 1, f"the key {name!r} stands twice in one mapping")
                )
            seen.add(name)
            _locate(value, (*path, name), lines, faults, file)
            lines[(*path, name)] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _locate(value, (*path, index), lines, faults, file)


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """Return the line of the deepest part of a path that stands in the document."""
    for length in range(len(path), -1, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _fault(file: str, line: int, message: str) -> Finding:
    return Finding(code="yaml", severity=Severity.ERROR, message=message, file=file, line=line)
