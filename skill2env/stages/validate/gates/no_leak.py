"""Holds when the answer, as an answer, is nowhere that the agent can read.

A single planted fact in the world is what is to be found, and no leak. Looked for in every file of the world (compressed
ones, archives, git objects and SQLite tables opened), in names, and in the image's environment, labels and history: the
canary, the truth written out in any common form or with its values gathered in one place, and lines of the solutions or the
tests. The image's layers below the world are the toolchain's, which has never seen the task.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from skill2env.models.report import GateResult
from skill2env.stages.validate.decoded import decoded
from skill2env.stages.validate.subject import Subject

NAME = "no_leak"
VERSION = "6"
_LINE = 40
_FEW = 3
_PART = 0.3
_ENOUGH = 3
_SHARE = 0.7
_CANARY = "skill2env-canary"
_VALUE_LENGTH = 3
_GATHERED = 8
_NEARLY = 0.9
_ANSWER_BYTES = 1 << 20
_WORD = re.compile(r"[^\s,;:\"'{}\[\]()=|<>]+")
_HASH = re.compile(r"[0-9a-f]{32,}")


def check(subject: Subject) -> GateResult:
    """Search everything that the agent can read."""
    leaks = [*_layers(subject), *_marked(subject), *_found(subject)]
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


def _marked(subject: Subject) -> Iterator[str]:
    """Say which files stand out by their time or owner, so that what was planted is told from what was always there."""
    marks = subject.image.marks or {}
    usual = Counter(marks.values()).most_common(1)
    odd = [path for path, mark in sorted(marks.items()) if mark != usual[0][0]]
    if odd:
        yield f"/{odd[0]} stands out by its time or owner ({marks[odd[0]]}, others {usual[0][0]})"


def _found(subject: Subject) -> Iterator[str]:
    truth = _Truth(subject.task.truth)
    secrets = _secret_lines(subject)
    seen: dict[str, set[str]] = {origin: set() for origin in secrets}
    for label, text in _readable(subject):
        if _CANARY in text:
            yield f"{label} holds the canary of the hidden files"
        if truth.written_in(text):
            yield f"{label} holds the truth, written out"
        elif truth.gathered_in(text):
            yield f"{label} holds the values of the truth and little else"
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

    A solution that mends a file repeats what it leaves as it is: lines of the files that are to be mended are none of its own.
    """
    blueprint = subject.blueprint
    mended = _lines_to_mend(subject)
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
        found[origin] = {line for line in long if line not in subject.task.instruction and line not in mended}
    return found


def _lines_to_mend(subject: Subject) -> set[str]:
    outputs = tuple(output.lstrip("/") for output in subject.blueprint.spec.outputs)
    return {
        line.strip()
        for path, node in subject.world.items()
        if path.startswith(outputs)
        for line in node.data.decode("utf-8", "replace").splitlines()
    }


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
        values, names = _values_and_names(truth)
        self._words = {
            word for value in values for word in _WORD.findall(value) if len(word) > _VALUE_LENGTH
        } - names
        self._names = names
        self._pairs = [
            (str(key), value)
            for key, value in truth.items()
            if isinstance(value, (str, int, float)) and _telling(value)
        ]

    def written_in(self, text: str) -> bool:
        """Return whether a text holds the truth as a whole, or most of its facts under their names."""
        squeezed = _squeezed(text)
        return any(form in squeezed for form in self._forms) or self._named_in(text)

    def gathered_in(self, text: str) -> bool:
        """Return whether nearly all of its values stand in a text, or in a paragraph of it, that has hardly anything else."""
        if len(self._words) < _GATHERED:
            return False
        return any(
            self._is_answer(part) for part in (text, *re.split(r"\n\s*\n", text)) if len(part) < _ANSWER_BYTES
        )

    def _is_answer(self, text: str) -> bool:
        words = [
            word for word in _WORD.findall(text) if len(word) > _VALUE_LENGTH and word not in self._names
        ]
        known = sum(word in self._words for word in words)
        return (
            bool(words)
            and known >= _NEARLY * len(words)
            and len(self._words & set(words)) >= _NEARLY * len(self._words)
        )

    def _named_in(self, text: str) -> bool:
        if len(self._pairs) < _ENOUGH:
            return False
        named = sum(
            re.search(rf"{re.escape(key)}[\"']?\s*[:=,\t]\s*[\"']?{re.escape(str(value))}\b", text)
            is not None
            for key, value in self._pairs
        )
        return named >= _ENOUGH and named >= _SHARE * len(self._pairs)


def _values_and_names(value: Any) -> tuple[list[str], set[str]]:
    """Return the values of a truth as texts, hashes of files aside, and the names under which they stand."""
    values, names, waiting = [], set[str](), [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            names |= {word for key in inner for word in _WORD.findall(str(key))}
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner
        elif not isinstance(inner, bool) and inner is not None and not _HASH.fullmatch(str(inner)):
            values.append(str(inner))
    return values, names


def _telling(value: object) -> bool:
    return not isinstance(value, bool) and len(str(value)) >= _VALUE_LENGTH


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
