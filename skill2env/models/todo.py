"""Marks that a skeleton carries where its author has something to write; what still holds one is not done."""

from __future__ import annotations

import re

from skill2env.models.lines import split_lines
from skill2env.models.outcome import Finding, Severity
from skill2env.models.tree import Tree

MARK = "TODO(skill2env):"
CODE = "todo"
_END = re.compile(r"\s*(?:-->|#\})?\s*$")


def todos(tree: Tree) -> list[Finding]:
    """Return a finding for each mark in the text files of a tree: file, line, and the sentence behind the mark."""
    found = []
    for path, node in sorted(tree.items()):
        if node.kind != "file" or MARK.encode() not in node.data:
            continue
        for number, line in enumerate(split_lines(node.data.decode("utf-8", "replace")), 1):
            _, mark, rest = line.partition(MARK)
            if mark:
                message = _END.sub("", rest).strip() or "write what belongs here, and take the mark away"
                found.append(
                    Finding(code=CODE, severity=Severity.ERROR, message=message, file=path, line=number)
                )
    return found
