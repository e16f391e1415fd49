"""Reads `solutions/` and `mistakes/` into scripts, with every fault of each."""

from __future__ import annotations

import re
from typing import Literal

from skill2env.models.blueprint import LEVELS, Level, Script
from skill2env.models.fields import is_source
from skill2env.models.lines import split_lines
from skill2env.models.outcome import Finding, Severity
from skill2env.models.tree import Tree
from skill2env.stages.draft.rules import points_nowhere
from skill2env.trial.script import split_steps

_NAME = re.compile(r"^(solutions|mistakes)/([a-z0-9]+(?:-[a-z0-9]+)*)\.sh$")
_HEADER = re.compile(r"^# (Slip|Fails at|Source): *(.*)$")
MIN_MISTAKES = 2
MIN_REFERENCE_STEPS = 2


def read_scripts(
    tree: Tree, levels: tuple[Level, ...], lines: dict[str, int]
) -> tuple[tuple[Script, ...], list[Finding]]:
    """Return the reference, the alternatives and the mistakes, in this order, and what is wrong with them.

    Args:
        tree: the blueprint's files.
        levels: the levels that a mistake may name.
        lines: number of lines of each file of the skill.
    """
    scripts: list[Script] = []
    findings: list[Finding] = []
    for path in sorted(tree):
        if not path.startswith(("solutions/", "mistakes/")):
            continue
        match = _NAME.match(path)
        if not match:
            findings.append(
                _fault(
                    "script-name",
                    path,
                    0,
                    "name scripts with lower case letters, digits and hyphens, and .sh",
                )
            )
            continue
        script, faults = _read(path, match[1] == "mistakes", match[2], tree[path].data, levels, lines)
        findings += faults
        if script:
            scripts.append(script)
    order = {"reference": 0, "alternative": 1, "mistake": 2}
    scripts.sort(key=lambda script: (order[script.role], script.name))
    return tuple(scripts), findings + _enough(scripts)


def _read(
    path: str, mistake: bool, name: str, data: bytes, levels: tuple[Level, ...], lines: dict[str, int]
) -> tuple[Script | None, list[Finding]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, [
            _fault("encoding", path, 0, f"not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8")
        ]
    role: Literal["reference", "alternative", "mistake"] = "mistake" if mistake else "alternative"
    role = "reference" if path == "solutions/reference.sh" else role
    steps = split_steps(text)
    findings = (
        [] if steps else [_fault("empty-script", path, 1, "the script does nothing; write its commands")]
    )
    if (
        role == "reference"
        and steps
        and (len(steps) < MIN_REFERENCE_STEPS or not all(step.why for step in steps))
    ):
        findings.append(
            _fault(
                "steps",
                path,
                1,
                f'split the reference into at least {MIN_REFERENCE_STEPS} steps, each after a "#>" line that says why',
            )
        )
    if not mistake:
        return Script(name=name, role=role, steps=steps) if steps else None, findings
    slip, fails_at, source, faults = _header(path, text, levels, lines)
    findings += faults
    if not steps:
        return None, findings
    return Script(name=name, role=role, steps=steps, slip=slip, fails_at=fails_at, source=source), findings


def header_lines(text: str) -> dict[str, tuple[int, str]]:
    """Return what the header of a mistake names, by `Slip`, `Fails at` and `Source`: the line, from 1, and what it says."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(split_lines(text)[:10], 1):
        if match := _HEADER.match(line):
            found[match[1]] = (number, match[2].strip())
    return found


def _header(
    path: str, text: str, levels: tuple[Level, ...], lines: dict[str, int]
) -> tuple[str, tuple[Level, ...], str, list[Finding]]:
    found = header_lines(text)
    findings = []
    if not found.get("Slip", (0, ""))[1]:
        findings.append(
            _fault("mistake-header", path, 1, 'begin with "# Slip: what the careless solver does"')
        )
    number, named = found.get("Fails at", (1, ""))
    wanted = [level.strip() for level in named.split(",") if level.strip()]
    unknown = [level for level in wanted if level not in levels]
    if not wanted or unknown:
        told = f"; {', '.join(unknown)} is none of them" if unknown else ""
        findings.append(
            _fault(
                "mistake-header",
                path,
                number,
                f'name levels of the blueprint in "# Fails at: {", ".join(levels)}"{told}',
            )
        )
    fails_at = tuple(level for level in LEVELS if level in wanted)
    number, source = found.get("Source", (0, ""))
    if source and not is_source(source):
        message = (
            f'"{source}" is no line of the skill; write "# Source: SKILL.md:12" or "# Source: SKILL.md:12-14"'
        )
        findings.append(_fault("mistake-header", path, number, message))
    elif source:
        findings += points_nowhere(source, lines, path, number)
    return found.get("Slip", (0, ""))[1], fails_at, source, findings


def _enough(scripts: list[Script]) -> list[Finding]:
    roles = [script.role for script in scripts]
    findings = []
    if "reference" not in roles:
        findings.append(
            _fault("missing-file", "solutions/reference.sh", 0, "there is no reference solution; write one")
        )
    if "alternative" not in roles:
        findings.append(
            _fault(
                "no-alternative",
                "solutions",
                0,
                "solve it once more in quite another way, in solutions/<other>.sh",
            )
        )
    if roles.count("mistake") < MIN_MISTAKES:
        findings.append(
            _fault(
                "few-mistakes",
                "mistakes",
                0,
                f"write at least {MIN_MISTAKES} mistakes that the skill warns of",
            )
        )
    names = [script.name for script in scripts]
    findings += [
        _fault("script-name", "mistakes", 0, f"two scripts are called {name!r}; rename one")
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    return findings


def _fault(code: str, file: str, line: int, message: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, message=message, file=file, line=line)
