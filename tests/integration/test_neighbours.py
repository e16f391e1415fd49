"""Harm done in one container while an honest trial runs beside it: the honest one earns 1, and the driver stays small."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from integration import made

from skill2env.models.blueprint import Limits
from skill2env.models.trial import Status, Trial
from skill2env.sandbox.building import BUILD_PIDS, BuildFailed, build_image
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.images import image_id
from skill2env.trial.judge import Judge

pytestmark = [pytest.mark.docker, pytest.mark.slow]

AGENT_SEC = 5
LIMITS = Limits(agent_sec=AGENT_SEC, verifier_sec=20, memory_mb=256, cpus=1, pids=64)
DRIVER_MB = 64
"""What the driver's memory may grow by while it runs both trials; the harm is gigabytes wherever it is not bounded."""
LONGEST_SEC = 90
TAG = "skill2env-test-neighbours:latest"


@dataclass(frozen=True)
class Harm:
    """What an agent does, and what comes of it."""

    command: str
    statuses: tuple[Status, ...]
    says: str = ""
    """A part of what its steps print, or of the verdict's reason."""


TIME_OUT = f"ran out of its {AGENT_SEC} s"
ENDED = (Status.FAIL, Status.AGENT_FAULT)
HARMS = {
    "a fork bomb": Harm("f() { f | f & }; f; sleep 60", ENDED),
    "processes that fork again when they are killed": Harm(
        "python3 -c 'import os, time\nwhile 1:\n try: os.fork()\n except OSError: time.sleep(0.01)'",
        (Status.AGENT_FAULT,),
        TIME_OUT,
    ),
    "a memory bomb": Harm("while :; do tail /dev/zero; done", (Status.AGENT_FAULT,), TIME_OUT),
    "memory bombs side by side": Harm(
        "for i in 1 2 3 4 5 6; do (while :; do tail /dev/zero; done) & done; wait",
        ENDED,
    ),
    "a full disk": Harm("cat /dev/zero > big", (Status.AGENT_FAULT,), "wrote more than 200 MB"),
    "endless output": Harm("yes $(head -c 3000 /dev/zero | tr '\\0' x)", (Status.AGENT_FAULT,), TIME_OUT),
    "endless output without a line": Harm("cat /dev/zero", (Status.AGENT_FAULT,), TIME_OUT),
    "the beginning of a marker and endless output": Harm(
        "printf '\\0%s ' \"$0\"; tr '\\0' 1 < /dev/zero", (Status.AGENT_FAULT,), TIME_OUT
    ),
    "signals that are ignored": Harm(
        "trap '' TERM INT HUP QUIT PIPE; setsid bash -c 'trap \"\" TERM HUP; while :; do sleep 1; done' & "
        "while :; do sleep 1; done",
        (Status.AGENT_FAULT,),
        TIME_OUT,
    ),
    "programs that are deleted": Harm(
        "rm -rf --no-preserve-root /usr /bin /lib /lib64 /etc /opt 2>/dev/null; while :; do :; done",
        (Status.AGENT_FAULT,),
        TIME_OUT,
    ),
    "a flood of zombies": Harm(
        "python3 -c 'import os, time\nwhile 1:\n try: os.fork() or os._exit(0)\n except OSError: time.sleep(0.01)'",
        (Status.AGENT_FAULT,),
        TIME_OUT,
    ),
    "a flood of programs": Harm("while :; do /bin/true; done", (Status.AGENT_FAULT,), TIME_OUT),
    "a file of a terabyte": Harm("truncate -s 1T report.json", (Status.AGENT_FAULT,), "outputs were refused"),
    "outputs without end": Harm(
        "mkdir out; for i in $(seq 9); do truncate -s 16000000 out/$i; done",
        (Status.AGENT_FAULT,),
        "more than 67108864 bytes",
    ),
    "thirty thousand files": Harm("mkdir out; cd out; seq 30000 | xargs touch", (Status.AGENT_FAULT,)),
    "io_uring": Harm(
        "python3 -c 'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print([libc.syscall(n, 8, 0) for n in (425, 426, 427)], ctypes.get_errno())'",
        (Status.FAIL,),
        "[-1, -1, -1] 1\n",
    ),
    "open files": Harm(
        'for i in 1 2 3 4 5 6 7 8; do python3 -c \'import time\nkept = []\ntry:\n while 1: kept.append(open("/dev/null"))\n'
        "except OSError as e: print(len(kept) < 4096, e.errno); time.sleep(1)' & done; wait",
        (Status.FAIL,),
        "True 24\n",
    ),
    "core dumps": Harm(
        "ulimit -c unlimited 2>/dev/null; ulimit -c; "
        "python3 -c 'import os; x = bytearray(10 ** 8); os.abort()'; ls core* 2>/dev/null | wc -l",
        (Status.FAIL,),
        "0\n",
    ),
    "shared memory": Harm(
        "cat /dev/zero > /dev/shm/a; size=$(stat -c %s /dev/shm/a); "
        "python3 -c 'import mmap; m = mmap.mmap(-1, 10 ** 9); m.write(bytes(10 ** 9))'; echo $size, code $?",
        (Status.FAIL,),
        "67108864, code 137\n",
    ),
}


