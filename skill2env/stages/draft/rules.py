"""The rules that a blueprint's files must keep, beyond the schema; each returns all of its findings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from jinja2 import TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from skill2env.models.blueprint import BlueprintSpec
from skill2env.models.fields import spans
from skill2env.models.outcome import Finding, Severity
from skill2env.models.python_source import parse_python
from skill2env.models.rubric import Criterion
from skill2env.models.tree import Tree
from skill2env.stages.draft.located import Path, line_of

REQUIRED = ("blueprint.yaml", "instruction.md", "world.py", "tests/test_outputs.py", "solutions/reference.sh")
MAX_INSTRUCTION_CHARS = 100_000
MIN_CHECKS = 4
MIN_GUARDS = 1
MIN_SEEDS = 2
MIN_CRITERIA = 4
MIN_PREDICATES = 2
_KNOWN = ("world/", "solutions/", "mistakes/", "tests/test_outputs.py")


def files(tree: Tree) -> list[Finding]:
    """Required files are there, and nothing is there that the format does not know."""
    missing = [
        _fault("missing-file", path, 0, f"there is no {path}; write it (docs/blueprint.md)")
        for path in REQUIRED
        if path not in tree
    ]
    odd = [path for path in tree if path not in REQUIRED and not path.startswith(_KNOWN)]
    return missing + [
        Finding(
            code="unknown-file",
            severity=Severity.WARNING,
            message="the format knows no such file; it is not used",
            file=path,
        )
        for path in odd
    ]


def sources(references: Iterable[tuple[str, int]], lines: dict[str, int]) -> list[Finding]:
    """Line references of `skill_refs` and the rubric point at lines that the skill has.

    Args:
        references: each reference with its line in blueprint.yaml.
        lines: number of lines of each file of the skill.
    """
    return [
        fault
        for reference, where in references
        for fault in points_nowhere(reference, lines, "blueprint.yaml", where)
    ]


def points_nowhere(reference: str, lines: dict[str, int], file: str, line: int) -> list[Finding]:
    """Return what is wrong with a line reference to the skill that stands at a line of a file."""
    cited, first, last = spans(reference)
    count = lines.get(cited)
    if count is None:
        return [_fault("source", file, line, f"{reference}: the skill has no file {cited}")]
    if first > last:
        message = f"{reference}: the first line stands after the last; write the smaller number first"
        return [_fault("source", file, line, message)]
    if first < 1 or last > count:
        return [_fault("source", file, line, f"{reference}: {cited} has {count} lines")]
    return []


def seeds(count: int, independent: bool, lines: Mapping[Path, int]) -> list[Finding]:
    """There are enough seeds, or one where nothing depends on it.

    Args:
        count: how many there are.
        independent: what `seed_independent` says.
        lines: the line of each path in blueprint.yaml.
    """
    if independent and count != 1:
        code = "seed-independent"
        message = "name one seed: with seed_independent, the right outputs are the same for all"
    elif not independent and count < MIN_SEEDS:
        code, message = "few-seeds", f"name at least {MIN_SEEDS} seeds"
    else:
        return []
    return [_fault(code, "blueprint.yaml", line_of(("seeds",), lines), message)]


def rubric(criteria: Sequence[Criterion], lines: Mapping[Path, int]) -> list[Finding]:
    """There are enough criteria and predicates.

    Args:
        criteria: the rubric.
        lines: the line of each path in blueprint.yaml.
    """
    wanted = (
        (len(criteria) >= MIN_CRITERIA, f"write at least {MIN_CRITERIA} criteria"),
        (
            sum(criterion.evidence.is_predicate for criterion in criteria) >= MIN_PREDICATES,
            f"give at least {MIN_PREDICATES} criteria a predicate instead of a judge's question",
        ),
    )
    where = line_of(("rubric",), lines)
    return [_fault("thin-rubric", "blueprint.yaml", where, message) for holds, message in wanted if not holds]


def tests(text: str) -> list[Finding]:
    """tests/test_outputs.py is Python with enough checks and guards."""
    file = "tests/test_outputs.py"
    tree, findings = _parse(text, file)
    if tree is None:
        return findings
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    guards = sum(
        "mark.guard" in ast.unparse(decorator) for node in functions for decorator in node.decorator_list
    )
    parameters = sum(
        "parametrize" in ast.unparse(decorator) for node in functions for decorator in node.decorator_list
    )
    checks = len(functions) - guards + parameters
    if checks < MIN_CHECKS:
        findings.append(
            _fault(
                "few-checks", file, 0, f"write at least {MIN_CHECKS} independent checks; there are {checks}"
            )
        )
    if guards < MIN_GUARDS:
        message = "consider a test marked @pytest.mark.guard, of what must not change"
        findings.append(Finding(code="no-guard", severity=Severity.WARNING, message=message, file=file))
    return findings


def graded_by_behaviour(spec: BlueprintSpec, text: str) -> list[Finding]:
    """Outputs that are the same for every seed are programs, which the tests run on inputs that nobody has seen."""
    file = "tests/test_outputs.py"
    tree, _ = _parse(text, file)
    if not spec.seed_independent or tree is None:
        return []
    asked = {
        argument.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for argument in node.args
    }
    if asked & {"run", "serve"} and asked & {"hidden", "truth"}:
        return []
    message = "run what is delivered on hidden inputs: with seed_independent, nothing else tells the work from a copy"
    return [_fault("seed-independent", file, 0, message)]


def world(text: str) -> list[Finding]:
    """world.py is Python and defines build(world)."""
    tree, findings = _parse(text, "world.py")
    if tree is None:
        return findings
    built = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "build"]
    if not built:
        findings.append(
            _fault(
                "no-build", "world.py", 0, "define build(world), which makes the world and returns the truth"
            )
        )
    return findings


def instruction(text: str) -> list[Finding]:
    """instruction.md says something and is a valid template."""
    if len(text.strip()) < 40:
        return [_fault("instruction", "instruction.md", 1, "write the request: goal, paths and constraints")]
    if len(text) > MAX_INSTRUCTION_CHARS:
        message = (
            f"the request has more than {MAX_INSTRUCTION_CHARS:,} characters; put what is long into the world"
        )
        return [_fault("instruction", "instruction.md", 1, message)]
    try:
        SandboxedEnvironment().parse(text)
    except (RecursionError, ValueError, OverflowError) as error:
        return [_fault("instruction", "instruction.md", 1, f"not readable as a Jinja2 template: {error}")]
    except TemplateSyntaxError as error:
        return [
            _fault(
                "instruction", "instruction.md", error.lineno, f"not a valid Jinja2 template: {error.message}"
            )
        ]
    return []


def _parse(text: str, file: str) -> tuple[ast.Module | None, list[Finding]]:
    try:
        return parse_python(text), []
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return None, [
            _fault("python", file, line, f"not valid Python: {getattr(error, 'msg', None) or error}")
        ]


def _fault(code: str, file: str, line: int, message: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, message=message, file=file, line=line)
