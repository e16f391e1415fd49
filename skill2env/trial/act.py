"""The agent's part of a trial: its steps in one shell, with an eye on what they use and what they leave behind."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from skill2env.errors import EngineError
from skill2env.models.blueprint import Step
from skill2env.models.trial import ModelPart, StepRecord, Usage
from skill2env.sandbox.protocol import Sandbox, TooMany
from skill2env.sandbox.shell import Ran, Shell

OUTPUT_BYTES = 64_000
"""Bytes of a step's output that are recorded: the beginning and the end."""

DISK_BYTES = 4 << 30
"""Bytes that an agent may add to its container's file system; the disk below it is everybody's."""

_DISK_WATCH_SEC = 3.0
_SAMPLE_SEC = 0.05
_PROBE = "echo /sys/class/net/*"
_PROBE_SEC = 30
_DYING_SEC = 2.0
"""How long the engine may take to notice that a container has ended, after its shell has."""
_STATE = "declare -p; declare -f; alias; trap; jobs; shopt; set +o; umask; pwd"
_VOLATILE = re.compile(
    rb"^declare -\S+ (?:_|__step|BASH\w*|EPOCH\w*|LINENO|PIPESTATUS|RANDOM|SECONDS|SRANDOM)(?:=.*)?$",
    re.MULTILINE,
)


class Policy(Protocol):
    """Where an agent's steps come from."""

    def next(self, seen: StepRecord | None, enough: Callable[[], bool]) -> Step | None:
        """Return the next step, or None at the end.

        Args:
            seen: what came of the step before; None at first.
            enough: whoever takes long asks it every few seconds, and ends where it says yes.
        """

    def account(self) -> ModelPart | None:
        """Return what a model said and cost so far; None for a script."""


class Scripted:
    """The steps of a script, whatever comes of them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        """Begin with the first."""
        self._steps = iter(steps)

    def next(self, seen: StepRecord | None, enough: Callable[[], bool]) -> Step | None:
        """Return the next step, or None after the last."""
        return next(self._steps, None)

    def account(self) -> ModelPart | None:
        """Return None."""
        return None


@dataclass
class Acted:
    """What is known of an agent while it acts."""

    began: bool = False
    """The agent was let loose: from here on it may be the reason for whatever fails in its container."""
    steps: list[StepRecord] = field(default_factory=list)
    network: str = ""
    fault: str = ""
    seconds: float = 0.0
    """Spent in the steps."""
    idle: list[int] = field(default_factory=list)
    """Indices of steps that left no trace; only seen when watched closely."""
    memory_bytes: int = 0
    processes: int = 0
    disk_bytes: int = 0

    def usage(self) -> Usage:
        """Return what was used, as seen when watched closely."""
        return Usage(
            memory_mb=round(self.memory_bytes / 1e6, 2),
            processes=self.processes,
            disk_mb=round(self.disk_bytes / 1e6, 2),
        )


class Watch:
    """Decides every few seconds whether an agent has gone too far, and samples what it uses if that is wanted."""

    def __init__(self, sandbox: Sandbox, acted: Acted, closely: bool) -> None:
        """Begin; the first look at the disk comes after a while."""
        self._sandbox = sandbox
        self._acted = acted
        self._closely = closely
        self._looked = time.monotonic()
        self.every_sec = _SAMPLE_SEC if closely else _DISK_WATCH_SEC

    def __call__(self) -> bool:
        """Return whether it is enough, which is then the agent's fault."""
        if self._closely:
            self.sample()
        if time.monotonic() - self._looked < _DISK_WATCH_SEC:
            return False
        self._looked = time.monotonic()
        if self._sandbox.written() <= DISK_BYTES:
            return False
        self._acted.fault = f"the agent wrote more than {DISK_BYTES >> 20} MB"
        return True

    def sample(self) -> None:
        """Note memory and processes, where they are more than before."""
        memory, processes = self._sandbox.usage()
        self._acted.memory_bytes = max(self._acted.memory_bytes, memory)
        self._acted.processes = max(self._acted.processes, processes)


def act(
    sandbox: Sandbox,
    policy: Policy,
    agent_sec: float,
    acted: Acted,
    uid: int = 0,
    umask: str = "022",
    after: Callable[[int], None] | None = None,
) -> bool:
    """Run a policy's steps in one shell, note the first fault of the agent, and return whether its shell still lives.

    `after` is called after each step but the last, with its index; with it, the agent is watched closely. `agent_sec` counts
    the seconds in the steps, not those in which the policy thinks.

    Raises:
        EngineError: the container broke. Whatever the policy raises goes through.
    """
    shell = Shell(sandbox, OUTPUT_BYTES, uid)
    watch = Watch(sandbox, acted, closely=after is not None)
    try:
        acted.network = _network(shell.run(f"umask {umask}; {_PROBE}", _PROBE_SEC))
        if shell.ended:
            raise EngineError("the container's shell ended before the agent began")
        acted.began = True
        traces = _traces(sandbox, shell) if after else None
        step, index = policy.next(None, watch), 0
        while step is not None:
            ran = shell.run(step.command, agent_sec - acted.seconds, watch, watch.every_sec)
            seen = _note(acted, step, ran, agent_sec)
            if shell.ended:
                break
            if after:
                watch.sample()
                before, traces = traces, _traces(sandbox, shell)
                acted.idle += [index] if traces and traces == before else []
            step, done, index = policy.next(seen, watch), index, index + 1
            if after and step is not None:
                after(done)
        if after:
            acted.disk_bytes = sandbox.written()
        return not shell.ended
    finally:
        shell.close()


def ended_early(sandbox: Sandbox, shell_lives: bool) -> bool:
    """Return whether the container is gone that should still be there."""
    return not _lives(sandbox, 0 if shell_lives else _DYING_SEC)


def _note(acted: Acted, step: Step, ran: Ran, agent_sec: float) -> StepRecord:
    acted.seconds += ran.seconds
    seen = StepRecord(
        why=step.why,
        command=step.command,
        output=ran.output.decode("utf-8", "replace"),
        output_bytes=ran.size,
        exit_code=ran.exit_code,
        seconds=ran.seconds,
    )
    acted.steps.append(seen)
    if ran.timed_out:
        acted.fault = f"the agent ran out of its {agent_sec:g} s"
    return seen


def _lives(sandbox: Sandbox, patience_sec: float) -> bool:
    """Return whether the sandbox still runs, now and after some patience."""
    deadline = time.monotonic() + patience_sec
    while sandbox.running():
        if time.monotonic() >= deadline:
            return True
        time.sleep(0.1)
    return False


def _traces(sandbox: Sandbox, shell: Shell) -> str | None:
    """Return a hash of all that a step may leave to the next: files, and the state of the shell; None where it can't be told."""
    try:
        files = sandbox.fingerprint()
    except TooMany:
        return None
    if files is None:
        return None
    ran = shell.run(_STATE, _PROBE_SEC)
    if ran.size != len(ran.output):
        return None
    return hashlib.sha256(files.encode() + _VOLATILE.sub(b"", ran.output)).hexdigest()


def _network(ran: Ran) -> str:
    interfaces = ran.output.decode("utf-8", "replace").split()
    return " ".join(sorted(name.rpartition("/")[2] for name in interfaces))
