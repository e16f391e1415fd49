"""Reads one blueprint's folder: a whole blueprint, or every fault that it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from skill2env.models.blueprint import LEVELS, Blueprint, BlueprintSpec, Level
from skill2env.models.fields import is_source
from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.todo import todos
from skill2env.models.tree import Node, Tree, below, pack_gz, tree_id
from skill2env.stages.draft import located, rules
from skill2env.stages.draft.scripts import read_scripts

YAML = "blueprint.yaml"


@dataclass(frozen=True)
class SkillText:
    """What a blueprint needs to know of its skill."""

    skill_id: str
    tree_sha256: str
    lines: dict[str, int]
    """Number of lines of each text file."""


def read_blueprint(
    tree: Tree, name: str, skill: SkillText
) -> tuple[Accepted[Blueprint] | Rejected, bytes | None]:
    """Return the blueprint in a folder's tree and its packed static world files, or all of its faults."""
    findings = [*todos(tree), *rules.files(tree)]
    texts = _texts(tree, findings)
    spec, levels, faults = read_spec(texts.get(YAML), skill)
    findings += faults
    scripts, faults = read_scripts(tree, levels, skill.lines)
    findings += [
        fault for fault in faults if (fault.code, fault.file) not in {(f.code, f.file) for f in findings}
    ]
    for path, rule in (
        ("tests/test_outputs.py", rules.tests),
        ("world.py", rules.world),
        ("instruction.md", rules.instruction),
    ):
        if path in texts:
            findings += rule(texts[path])
    if spec and "tests/test_outputs.py" in texts:
        findings += rules.graded_by_behaviour(spec, texts["tests/test_outputs.py"])
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors or spec is None:
        return _rejected(errors, findings), None
    static = below(tree, "world")
    blueprint = Blueprint(
        skill_id=skill.skill_id,
        skill_tree_sha256=skill.tree_sha256,
        name=name,
        spec=spec,
        instruction=texts["instruction.md"],
        world=texts["world.py"],
        world_files_sha256=tree_id(static) if static else "",
        tests=texts["tests/test_outputs.py"],
        scripts=scripts,
    )
    return Accepted(record=blueprint), pack_gz(static) if static else None


def _rejected(errors: list[Finding], findings: list[Finding]) -> Rejected:
    count = f" ({len(errors)} faults in all)" if len(errors) > 1 else ""
    return Rejected(rule=errors[0].code, message=f"{errors[0].message}{count}", findings=tuple(findings))


def _texts(tree: Tree, findings: list[Finding]) -> dict[str, str]:
    texts = {}
    for path in rules.REQUIRED:
        node = tree.get(path, Node("dir"))
        if node.kind != "file":
            continue
        try:
            texts[path] = node.data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
            findings.append(Finding(code="encoding", severity=Severity.ERROR, message=message, file=path))
    return texts


def read_spec(
    text: str | None, skill: SkillText
) -> tuple[BlueprintSpec | None, tuple[Level, ...], list[Finding]]:
    """Return what a blueprint.yaml says, or nothing, the levels that its scripts may name, and all of its faults."""
    if text is None:
        return None, LEVELS, []
    value, lines, findings = located.load(text, YAML)
    if findings:
        return None, LEVELS, findings
    pointless = rules.sources(_cited(value, lines), skill.lines)
    try:
        spec = BlueprintSpec.model_validate(value)
    except ValidationError as error:
        levels, findings = _in_spite_of(error, value, lines)
        return None, levels, findings + pointless
    amounts = rules.seeds(len(spec.seeds), spec.seed_independent, lines) + rules.rubric(spec.rubric, lines)
    return spec, spec.levels, pointless + amounts


def _cited(value: Any, lines: dict[located.Path, int]) -> list[tuple[str, int]]:
    """Return each well-formed reference to lines of the skill with its own line, whatever is wrong elsewhere."""
    given = value if isinstance(value, dict) else {}
    refs, rubric = (
        part if isinstance(part, list) else [] for part in map(given.get, ("skill_refs", "rubric"))
    )
    found: dict[located.Path, Any] = {("skill_refs", index): ref for index, ref in enumerate(refs)}
    for index, criterion in enumerate(rubric):
        if isinstance(criterion, dict):
            found["rubric", index, "source"] = criterion.get("source")
    return [
        (reference, located.line_of(path, lines))
        for path, reference in found.items()
        if isinstance(reference, str) and is_source(reference)
    ]


def _in_spite_of(
    error: ValidationError, value: Any, lines: dict[located.Path, int]
) -> tuple[tuple[Level, ...], list[Finding]]:
    """Return the levels and the faults of a document that the schema refuses; what is sound of it is judged all the same."""
    faults = _true(error.errors())
    faulty = {fault["loc"][0] for fault in faults if fault["loc"]}
    sound = {key: part for key, part in value.items() if key not in faulty} if isinstance(value, dict) else {}
    findings = [_schema(fault["loc"], fault["msg"], lines) for fault in faults]
    if "seeds" in sound and "seed_independent" not in faulty:
        findings += rules.seeds(len(sound["seeds"]), sound.get("seed_independent") is True, lines)
    knobs = sound.get("knobs") or {"": LEVELS}
    named = next(iter(knobs.values()))
    return tuple(level for level in LEVELS if level in named), findings


def _true(faults: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return the faults without those of lists that are only too short because pydantic does not count their faulty items."""
    return [
        fault
        for fault in faults
        if fault["type"] != "too_short"
        or not any(
            other is not fault and other["loc"][: len(fault["loc"])] == fault["loc"] for other in faults
        )
    ]


def _schema(path: tuple[str | int, ...], message: str, lines: dict[located.Path, int]) -> Finding:
    name = ".".join(map(str, path)) or "the document"
    return Finding(
        code="schema",
        severity=Severity.ERROR,
        message=f"{name}: {message}",
        file=YAML,
        line=located.line_of(path, lines),
    )
