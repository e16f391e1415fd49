"""The verifier's fixtures in a real judge: the tests of tests/integration/judged/ run inside it, as a task's tests do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from integration import made

from skill2env.models.trial import CheckResult
from skill2env.sandbox.docker import DockerEngine

pytestmark = pytest.mark.docker

JUDGED = Path(__file__).with_name("judged")
SECONDS = 120


def _names() -> list[tuple[str, str]]:
    return [
        (file.stem, node.name)
        for file in sorted(JUDGED.glob("*.py"))
        if file.stem != "traces"
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


@pytest.fixture(scope="module")
def judged(docker_engine: DockerEngine, judge_image: str) -> Callable[[str], tuple[CheckResult, ...]]:
    @cache
    def judge(file: str) -> tuple[CheckResult, ...]:
        tree = made.tests_tree((JUDGED / f"{file}.py").read_text("utf-8"))
        delivered = made.outputs({"workspace/report.json": '{"total": 1274}'}, 0o644)
        with made.judge_of(docker_engine, judge_image, tree, SECONDS) as judge:
            verdict, _ = judge.verdict(delivered)
        assert verdict.checks, verdict.reason
        return verdict.checks

    return judge


@pytest.mark.parametrize(("file", "name"), _names(), ids=lambda value: value)
def test_in_the_judge(judged: Callable[[str], tuple[CheckResult, ...]], file: str, name: str) -> None:
    mine = [check for check in judged(file) if check.name.split("[")[0] == name]
    assert mine
    assert not [f"{check.name}: {check.message}" for check in mine if not check.passed]


def test_a_set_leaves_no_trace_for_the_next(
    docker_engine: DockerEngine, judge_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    pipe = docker_engine.pipe
    monkeypatch.setattr(docker_engine, "pipe", lambda *given: started.append(given) or pipe(*given))
    tree = made.tests_tree((JUDGED / "traces.py").read_text("utf-8"))
    with made.judge_of(docker_engine, judge_image, tree, SECONDS) as judge:
        verdicts = [
            judge.verdict(made.outputs({"workspace/report.json": phase}, 0o644))[0]
            for turn, phase in enumerate(("leave", "look", "leave", "look"))
        ]
    assert [(v.reason, [c.message for c in v.checks if not c.passed]) for v in verdicts] == [("", [])] * 4
    assert len(started) == 1


LINGERING = """
import socket

def test_port(run, workspace):
    code = "import socket\\nserver = socket.create_server(('127.0.0.1', 7000))\\n"
    code += "client = socket.create_connection(('127.0.0.1', 7000))\\nserver.accept()[0].close()\\nclient.close()"
    assert run(["python3", "-c", code]).code == 0
    bound = run(["python3", "-c", "import socket; socket.socket().bind(('127.0.0.1', 7001))"])
    assert bound.code == 0
"""


def test_where_connections_linger_the_next_set_gets_a_judge_of_its_own(
    docker_engine: DockerEngine, judge_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on kernels that do not know the setting that forgets them at once."""
    monkeypatch.setattr(docker_engine, "_sysctls", {})
    started = []
    pipe = docker_engine.pipe
    monkeypatch.setattr(docker_engine, "pipe", lambda *given: started.append(given) or pipe(*given))
    with made.judge_of(docker_engine, judge_image, made.tests_tree(LINGERING), SECONDS) as judge:
        verdicts = [judge.verdict(made.outputs({}))[0] for turn in ("1", "2")]
    assert [verdict.reward for verdict in verdicts] == [1, 1], verdicts
    assert len(started) == 2
