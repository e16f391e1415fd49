"""The process that collects the tests once: what a set finds, what ends it, and who is to blame."""

from __future__ import annotations

import pytest
from integration import made

from skill2env.models.trial import Status, Verdict
from skill2env.sandbox.docker import DockerEngine

pytestmark = pytest.mark.docker

SECONDS = 60
HANGS_SEC = 8
"""Where something never ends; all else must still be through by then, whatever else the machine does."""
RIGHT = {"workspace/report.json": "{}"}


def verdicts(
    engine: DockerEngine, image: str, tests: str, *delivered: dict[str, str], seconds: int = SECONDS
) -> list[Verdict]:
    with made.judge_of(engine, image, made.tests_tree(tests), seconds) as judge:
        return [judge.verdict(made.outputs(files, 0o644))[0] for files in delivered]


COUNTED = """
import os
from pathlib import Path
seen = sorted(path.name for path in Path("/workspace").iterdir())
calls = []

def test_collected_before_any_outputs_lay_there_and_run_in_a_fork_of_its_own():
    calls.append(1)
    assert (seen, calls) == ([], [1])

def test_environment():
    assert sorted(os.environ) == ["LC_ALL", "PATH", "PYTEST_CURRENT_TEST", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    assert os.getcwd() == "/"
    assert os.getsid(0) == os.getpid() and os.getuid() == 0
"""


def test_each_set_starts_from_the_same(docker_engine: DockerEngine, judge_image: str) -> None:
    found = verdicts(docker_engine, judge_image, COUNTED, RIGHT, RIGHT, RIGHT)
    assert [(verdict.status, verdict.checks[0].message) for verdict in found] == [(Status.PASS, "")] * 3


SETS = """
def test_words(workspace, read_text):
    words = set(read_text(workspace / "report.json").split())
    assert words == {"north", "south", "east", "west", "up", "down"}
"""


def test_the_same_outputs_are_told_in_the_same_words(docker_engine: DockerEngine, judge_image: str) -> None:
    """Whatever container they are judged in: sets are told in one order."""
    delivered = {"workspace/report.json": "left right in out over under north"}
    told = {verdicts(docker_engine, judge_image, SETS, delivered)[0] for _ in range(3)}
    assert len(told) == 1
    assert "Extra items" in told.pop().checks[0].message


ENDINGS = """
import os, signal, time
from pathlib import Path

def test_end(workspace, read_text):
    how = read_text(workspace / "report.json")
    if how == "collector":
        os.kill(os.getppid(), signal.SIGKILL)
    elif how == "tests":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "hang":
        time.sleep(60)
    elif how == "flood":
        assert 0, "x" * (1 << 20)
    assert how == "right"
"""


@pytest.mark.parametrize(
    ("how", "status", "reason"),
    [
        ("collector", Status.FAIL, ""),
        ("tests", Status.AGENT_FAULT, "judging the outputs killed the tests"),
        ("hang", Status.AGENT_FAULT, "judging the outputs took more than 8 s"),
        ("flood", Status.FAIL, ""),
    ],
)
def test_whatever_ends_a_set_the_next_is_judged_as_ever(
    docker_engine: DockerEngine, judge_image: str, how: str, status: Status, reason: str
) -> None:
    sets = [{"workspace/report.json": text} for text in (how, "right", how, "right")]
    seconds = HANGS_SEC if how == "hang" else SECONDS
    found = verdicts(docker_engine, judge_image, ENDINGS, *sets, seconds=seconds)
    assert [(verdict.status, verdict.reason) for verdict in found] == [
        (status, reason),
        (Status.PASS, ""),
    ] * 2


@pytest.mark.parametrize(
    ("tests", "told"),
    [
        ("import os\nos._exit(3)\n", "the process ended"),
        ("import time\ntime.sleep(60)\n", "took more than"),
        ("import nowhere\n", "No module named 'nowhere'"),
        ("def test_x(:\n", "SyntaxError"),
    ],
    ids=["exits", "hangs", "missing module", "syntax"],
)
def test_what_cannot_be_collected_is_the_tests_fault(
    docker_engine: DockerEngine, judge_image: str, tests: str, told: str
) -> None:
    seconds = HANGS_SEC if "sleep" in tests else SECONDS
    for verdict in verdicts(docker_engine, judge_image, tests, RIGHT, {}, seconds=seconds):
        assert verdict.status is Status.NO_VERDICT
        assert verdict.reason.startswith("tests/test_outputs.py can't be loaded")
        assert told in verdict.reason


ONE_FAILS = """
def test_first(workspace):
    assert not (workspace / "first").exists()

def test_second(workspace):
    assert not (workspace / "second").exists()

def test_third():
    pass
"""


def test_with_fail_fast_the_first_failure_is_the_last_test_and_the_likely_one_comes_first(
    docker_engine: DockerEngine, judge_image: str
) -> None:
    first, second, both = (
        {f"workspace/{name}": "" for name in names} for names in (["first"], ["second"], ["first", "second"])
    )
    with made.judge_of(docker_engine, judge_image, made.tests_tree(ONE_FAILS), SECONDS) as judge:

        def failed(files: dict[str, str], fast: bool) -> list[int]:
            """Return the places of the tests that failed, and 9 if there are some that were not run."""
            told = [check.message for check in judge.verdict(made.outputs(files), fast)[0].checks]
            return [at for at, message in enumerate(told) if message not in ("", "not run")] + [9] * (
                "not run" in told
            )

        assert [failed(files, True) for files in (first, both, {}, both)] == [[0, 9], [0, 9], [], [0, 9]]
        assert [failed(files, True) for files in (second, both, both)] == [[1, 9]] * 3
        assert [failed(files, False) for files in (both, second, {})] == [[0, 1], [1], []]
        assert failed(both, True) == [1, 9]


STOPS = """
import pytest

def test_report(workspace):
    if (workspace / "report.json").exists() or {always}:
        pytest.exit("enough")
"""


@pytest.mark.parametrize(
    ("always", "status", "reason"),
    [
        (False, Status.AGENT_FAULT, "the outputs stopped the tests: pytest ended with exit code 2"),
        (True, Status.NO_VERDICT, "pytest ended with exit code 2"),
    ],
)
def test_who_is_to_blame_for_tests_that_stop(
    docker_engine: DockerEngine, judge_image: str, always: bool, status: Status, reason: str
) -> None:
    tests = STOPS.format(always=always)
    for verdict in verdicts(docker_engine, judge_image, tests, RIGHT, RIGHT):
        assert (verdict.status, verdict.reason) == (status, reason)
