"""Runs one trial: start, agent, kill, collect, judge; and tells the agent's faults from the infrastructure's."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from skill2env.errors import EngineDown, EngineError, WorkspaceError
from skill2env.models.blueprint import Limits, Step
from skill2env.models.trial import Perturbation, StepRecord, Timing, Trial, Verdict
from skill2env.sandbox.protocol import ContainerGone, Engine, Sandbox, SandboxSpec, TooMany
from skill2env.sandbox.shell import Ran, Shell
from skill2env.trial.collect import Collected, Refused, collect
from skill2env.trial.judge import Judge, agent_fault

VERSION = "1"
"""Part of every trial's key; raise it when trials would come out otherwise than before."""

OUTPUT_BYTES = 64_000
"""Bytes of a step's output that are recorded: the beginning and the end."""

DISK_BYTES = 4 << 30
"""Bytes that an agent may add to its container's file system; the disk below it is everybody's."""

_RETRIES = 2
_PROBE = "echo /sys/class/net/*"
_PROBE_SEC = 30
_DYING_SEC = 2.0
"""How long the engine may take to notice that a container has ended, after its shell has."""
_BASE_ENV = (("HOME", "/root"), ("LANG", "C.UTF-8"), ("DEBIAN_FRONTEND", "noninteractive"))

Role = Literal["nop", "reference", "alternative", "mistake"]


@dataclass(frozen=True)
class Place:
    """Where trials of one task happen."""

    task_id: str
    content_id: str
    image: str
    outputs: tuple[str, ...]
    limits: Limits
    record_changes: bool


@dataclass
class _Attempt:
    """What is known of a trial while it goes on."""

    acted: bool = False
    """The agent was let loose: from here on it may be the reason for whatever fails in its container."""
    judging: bool = False
    """Its container is gone; what fails now is none of its doing."""
    steps: list[StepRecord] = field(default_factory=list)
    network: str = ""
    fault: str = ""
    changed: tuple[str, ...] | None = None
    agent_sec: float = 0.0


def run_trial(
    engine: Engine,
    place: Place,
    judge: Judge,
    agent: str,
    role: Role,
    steps: tuple[Step, ...],
    around: Perturbation,
) -> Trial:
    """Run one scripted attempt and return it with the verifier's verdict.

    What the engine fails at is tried again. Where it fails at the same agent's container each time, while it and its
    sentinel live, the agent has made it so, and earns 0. Only somebody outside can remove a container: that is no fault of
    the agent's.

    Raises:
        EngineError: the infrastructure failed three times.
        WorkspaceError: there is no room for the outputs.
    """
    blamed = 0
    for attempt in range(_RETRIES + 1):
        state = _Attempt()
        try:
            return _attempt(engine, place, judge, agent, role, steps, around, state)
        except EngineError as error:
            blamed += (
                state.acted
                and not state.judging
                and not isinstance(error, (EngineDown, ContainerGone))
                and engine.alive()
            )
            if attempt == _RETRIES and blamed <= _RETRIES:
                raise
            reason = f"the agent's container broke each time: {error}"
        time.sleep(0.2 * (attempt + 1))
    nothing = Collected(Path())
    return _trial(
        place, agent, role, around, state, nothing, agent_fault(reason), Timing(agent=state.agent_sec)
    )


