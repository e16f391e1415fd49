"""How trials end: a reward whenever the agent is the reason, and no verdict or an error whenever it is not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from integration import made

from skill2env.errors import EngineError
from skill2env.models.blueprint import Limits
from skill2env.models.trial import Status, Trial
from skill2env.sandbox.docker import DockerEngine
from skill2env.trial.judge import Judge

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def judge(docker_engine: DockerEngine, judge_image: str) -> Iterator[Judge]:
    with made.judge_of(docker_engine, judge_image) as judge:
        yield judge


class Agent:
    """Runs commands as an agent and returns the trial."""

    def __init__(self, engine: DockerEngine, image: str, judge: Judge) -> None:
        self._engine, self._image, self._judge = engine, image, judge

    def __call__(self, *commands: str, judge: Judge | None = None, **kwargs: object) -> Trial:
        return made.attempt(self._engine, self._image, judge or self._judge, *commands, **kwargs)


@pytest.fixture(scope="module")
def agent(docker_engine: DockerEngine, shell_image: str, judge: Judge) -> Agent:
    return Agent(docker_engine, shell_image, judge)


def test_the_solution_passes(agent: Agent) -> None:
    trial = agent(made.SOLUTION)
    assert (trial.verdict.status, trial.verdict.reward, trial.verdict.partial_reward) == (
        Status.PASS,
        1.0,
        1.0,
    )
    assert [check.passed for check in trial.verdict.checks] == [True] * 4
    assert trial.network == "lo"


def test_half_a_solution_earns_its_share_and_no_reward(agent: Agent) -> None:
    trial = agent("""echo '{"total": 1274}' > report.json""")
    assert (trial.verdict.status, trial.verdict.reward, trial.verdict.partial_reward) == (
        Status.FAIL,
        0.0,
        0.5,
    )


def test_a_broken_guard_takes_all(agent: Agent) -> None:
    trial = agent(made.SOLUTION, "mkdir -p out/junk")
    assert (trial.verdict.status, trial.verdict.reward, trial.verdict.partial_reward) == (
        Status.FAIL,
        0.0,
        0.0,
    )


def test_doing_nothing_earns_nothing(agent: Agent) -> None:
    trial = agent()
    assert (trial.verdict.status, trial.verdict.partial_reward) == (Status.FAIL, 0.0)


def test_steps_are_recorded_as_an_agent_sees_them(agent: Agent) -> None:
    trial = agent("cd /tmp; echo one", "pwd; false", "echo err >&2; exit 3", "echo never")
    assert [(step.output, step.exit_code) for step in trial.steps] == [
        ("one\n", 0),
        ("/tmp\n", 1),
        ("err\n", None),
    ]


def test_outputs_count_although_the_shell_ended(agent: Agent) -> None:
    assert agent(made.SOLUTION, "exit 7").verdict.status is Status.PASS


def test_running_out_of_time_is_the_agents_fault(agent: Agent) -> None:
    began = time.monotonic()
    limits = Limits(agent_sec=5, verifier_sec=20, memory_mb=256, cpus=1, pids=128)
    trial = agent(made.SOLUTION, "sleep 600", limits=limits)
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0.0)
    assert trial.verdict.reason == "the agent ran out of its 5 s"
    assert time.monotonic() - began < 30


def test_killing_the_container_is_the_agents_fault(agent: Agent) -> None:
    trial = agent(made.SOLUTION, "kill -9 -1; kill -TERM 1; sleep 10")
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0.0)
    assert trial.verdict.reason == "the agent's container ended before the agent did"


def test_killing_it_in_the_background_is_no_error(agent: Agent) -> None:
    trial = agent("(sleep 0.3; kill -9 -1) & sleep 5")
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0.0)


def test_deleting_all_programs_hides_nothing(agent: Agent) -> None:
    command = "rm -rf --no-preserve-root /usr /bin /lib /lib64 /etc 2>/dev/null; echo $?"
    assert agent(command).verdict.status is Status.FAIL
    assert agent(made.SOLUTION, command).verdict.status is Status.PASS


def test_using_all_memory_is_a_reward_of_nothing(agent: Agent) -> None:
    trial = agent("python3 -c 'x = bytearray(4 << 30)'; echo code $?", "tail /dev/zero; echo code $?")
    assert trial.verdict.reward == 0
    assert trial.verdict.status in (Status.FAIL, Status.AGENT_FAULT)
    assert "code 0" not in "".join(step.output for step in trial.steps)


REFUSED = {
    "a link": ("echo '{\"total\": 1274}' > r; ln -s r report.json", "no regular file"),
    "a link to a device": ("ln -s /dev/zero report.json", "no regular file"),
    "a dangling link": ("ln -s /nowhere report.json", "no regular file"),
    "a FIFO": ("rm -f report.json; mkfifo report.json", "no regular file"),
    "a socket": (
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"report.json\")'",
        "no regular file",
    ),
    "a FIFO inside": ("mkdir out; mkfifo out/p", "no regular file"),
    "a link inside": ("mkdir out; ln -s / out/root", "no regular file"),
    "a hard link inside": ("mkdir out; echo 1 > out/a; ln out/a out/b", "no regular file"),
    "a folder on the way that is a link": ("cd /; mv workspace real; ln -s real workspace", "no folder"),
    "a sparse giant": ("truncate -s 1T report.json", "bytes, more than"),
    "seventeen megabytes": ("head -c 17000000 /dev/zero > report.json", "bytes, more than"),
    "too many bytes in all": (
        "mkdir out; for i in 1 2 3 4 5; do head -c 16000000 /dev/zero > out/$i; done",
        "more than 67108864 bytes",
    ),
    "2,001 files": ("mkdir out; cd out; seq 2001 | xargs touch", "more than 2000 entries"),
    "40 levels": ("mkdir -p out/$(seq -s / 40)", "folders deep"),
    "1,500 levels": (
        'mkdir out; cd out; python3 -c \'import os; [(os.mkdir("d"), os.chdir("d")) for _ in range(1500)]\'',
        "folders deep",
    ),
    "a path that no host can write": (
        "mkdir out; cd out; n=$(printf %0250d 0); for i in $(seq 17); do mkdir $n; cd $n; done; echo > f",
        "has more than 1024 bytes",
    ),
    "a newline in a name": ("mkdir out; touch out/$'a\\nb'", "not allowed"),
    "a name that is no UTF-8": ("mkdir out; touch out/$'a\\xff'", "not allowed"),
    "an escape code in a name": ("mkdir out; touch out/$'\\e[2J'", "not allowed"),
}


@pytest.fixture(scope="module")
def refused(docker_engine: DockerEngine, shell_image: str, judge_image: str) -> dict[str, Trial]:
    """All of them, two at a time; each has a judge of its own, which should never have to start."""

    def attempt(command: str) -> Trial:
        with made.judge_of(docker_engine, judge_image) as judge:
            return made.attempt(
                docker_engine, shell_image, judge, made.SOLUTION, "rm -f report.json", command
            )

    with ThreadPoolExecutor(2) as pool:
        trials = {what: pool.submit(attempt, command) for what, (command, _) in REFUSED.items()}
        return {what: trial.result() for what, trial in trials.items()}


@pytest.mark.parametrize("what", REFUSED)
def test_outputs_that_are_refused_are_the_agents_fault(refused: dict[str, Trial], what: str) -> None:
    _, reason = REFUSED[what]
    trial = refused[what]
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0.0)
    assert trial.verdict.reason.startswith("the outputs were refused: ")
    assert reason in trial.verdict.reason
    assert trial.verdict.checks == ()


ABSENT = {
    "a device": "mknod report.json c 1 3 || mknod report.json c 0 0",
    "a file on the way": "cd /; rm -rf workspace; echo > workspace",
    "a link to itself on the way": "cd /; rm -rf workspace; ln -s workspace workspace",
    "no workspace": "cd /; rm -rf workspace",
}


@pytest.mark.parametrize("what", ABSENT)
def test_outputs_that_cannot_be_there_are_a_reward_of_nothing(agent: Agent, what: str) -> None:
    trial = agent(made.SOLUTION, "rm -f report.json", ABSENT[what])
    assert trial.verdict.reward == 0
    assert trial.verdict.status in (Status.FAIL, Status.AGENT_FAULT)


def test_modes_are_plain_after_collecting(agent: Agent) -> None:
    trial = agent(made.SOLUTION, "chmod 7777 tool.py; chmod 000 report.json")
    assert trial.verdict.status is Status.PASS


def test_filling_the_disk_is_the_agents_fault(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skill2env.trial.act.DISK_BYTES", 50 << 20)
    trial = agent(made.SOLUTION, "head -c 200000000 /dev/zero > big; sleep 60")
    assert trial.verdict.status is Status.AGENT_FAULT
    assert trial.verdict.reason == "the agent wrote more than 50 MB"


def test_changed_paths_are_recorded_within_bounds(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = agent("mkdir kept; touch kept/one", record_changes=True)
    assert {"/workspace/kept", "/workspace/kept/one"} <= set(trial.changed_paths or ())
    assert not [path for path in trial.changed_paths or () if path.startswith("/usr")]
    monkeypatch.setattr("skill2env.sandbox.container._CHANGES_BYTES", 20_000)
    monkeypatch.setattr("skill2env.sandbox.layer.MAX_ENTRIES", 2_000)
    trial = agent("mkdir many; cd many; seq 3000 | xargs touch", record_changes=True)
    assert (trial.verdict.status, trial.changed_paths) == (Status.AGENT_FAULT, None)


def test_tests_that_cannot_be_loaded_are_no_verdict(
    agent: Agent, docker_engine: DockerEngine, judge_image: str
) -> None:
    with made.judge_of(docker_engine, judge_image, made.tests_tree("def test_x(:\n")) as judge:
        verdict = agent(made.SOLUTION, judge=judge).verdict
    assert (verdict.status, verdict.reward) == (Status.NO_VERDICT, 0.0)
    assert "can't be loaded" in verdict.reason


FRAGILE = """
import os, signal, time
from pathlib import Path
def test_report(workspace, read_text):
    word = read_text(workspace / "report.json").strip()
    if word == "kill the judge":
        judge = Path("/proc", str(os.getppid()), "stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(judge), signal.SIGKILL)
        time.sleep(5)
    if word == "kill the tests":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "end the tests":
        os._exit(0)
    if word == "hang":
        time.sleep(600)
    assert word == "well"
"""


@pytest.mark.parametrize("word", ["kill the judge", "kill the tests", "end the tests", "hang"])
def test_outputs_that_break_the_judge_are_the_agents_fault_and_the_next_set_is_judged(
    docker_engine: DockerEngine, judge_image: str, word: str
) -> None:
    with made.judge_of(docker_engine, judge_image, made.tests_tree(FRAGILE), timeout_sec=3) as judge:
        broken, _ = judge.verdict(made.outputs({"workspace/report.json": word}))
        well, _ = judge.verdict(made.outputs({"workspace/report.json": "well"}))
    assert (broken.status, broken.reward) == (Status.AGENT_FAULT, 0.0)
    assert (well.status, well.reward) == (Status.PASS, 1.0)


def test_a_judge_that_cannot_start_is_the_infrastructures_fault(
    docker_engine: DockerEngine, judge_image: str
) -> None:
    broken = {**made.tests_tree(), "verifier/judge.py": made.text_file("raise SystemExit\n")}
    with (
        made.judge_of(docker_engine, judge_image, broken) as judge,
        pytest.raises(EngineError, match="does not start"),
    ):
        judge.verdict(made.outputs({"workspace/report.json": "{}"}))
    with made.judge_of(docker_engine, "sha256:" + "0" * 64) as judge, pytest.raises(EngineError):
        judge.verdict(made.outputs({"workspace/report.json": "{}"}))


def test_the_same_outputs_get_the_same_verdict(docker_engine: DockerEngine, judge: Judge) -> None:
    contents = {"workspace/report.json": '{"total": 1274}', "workspace/tool.py": "print(6)\n"}
    collected = made.outputs(contents)
    first, *others = [judge.verdict(collected)[0] for _ in range(10)]
    assert all(other == first for other in others)
    assert [check.passed for check in first.checks] == [True, True, False, True]