def resident(field: str) -> int:
    """Return a size of this process from /proc/self/status, in MB: VmRSS now, VmHWM at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(field))


@contextmanager
def small_driver() -> Iterator[None]:
    """Hold the memory of this process to its bound while the block runs."""
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew, see proc(5)
    before = resident("VmRSS")
    yield
    assert resident("VmHWM") - before <= DRIVER_MB


@pytest.fixture(scope="module")
def judge(docker_engine: DockerEngine, judge_image: str) -> Iterator[Judge]:
    """Serves the honest trials, all of them."""
    with made.judge_of(docker_engine, judge_image) as judge:
        yield judge


def honest(engine: DockerEngine, image: str, judge: Judge) -> Trial:
    limits = Limits(agent_sec=60, verifier_sec=60, memory_mb=256, cpus=1, pids=128)
    return made.attempt(engine, image, judge, made.SOLUTION, limits=limits)


@pytest.mark.parametrize("what", HARMS)
def test_harm_beside_an_honest_trial(
    docker_engine: DockerEngine,
    shell_image: str,
    judge_image: str,
    judge: Judge,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("skill2env.trial.act.DISK_BYTES", 200 << 20)
    harm = HARMS[what]
    ends_by_itself = Status.AGENT_FAULT not in harm.statuses
    limits = LIMITS.model_copy(update={"agent_sec": 30}) if ends_by_itself else LIMITS

    def harmful() -> Trial:
        with made.judge_of(docker_engine, judge_image) as own:
            return made.attempt(
                docker_engine, shell_image, own, harm.command, limits=limits, record_changes=True
            )

    began = time.monotonic()
    with small_driver(), ThreadPoolExecutor(1) as pool:
        running = pool.submit(harmful)
        time.sleep(1)
        beside = honest(docker_engine, shell_image, judge)
        trial = running.result()
    assert (beside.verdict.status, beside.verdict.reward) == (Status.PASS, 1.0), beside.verdict
    assert trial.verdict.reward == 0
    assert trial.verdict.status in harm.statuses, trial.verdict
    assert harm.says in "".join(step.output for step in trial.steps) + trial.verdict.reason
    assert time.monotonic() - began < LONGEST_SEC


def _context(folder: Path, image: str, run: str) -> Path:
    (folder / "run.py").write_text(run)
    (folder / "Dockerfile").write_text(f"FROM {image}\nCOPY run.py /\nRUN python3 /run.py\n")
    return folder


COUNT = """
import os, time
count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    print("forked", count, error.errno, flush=True)
    os.kill(0, 9)
"""
BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""
MEMORY = "kept = [bytearray(1 << 20) for _ in range(2000)]\n"


@pytest.fixture
def tag(engine: docker.DockerClient) -> Iterator[str]:
    yield TAG
    if image_id(engine, TAG):
        engine.images.remove(TAG, force=True)


def test_processes_of_a_build_are_bounded(
    engine: docker.DockerClient, shell_image: str, tag: str, tmp_path: Path
) -> None:
    with pytest.raises(BuildFailed) as caught:
        build_image(engine, _context(tmp_path, shell_image, COUNT), tag, {})
    told = str(caught.value).split()
    assert "forked" in told, caught.value
    assert 0 < int(told[told.index("forked") + 1]) < BUILD_PIDS
    assert told[told.index("forked") + 2] == "11"


def test_memory_of_a_build_is_bounded(
    engine: docker.DockerClient, shell_image: str, tag: str, tmp_path: Path
) -> None:
    with pytest.raises(BuildFailed, match="non-zero code: 137"):
        build_image(engine, _context(tmp_path, shell_image, MEMORY), tag, {}, memory_mb=64)


def test_a_fork_bomb_in_a_build_beside_an_honest_trial(
    engine: docker.DockerClient,
    docker_engine: DockerEngine,
    shell_image: str,
    judge: Judge,
    tag: str,
    tmp_path: Path,
) -> None:
    def bomb() -> str:
        try:
            return build_image(engine, _context(tmp_path, shell_image, BOMB), tag, {}, timeout_sec=8)
        except Exception as error:
            return str(error)

    before = {found["Id"] for found in engine.api.containers(all=True)}
    with small_driver(), ThreadPoolExecutor(1) as pool:
        building = pool.submit(bomb)
        time.sleep(3)
        beside = honest(docker_engine, shell_image, judge)
        ours = [
            found["Id"]
            for found in engine.api.containers(all=True)
            if found["Id"] not in before and "/run.py" in found["Command"]
        ]
        for container in ours:
            engine.api.kill(container)
        building.result()
    assert ours, "the bomb did not run while the honest trial did"
    assert (beside.verdict.status, beside.verdict.reward) == (Status.PASS, 1.0)
