"""Reads one blueprint's folder: a whole blueprint, or every fault that it has."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from skill2env.models.blueprint import LEVELS, Blueprint, BlueprintSpec
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
    spec, faults = read_spec(texts.get(YAML), skill)
    findings += faults
    levels = spec.levels if spec else LEVELS
    scripts, faults = read_scripts(tree, levels, skill.lines)  # type: ignore[arg-type]
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


def read_spec(text: str | None, skill: SkillText) -> tuple[BlueprintSpec | None, list[Finding]]:
    """Return what a blueprint.yaml says, or nothing, and all of its faults."""
    if text is None:
        return None, []
    value, lines, findings = located.load(text, YAML)
    if findings:
        return None, findings
    try:
        spec = BlueprintSpec.model_validate(value)
    except ValidationError as error:
        return None, [_schema(fault["loc"], fault["msg"], lines) for fault in error.errors()]
    cited = [
        (ref, located.line_of(("skill_refs", index), lines)) for index, ref in enumerate(spec.skill_refs)
    ]
    cited += [
        (criterion.source, located.line_of(("rubric", index, "source"), lines))
        for index, criterion in enumerate(spec.rubric)
    ]
    return spec, rules.sources(cited, skill.lines) + rules.amounts(spec)


def _schema(path: tuple[str | int, ...], message: str, lines: dict[located.Path, int]) -> Finding:
    name = ".".join(map(str, path)) or "the document"
    return Finding(
        code="schema",
        severity=Severity.ERROR,
        message=f"{name}: {message}",
        file=YAML,
        line=located.line_of(path, lines),
    )
