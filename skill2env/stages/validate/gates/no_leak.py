"""Holds when the answer, as an answer, is nowhere that the agent can read.

A single planted fact in the world is what is to be found, and no leak. Looked for in every file of the world (compressed
ones, archives and git objects decoded), in names, and in the image's environment, labels and history: the canary, the truth
written out in any common form, and lines of the solutions or the tests. The image's layers below the world are the
toolchain's, which has never seen the task.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

from skill2env.models.report import GateResult
from skill2env.stages.validate.decoded import decoded
from skill2env.stages.validate.subject import Subject

NAME = "no_leak"
VERSION = "4"
_LINE = 40
_FEW = 3
_PART = 0.8
_ENOUGH = 3
_SHARE = 0.7
_CANARY = "skill2env-canary"
_VALUE_LENGTH = 3


def check(subject: Subject) -> GateResult:
    """Search everything that the agent can read."""
    leaks = [*_layers(subject), *_found(subject)]
    files = len(subject.world)
    if leaks:
        message = f"the agent can read the answer: {leaks[0]}; take it out of the world"
        return GateResult(
            gate=NAME,
            passed=False,
            message=message,
            evidence="\n".join(leaks[:20]),
            figures={"leaks": len(leaks)},
        )
    return GateResult(
        gate=NAME,
        passed=True,
        message=f"nothing of the answer in {files} files, names, and the image",
        figures={"leaks": 0},
    )


def _layers(subject: Subject) -> Iterator[str]:
    """Say where the image has layers that are neither the toolchain's nor the world's."""
    layers, below = subject.image.layers, subject.images.toolchain_layers
    extras = sum(bool(names) for names in subject.blueprint.spec.packages.model_dump().values())
    if layers[: len(below)] != below or len(layers) != len(below) + extras + 1:
        yield "the image has layers besides the toolchain's, the packages' and the world's"


def _found(subject: Subject) -> Iterator[str]:
    truth = _Truth(subject.task.truth)
    secrets = _secret_lines(subject)
    seen: dict[str, set[str]] = {origin: set() for origin in secrets}
    for label, text in _readable(subject):
        if _CANARY in text:
            yield f"{label} holds the canary of the hidden files"
        if truth.written_in(text):
            yield f"{label} holds the truth, written out"
        for origin, lines in secrets.items():
            seen[origin] |= {line for line in lines if line in text}
    for origin, found in seen.items():
        if len(found) >= _FEW and len(found) >= _PART * len(secrets[origin]):
            yield f"{len(found)} of {len(secrets[origin])} long lines of {origin} are in the world, such as: {min(found)[:80]}"


def _readable(subject: Subject) -> Iterator[tuple[str, str]]:
    yield "the image's environment, labels or history", subject.image.config
    world = subject.world
    yield "a name in the world", "\n".join(world)
    for path, node in world.items():
        for label, data in decoded(node.data, f"/{path}"):
            yield label, data.decode("utf-8", "replace")


def _secret_lines(subject: Subject) -> dict[str, set[str]]:
    """Return the long lines of the solutions and the tests that the instruction does not show, by origin.

    A solution may well repeat a line that it found in the world, a statement of a schema for instance; most of it in
    the world is the solution.
    """
    blueprint = subject.blueprint
    texts = {
        f"solution {s.name}": "\n".join(step.command for step in s.steps)
        for s in blueprint.scripts
        if s.role != "mistake"
    }
    texts["tests/test_outputs.py"] = blueprint.tests
    found = {}
    for origin, text in texts.items():
        lines = {line.strip() for line in text.splitlines()}
        long = {line for line in lines if len(line) >= _LINE and not line.startswith("#")}
        found[origin] = {line for line in long if line not in subject.task.instruction}
    return found


class _Truth:
    """The truth in the forms in which somebody might have left it lying about."""

    def __init__(self, truth: dict[str, Any]) -> None:
        plain = json.dumps(truth, ensure_ascii=False)
        forms = [
            plain,
            json.dumps(truth),
            json.dumps(truth, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
            repr(truth),
        ]
        forms += [base64.b64encode(form.encode()).decode() for form in forms]
        self._forms = [_squeezed(form) for form in forms] if len(truth) > 0 and len(plain) > _LINE else []
        self._pairs = [
            (str(key), value)
            for key, value in truth.items()
            if isinstance(value, (str, int, float)) and _telling(value)
        ]

    def written_in(self, text: str) -> bool:
        """Return whether a text holds the truth as a whole, or most of its facts under their names."""
        squeezed = _squeezed(text)
        return any(form in squeezed for form in self._forms) or self._named_in(text)

    def _named_in(self, text: str) -> bool:
        if len(self._pairs) < _ENOUGH:
            return False
        named = sum(
            re.search(rf"{re.escape(key)}[\"']?\s*[:=,\t]\s*[\"']?{re.escape(str(value))}\b", text)
            is not None
            for key, value in self._pairs
        )
        return named >= _ENOUGH and named >= _SHARE * len(self._pairs)


def _telling(value: object) -> bool:
    return not isinstance(value, bool) and len(str(value)) >= _VALUE_LENGTH


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
