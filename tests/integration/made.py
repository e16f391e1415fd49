"""A tiny task made by hand: a report to write, and a program that is graded on numbers it has never seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files

from skill2env.models.blueprint import Limits, Step
from skill2env.models.tree import Node, Tree, text_file
from skill2env.models.trial import Trial
from skill2env.sandbox.protocol import Engine
from skill2env.trial.judge import Judge, judging
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Place, run_trial

REPORT = "/workspace/report.json"
TOOL = "/workspace/tool.py"
FOLDER = "/workspace/out"
OUTPUTS = (REPORT, TOOL, FOLDER)
TRUTH = '{"total": 1274, "hidden": {"1 2 3": 6, "40 2 -7": 35}}'
LIMITS = Limits(agent_sec=30, verifier_sec=20, memory_mb=256, cpus=1, pids=128)

TESTS = """
import pytest


@pytest.mark.check(weight=2)
def test_report(workspace, read_json, truth):
    assert read_json(workspace / "report.json")["total"] == truth["total"]


@pytest.mark.parametrize("numbers", ["1 2 3", "40 2 -7"])
def test_tool_on_hidden_numbers(workspace, run, truth, numbers):
    result = run(["python3", workspace / "tool.py"], stdin=numbers)
    assert result.code == 0, result.err
    assert result.out.strip() == str(truth["hidden"][numbers])


@pytest.mark.guard
def test_nothing_else_is_delivered(output):
    assert not (output("/workspace/out") / "junk").exists()
"""

SOLUTION = """
seq 1 49 > numbers.txt
cat > tool.py <<'PY'
import sys
print(sum(int(word) for word in sys.stdin.read().split()))
PY
printf '{"total": %d}\\n' $(( $(python3 tool.py < numbers.txt) + 49 )) > report.json
"""
"""What earns 1: the total is that of 1 to 49, plus 49."""


def verifier() -> Tree:
    """Return the verifier's package as every task carries it."""
    folder = files("skill2env.verifier")
    kept = (file for file in folder.iterdir() if file.name.endswith((".py", ".ini")))
    return {f"verifier/{file.name}": text_file(file.read_text("utf-8")) for file in kept}


def tests_tree(tests: str = TESTS, truth: str = TRUTH, hidden: Mapping[str, str] = {}) -> Tree:
    """Return a task's tests/ folder."""
    own = {"test_outputs.py": text_file(tests), "truth.json": text_file(truth)}
    return {**verifier(), **own, **{f"hidden/{name}": text_file(text) for name, text in hidden.items()}}


def place(image: str, limits: Limits = LIMITS, record_changes: bool = False) -> Place:
    """Return where trials of the task happen."""
    return Place("made--task--easy-s1", "0" * 64, image, OUTPUTS, limits, record_changes)


@contextmanager
def judge_of(
    engine: Engine, image: str, tree: Tree | None = None, timeout_sec: float = 20
) -> Iterator[Judge]:
    """Give a judge of the task, or of other tests."""
    with judging(engine, image, "made--task--easy-s1", tree or tests_tree(), timeout_sec) as judge:
        yield judge


def attempt(engine: Engine, image: str, judge: Judge, *commands: str, **kwargs: object) -> Trial:
    """Return the trial of an agent that runs the commands."""
    steps = tuple(Step(why="", command=command) for command in commands)
    where = place(image, **kwargs)  # type: ignore[arg-type]
    return run_trial(engine, where, judge, Attempt("made", "mistake", steps, PLAIN)).trial


def outputs(contents: Mapping[str, str | bytes], mode: int = 0o755) -> Tree:
    """Return outputs as if they had been collected; paths are relative to the root."""
    return {
        path: Node("file", content.encode() if isinstance(content, str) else content, mode)
        for path, content in contents.items()
    }
