"""A trial: one agent, one task, one attempt, and the verifier's verdict on it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from skill2env.models.base import Record


class Status(StrEnum):
    """How a trial ended. Only `no_verdict` is nobody's doing; everything else is a reward."""

    PASS = "pass"
    FAIL = "fail"
    AGENT_FAULT = "agent_fault"
    NO_VERDICT = "no_verdict"


class CheckResult(Record):
    """The outcome of one test of the verifier."""

    name: str
    """Name of the test, with its parameters."""
    kind: Literal["check", "guard"]
    """A check adds reward; a guard must hold."""
    group: str
    """Group of the check."""
    weight: float
    """Weight in `partial_reward`; 0 for a guard."""
    passed: bool
    """Whether it held."""
    message: str = ""
    """Why not (capped)."""


class Verdict(Record):
    """What the verifier says of one set of outputs."""

    status: Status
    """pass, fail, agent_fault or no_verdict."""
    reward: float
    """1 if every check and guard held, else 0."""
    partial_reward: float
    """Weighted share of the checks that held; 0 where a guard failed."""
    checks: tuple[CheckResult, ...] = ()
    """Every check and guard."""
    reason: str = ""
    """Why there is an agent fault or no verdict."""


class StepRecord(Record):
    """One executed step."""

    why: str
    """The agent's words."""
    command: str
    """Bash text that was run."""
    output: str
    """Standard output and standard error as an agent would see them (capped in the middle)."""
    output_bytes: int
    """Size of the whole output, the part left out included."""
    exit_code: int | None
    """Exit code; empty where the step never ended."""
    seconds: float
    """Wall seconds."""


class Perturbation(Record):
    """The surroundings of a trial that must not matter."""

    name: str = "plain"
    """Name of the set."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables."""
    hostname: str = "workstation"
    """Host name."""
    one_cpu: bool = False
    """Pinned to a single cpu."""


class Timing(Record):
    """Where the time of a trial went, in wall seconds."""

    container: float = 0.0
    """Creating, starting, killing and removing the agent's container, and collecting."""
    agent: float = 0.0
    """In the steps themselves."""
    judge: float = 0.0
    """In the verifier, from sending the outputs to the verdict."""
    tests: float = 0.0
    """In the tests themselves, as the judge measured them."""


class Trial(Record):
    """One attempt of one agent at one task."""

    task_id: str
    """Which task."""
    task_content_id: str
    """Content id of the task directory."""
    agent: str
    """Name of the script, or `nop`."""
    role: Literal["nop", "reference", "alternative", "mistake"]
    """What sort of agent it was; scripted, never a model."""
    perturbation: str
    """Name of the perturbation."""
    steps: tuple[StepRecord, ...]
    """What was run, in order."""
    changed_paths: tuple[str, ...] | None = None
    """Paths created, changed or deleted; only recorded where a criterion asks for it."""
    outputs_sha256: str
    """Content id of the collected outputs."""
    network: str
    """Interfaces that the container had, as seen from inside; `lo` alone is offline."""
    verdict: Verdict
    """The verifier's verdict."""
    timing: Timing
    """Where the time went."""


class CriterionResult(Record):
    """Whether one criterion holds for one trial."""

    criterion_id: str
    """Which criterion."""
    kind: Literal["must_do", "must_avoid", "best_practice"]
    """What sort of advice it is."""
    weight: float
    """How much it counts."""
    satisfied: bool | None
    """Whether it holds; empty where only a judge model could say, and none was asked."""
