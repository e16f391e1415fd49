"""The verifier that the attacks must defeat: an honest model of a harness that grades in the agent's own container.

The agent's container stays up, and with it whatever the agent left running. The tests are copied in as root afterwards, stale
reward files are removed, the system's python3 runs pytest in the work folder, and the reward is read from
`/logs/verifier/reward.json`, else `reward.txt`: Harbor's shared mode, with tests as they are usually written.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass
from pathlib import Path

from attacks.runner import Scene

from skill2env.errors import EngineError
from skill2env.models.tree import BadTree, Tree, pack, text_file, unpack
from skill2env.sandbox.protocol import Engine, Sandbox, SandboxSpec
from skill2env.sandbox.shell import Shell

HERE = Path(__file__).parent
REWARDS = "/logs/verifier"
_VERIFY_SEC = 60
_VERIFY = f"mkdir -p {REWARDS}; rm -f -- {REWARDS}/reward.txt {REWARDS}/reward.json"
_TEST = f"bash /tests/test.sh > {REWARDS}/test-stdout.txt 2>&1"


@dataclass(frozen=True)
class Graded:
    """What the naive harness makes of a trial."""

    reward: float | None
    """The reward; None where there is no reward file, which is an error of the harness and no reward."""
    seconds: float
    printed: str
    """What the tests printed."""


def tests_of(tests: Tree) -> Tree:
    """Return the naive tests over the truth and the hidden inputs of the task's own ones."""
    truth = json.loads(tests["truth.json"].data)
    return {
        "tests/test.sh": text_file((HERE / "test.sh").read_text("utf-8"), 0o755),
        "tests/test_outputs.py": text_file((HERE / "outputs.py").read_text("utf-8")),
        "tests/expected.json": text_file(json.dumps(truth["report"])),
        "tests/trials.json": tests["hidden/trials.json"],
    }


def run(engine: Engine, scene: Scene, name: str, *commands: str) -> Graded:
    """Return what the naive harness makes of an attack."""
    limits = scene.place.limits
    spec = SandboxSpec(
        scene.place.image,
        "trial",
        f"naive/{name}",
        limits.agent_sec + _VERIFY_SEC,
        memory_mb=limits.memory_mb,
        cpus=limits.cpus,
        pids=limits.pids,
        env=(("HOME", "/root"), ("LANG", "C.UTF-8"), ("DEBIAN_FRONTEND", "noninteractive")),
    )
    began = time.monotonic()
    with engine.sandbox(spec) as sandbox:
        _act(sandbox, scene, commands)
        printed = ""
        with contextlib.suppress(EngineError):
            sandbox.put("/", pack(tests_of(scene.tests)))
            _exec(sandbox, _VERIFY, 10)
            _exec(sandbox, _TEST, _VERIFY_SEC)
            printed = _read(sandbox, "test-stdout.txt").decode("utf-8", "replace")
        return Graded(_reward(sandbox), time.monotonic() - began, printed)


def _act(sandbox: Sandbox, scene: Scene, commands: tuple[str, ...]) -> None:
    left = float(scene.place.limits.agent_sec)
    shell = Shell(sandbox, 64_000)
    for step in scene.target.steps(*commands):
        ran = shell.run(step.command, left)
        left -= ran.seconds
        if shell.ended or ran.timed_out:
            break
    shell.close()


def _exec(sandbox: Sandbox, command: str, seconds: float) -> None:
    """Run a command as the harness does, by the container's own bash."""
    stream = sandbox.exec(("bash", "-c", command))
    deadline = time.monotonic() + seconds
    with contextlib.suppress(TimeoutError):
        while stream.receive(max(0.1, deadline - time.monotonic())) and time.monotonic() < deadline:
            pass
    stream.close()


def _read(sandbox: Sandbox, name: str) -> bytes:
    try:
        return unpack(b"".join(sandbox.get(f"{REWARDS}/{name}")))[name].data
    except (EngineError, BadTree, KeyError):
        return b""


def _reward(sandbox: Sandbox) -> float | None:
    try:
        if found := _read(sandbox, "reward.json"):
            return float(json.loads(found)["reward"])
        if found := _read(sandbox, "reward.txt"):
            return float(found)
    except (ValueError, KeyError, TypeError):
        return None
    return None