def _attempt(
    engine: Engine,
    place: Place,
    judge: Judge,
    agent: str,
    role: Role,
    steps: tuple[Step, ...],
    around: Perturbation,
    state: _Attempt,
) -> Trial:
    began = time.monotonic()
    folder = _folder()
    try:
        collected = Collected(folder)
        with engine.sandbox(_spec(place, agent, around)) as sandbox:
            _act(engine, sandbox, steps, place.limits.agent_sec, state)
            sandbox.kill()
            if not state.fault:
                collected = _collect(sandbox, place.outputs, folder, state)
            if place.record_changes:
                state.changed = _changes(sandbox, state)
        state.judging = True
        container_sec = time.monotonic() - began - state.agent_sec
        judged = time.monotonic()
        verdict, tests_sec = (agent_fault(state.fault), 0.0) if state.fault else judge.verdict(collected)
        judge_sec = time.monotonic() - judged
        return _trial(
            place,
            agent,
            role,
            around,
            state,
            collected,
            verdict,
            Timing(container=container_sec, agent=state.agent_sec, judge=judge_sec, tests=tests_sec),
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _trial(
    place: Place,
    agent: str,
    role: Role,
    around: Perturbation,
    state: _Attempt,
    collected: Collected,
    verdict: Verdict,
    timing: Timing,
) -> Trial:
    return Trial(
        task_id=place.task_id,
        task_content_id=place.content_id,
        agent=agent,
        role=role,
        perturbation=around.name,
        steps=tuple(state.steps),
        changed_paths=state.changed,
        outputs_sha256=collected.content_id(),
        network=state.network,
        verdict=verdict,
        timing=timing,
    )


def _spec(place: Place, agent: str, around: Perturbation) -> SandboxSpec:
    limits = place.limits
    return SandboxSpec(
        place.image,
        "trial",
        f"{place.task_id}/{agent}",
        limits.agent_sec,
        memory_mb=limits.memory_mb,
        cpus=limits.cpus,
        pids=limits.pids,
        env=(*_BASE_ENV, *around.env),
        hostname=around.hostname,
        one_cpu=around.one_cpu,
    )


def _act(
    engine: Engine, sandbox: Sandbox, steps: tuple[Step, ...], agent_sec: float, state: _Attempt
) -> None:
    """Run the steps in one shell; note the first fault of the agent."""
    shell = Shell(sandbox, OUTPUT_BYTES)
    try:
        state.network = _network(shell.run(_PROBE, _PROBE_SEC))
        if shell.ended:
            raise EngineError("the container's shell ended before the agent began")
        state.acted = True
        for step in steps:
            ran = shell.run(step.command, agent_sec - state.agent_sec, lambda: sandbox.written() > DISK_BYTES)
            state.agent_sec += ran.seconds
            state.steps.append(_record(step, ran))
            if ran.timed_out:
                state.fault = f"the agent ran out of its {agent_sec} s"
            if ran.stopped:
                state.fault = f"the agent wrote more than {DISK_BYTES >> 20} MB"
            if shell.ended:
                break
        if not state.fault and not _lives(sandbox, _DYING_SEC if shell.ended else 0):
            if not engine.alive():
                raise EngineError("the container and its engine went away in mid-trial")
            state.fault = "the agent's container ended before the agent did"
    finally:
        shell.close()


def _lives(sandbox: Sandbox, patience_sec: float) -> bool:
    """Return whether the sandbox still runs, now and after some patience."""
    deadline = time.monotonic() + patience_sec
    while sandbox.running():
        if time.monotonic() >= deadline:
            return True
        time.sleep(0.1)
    return False


def _changes(sandbox: Sandbox, state: _Attempt) -> tuple[str, ...] | None:
    try:
        return sandbox.changes()
    except TooMany as many:
        state.fault = state.fault or f"the agent did too much: {many}"
        return None


def _network(ran: Ran) -> str:
    interfaces = ran.output.decode("utf-8", "replace").split()
    return " ".join(sorted(name.rpartition("/")[2] for name in interfaces))


def _record(step: Step, ran: Ran) -> StepRecord:
    return StepRecord(
        why=step.why,
        command=step.command,
        output=ran.output.decode("utf-8", "replace"),
        output_bytes=ran.size,
        exit_code=ran.exit_code,
        seconds=ran.seconds,
    )


def _folder() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="skill2env-outputs-"))
    except OSError as error:
        raise WorkspaceError(
            f"no folder for outputs can be made ({error}); free space, or name another folder with TMPDIR, and run again"
        ) from error


def _collect(sandbox: Sandbox, outputs: tuple[str, ...], folder: Path, state: _Attempt) -> Collected:
    try:
        return collect(sandbox, outputs, folder)
    except Refused as refused:
        state.fault = f"the outputs were refused: {refused}"
        return Collected(folder)
    except OSError as error:
        raise WorkspaceError(
            f"{folder}: the outputs can't be written ({error.strerror}); free space and run again"
        ) from error
