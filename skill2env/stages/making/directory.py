"""Puts a task directory together as a tree: instruction, environment, tests and solution."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from functools import cache
from importlib.resources import files

from skill2env.errors import Skill2EnvError, UsageError
from skill2env.interop import harbor
from skill2env.models.base import content_id
from skill2env.models.outcome import Finding, Severity
from skill2env.models.python_source import parse_python
from skill2env.models.tree import Tree, below, merged, placed, text_file
from skill2env.sandbox.images import toolchain_text, verifier_text
from skill2env.stages.making.rendering import BadTemplate, rendered
from skill2env.stages.making.worlds import Made, Order
from skill2env.trial.judge import MEMORY_MB, PIDS, PRIVILEGES

_CANARY = "skill2env-canary"
_TAG = r"\{%(?:(?!%\}).)*%\}|\{#(?:(?!#\}).)*#\}"
_TAGS_ALONE = re.compile(rf"^[ \t]*(?:(?:{_TAG})[ \t]*)+\n", re.MULTILINE)
"""A line of an instruction that holds nothing but Jinja's tags and comments."""


class Unfit(Skill2EnvError):
    """The blueprint can't become a task."""

    def __init__(self, rule: str, message: str, file: str, line: int = 0) -> None:
        """Name the rule, the sentence and the place."""
        super().__init__(message)
        self.rule = rule
        self.findings = (Finding(code=rule, severity=Severity.ERROR, message=message, file=file, line=line),)


def canary(task_id: str) -> str:
    """Return the line that stands in every file that the agent must never see, and in nothing else."""
    return f"{_CANARY} {hashlib.sha256(f'{_CANARY}:{task_id}'.encode()).hexdigest()[:32]}"


def check_toolchain(order: Order) -> None:
    """Refuse a blueprint whose toolchain does not exist.

    Raises:
        Unfit: there is no such toolchain.
    """
    try:
        toolchain_text(order.blueprint.spec.toolchain)
    except UsageError as error:
        raise Unfit("toolchain", str(error), "blueprint.yaml") from None


def task_tree(order: Order, made: Made, task_id: str) -> tuple[Tree, str]:
    """Return the task directory and the rendered instruction.

    Raises:
        Unfit: an instruction that can't be rendered, or a test that names a hidden file that is not there.
    """
    blueprint = order.blueprint
    spec = blueprint.spec
    toolchain, verifier = toolchain_text(spec.toolchain), verifier_text(spec.toolchain)
    instruction = _instruction(order, made)
    hidden = {path: node for path, node in made.tree.items() if path.startswith("hidden/")}
    _hidden_exists(blueprint.tests, {path.removeprefix("hidden/") for path in hidden})
    mark = canary(task_id)
    tests = {
        "test.sh": text_file(harbor.TEST_SH, 0o755),
        "Dockerfile": text_file(harbor.tests_dockerfile(verifier, spec.packages)),
        "docker-compose.yaml": text_file(harbor.compose(PIDS, PRIVILEGES)),
        "test_outputs.py": text_file(blueprint.tests),
        "truth.json": text_file(json.dumps(made.truth, indent=1, sort_keys=True, ensure_ascii=False) + "\n"),
        "judge.json": text_file(harbor.judge_json(blueprint)),
        "canary.txt": text_file(f"{mark}\n"),
        **verifier_files(),
        **hidden,
    }
    metadata = {
        "skill": blueprint.skill_id,
        "skill_sha256": blueprint.skill_tree_sha256,
        "blueprint": blueprint.name,
        "author": f"{spec.author.kind}: {spec.author.name}",
        "archetype": spec.archetype,
        "verifier_pattern": spec.verifier_pattern,
    }
    tree: Tree = {
        "instruction.md": text_file(instruction),
        "task.toml": text_file(
            harbor.task_toml(blueprint, task_id, order.level, order.seed, metadata, MEMORY_MB)
        ),
        "environment/Dockerfile": text_file(harbor.environment_dockerfile(toolchain, spec.packages)),
        "environment/docker-compose.yaml": text_file(harbor.compose(spec.limits.pids)),
        "solution/solve.sh": text_file(harbor.solve_sh(blueprint, mark), 0o755),
    }
    world = placed(below(made.tree, "world"), "environment/world")
    return merged((tree, placed(tests, "tests"), world)), instruction


@cache
def _verifier() -> dict[str, str]:
    found = (file for file in files("skill2env.verifier").iterdir() if file.name.endswith((".py", ".ini")))
    return {file.name: file.read_text("utf-8") for file in sorted(found, key=lambda file: file.name)}


def verifier_files() -> Tree:
    """Return the verifier's package as it lies in every task's tests/."""
    return {f"verifier/{name}": text_file(text) for name, text in _verifier().items()}


def verifier_code_id() -> str:
    """Return the content id of the code that every task's tests/ carries."""
    return content_id(_verifier())


def _instruction(order: Order, made: Made) -> str:
    knobs = order.blueprint.spec.knob_values(order.level)
    values = {"knobs": knobs, "facts": made.facts, "level": order.level}
    try:
        return rendered(_TAGS_ALONE.sub(_closed_up, order.blueprint.instruction), values)
    except BadTemplate as error:
        message = f"the instruction can't be rendered: {error}; it sees knobs ({', '.join(sorted(knobs))}), facts and level only"
        raise Unfit("instruction", message, "instruction.md", error.line) from None


def _closed_up(line: re.Match[str]) -> str:
    """Return a line of tags with its line feed inside the last one: it leaves nothing, and the lines below keep their numbers."""
    tags = line[0].rstrip()
    return line[0] if tags[-3] == "-" else f"{tags[:-2]}\n{tags[-2:]}"


def _hidden_exists(tests: str, names: set[str]) -> None:
    """Refuse tests that name a hidden file, as a literal, that no world hides."""
    for node in ast.walk(parse_python(tests)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "hidden"
            and node.args
        ):
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value not in names:
                message = f"the tests name the hidden file {name.value!r}, which world.py does not make; hide it with world.hide"
                raise Unfit("hidden-file", message, "tests/test_outputs.py", node.lineno)
