"""A trial: one agent, one task, one attempt, and the verifier's verdict on it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from skill2env.models.base import Record
from skill2env.models.chat import Message, Tokens


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
    cpu_share: float = 1.0
    """Share of the task's cpus that is left for it, as a loaded machine leaves it."""
    clock_days: int = 0
    """Days by which its clock is ahead, for programs that are linked dynamically (libfaketime)."""
    uid: int = 0
    """User that the agent is; other than root, it owns the world."""
    umask: str = "022"
    """Permissions that new files lack."""


class Usage(Record):
    """The most that an agent's container used at any one time."""

    memory_mb: float
    """Memory in MB that the kernel could not take back (anonymous memory), as sampled."""
    processes: int
    """Processes and threads, as sampled."""
    disk_mb: float
    """MB added to its file system, as they were at the end."""


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


Role = Literal[
    "nop",
    "reference",
    "alternative",
    "mistake",
    "ablation",
    "attack",
    "shortcut",
    "unjudged",
    "model",
    "external",
]
"""What sort of agent a trial had. `model` is a language model in this project's own loop, `external` an agent that ran elsewhere;
every other one is scripted. `unjudged` is one whose outputs alone are wanted."""

Condition = Literal["bare", "mounted", "prompt", "external"]
"""What a model has of the skill: nothing; its folder, where agents look for skills; its text, in the system message; or whatever
an agent that ran elsewhere was given."""

Finish = Literal["done", "refused", "turns", "tokens", "time", "stopped", "unknown"]
"""Why a model's attempt ended: it said that it is done, or declined; its turns, tokens or seconds of thinking were used up; its
shell or container ended under it; or it ran elsewhere and nothing is known of it."""


class Turn(Record):
    """One completion of an attempt."""

    tokens: Tokens = Tokens()
    """As the endpoint counted them."""
    money: float | None = None
    """US dollars; empty where the model has no price."""
    seconds: float = 0.0
    """Wall seconds until the answer was there."""
    finish: str = ""
    """Why it ended: `stop`, `length`, `tools` or `refused`; empty where that is unknown."""


class ModelPart(Record):
    """What the trial of a model has beside that of a script."""

    model: str
    """Name of the model, as it was asked for."""
    condition: Condition
    """What it had of the skill."""
    attempt: int
    """Number of the attempt, from 1."""
    finish: Finish
    """Why it ended."""
    turns: tuple[Turn, ...] = ()
    """Each completion, in the order of the assistant's messages."""
    messages: tuple[Message, ...] = ()
    """The whole conversation, as the model had it before it."""
    scripted: bool = False
    """The model is a script that answers as a model would, for tests of what reads its attempts."""
    source: str = ""
    """Where it ran elsewhere: the id that it has there."""

    @property
    def tokens(self) -> Tokens:
        """Tokens of all turns."""
        return sum((turn.tokens for turn in self.turns), Tokens())

    @property
    def money(self) -> float | None:
        """US dollars of all turns; None where one of them has no price."""
        prices = [turn.money for turn in self.turns]
        return None if None in prices else sum(price for price in prices if price is not None)


class Trial(Record):
    """One attempt of one agent at one task."""

    task_id: str
    """Which task."""
    task_content_id: str
    """Content id of the task directory."""
    agent: str
    """Name of the script or of the model, or `nop`."""
    role: Role
    """What sort of agent it was."""
    perturbation: str
    """Name of the perturbation."""
    steps: tuple[StepRecord, ...]
    """What was run, in order."""
    changed_paths: tuple[str, ...] | None = None
    """Paths created, changed or deleted; only recorded where a criterion asks for it."""
    outputs_sha256: str
    """Content id of the collected outputs."""
    prefixes: tuple[str, ...] | None = None
    """Content id of the outputs as they were after each step but the last; only where they were asked for. Empty where they
    were refused."""
    idle_steps: tuple[int, ...] | None = None
    """Indices of steps that left no trace, in no file and in no variable of the shell; only where they were asked for."""
    usage: Usage | None = None
    """What its container used; only where it was asked for."""
    network: str
    """Interfaces that the container had, as seen from inside; `lo` alone is offline."""
    verdict: Verdict
    """The verifier's verdict."""
    timing: Timing
    """Where the time went."""
    model: ModelPart | None = None
    """The conversation and its cost; only where a model acted."""


class CriterionResult(Record):
    """Whether one criterion holds for one trial."""

    criterion_id: str
    """Which criterion."""
    kind: Literal["must_do", "must_avoid", "best_practice"]
    """What sort of advice it is."""
    weight: float
    """How much it counts."""
    satisfied: bool | None
    """Whether it holds; empty where only a judge model could say, and none was asked or none answered."""
    by: Literal["predicate", "judge", "nobody"] = "nobody"
    """Who said so: the predicate over the commands, or the majority of a judge model's answers."""
    judge_yes: int = 0
    """Times that the judge model said that it holds, with a quote that is in the trajectory."""
    judge_no: int = 0
    """Times that it said that it does not hold, with such a quote."""
    judge_void: int = 0
    """Times that it gave no such answer, asked once more included."""
    quotes: tuple[str, ...] = ()
    """The quotes behind its answers, in their order."""

    @property
    def judged(self) -> bool | None:
        """What most of the judge's answers say; None without any, and where they are evenly split."""
        if self.judge_yes == self.judge_no:
            return None
        return self.judge_yes > self.judge_no
