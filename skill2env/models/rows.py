"""The rows of the dataset: one record per config, one field per column; the docstrings are the dataset card's text."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from skill2env.models.base import Record
from skill2env.models.trial import CriterionResult

JsonText = Annotated[str, "JSON"]
"""A text that holds one JSON value."""
JsonObject = dict[str, Any]
"""A value that keeps exactly its own keys when the dataset is loaded (the `Json` feature)."""


def _measured(default: Any = ...) -> Any:
    """Return a field that may vary from run to run although nothing has changed; fingerprints leave it out."""
    return Field(default=default, json_schema_extra={"measured": True})


class CheckOutcome(Record):
    """One check or guard in one trial."""

    name: str
    """Name of the test, with its parameters."""
    kind: str
    """`check` (adds reward) or `guard` (must hold)."""
    group: str
    """Group of the check."""
    weight: float
    """Weight in `partial_reward`; 0 for a guard."""
    passed: bool
    """Whether it held."""


class TaskRow(Record):
    """One accepted task."""

    task_id: str
    """`<skill>--<blueprint>--<level>-s<seed>`."""
    content_id: str
    """sha256 over sorted relative paths, modes and file hashes of the task directory."""
    skill: str
    """The skill that the task exercises; a skill never crosses a split."""
    blueprint: str
    """Name of the blueprint within the skill."""
    level: str
    """Difficulty level as its author declared it: `easy`, `medium` or `hard`."""
    seed: int
    """Seed of the world; another seed has another truth."""
    title: str
    """What the task is, in one line."""
    workflow: str
    """Which capability of the skill it exercises."""
    archetype: str
    """Kind of work; an open vocabulary."""
    verifier_pattern: str
    """How it is graded; an open vocabulary."""
    persona_who: str
    """The role of whoever asks."""
    persona_expertise: str
    """What they know of the trade: `novice`, `practitioner` or `expert`."""
    persona_tone: str
    """How the instruction is written: `problem_only`, `casual`, `formal` or `ticket`."""
    toolchain: str
    """Image family that the environment starts from."""
    knobs: JsonText
    """Every difficulty dial at its value for this level."""
    skill_refs: tuple[str, ...]
    """Lines of the skill that the task exercises, `FILE:FIRST-LAST`."""
    instruction: str
    """What the agent reads."""
    outputs: tuple[str, ...]
    """The only paths that the verifier sees."""
    agent_sec: int
    """Wall seconds that an agent has."""
    verifier_sec: int
    """Wall seconds that the verifier has."""
    memory_mb: int
    """Memory of the agent's container in MB."""
    cpus: float
    """Cpus of the agent's container."""
    pids: int
    """Processes and threads in the agent's container."""
    files: bytes
    """The whole task directory as a gzip-compressed tar: everything that is needed to write it back with the same `content_id`."""
    dockerfile: str
    """`environment/Dockerfile`: the image's recipe, self-contained but for the world in `files`."""
    tests: str
    """`tests/test_outputs.py`: the hidden checks and guards."""
    truth: JsonText
    """The planted facts that the tests compare with; never shown to an agent."""
    rubric: JsonText
    """The behavioural criteria: id, kind, text, source lines, weight, and the predicate or question that settles each."""
    solution: str
    """`solution/solve.sh`: the reference solution."""
    alternative_scripts: JsonText
    """Other correct solutions: name and text."""
    mistake_scripts: JsonText
    """Plausible wrong solutions: name, text, the slip, and the levels at which they must earn less than 1."""
    gate_deterministic: bool | None = None
    """World and truth came out the same again. All gates are true in an accepted task; null means that a gate did not exist then."""
    gate_builds: bool | None = None
    """The image builds within its limits."""
    gate_nop_fails: bool | None = None
    """Doing nothing earns nothing."""
    gate_oracle_passes: bool | None = None
    """The reference earns 1 in every run, in surroundings that must not matter."""
    gate_alternatives_pass: bool | None = None
    """Every alternative earns 1."""
    gate_mistakes_fail: bool | None = None
    """Every mistake declared for the level earns less than 1."""
    gate_rubric_holds: bool | None = None
    """The reference satisfies every criterion that has a predicate."""
    gate_no_leak: bool | None = None
    """The answer is nowhere that the agent can read."""
    gate_offline: bool | None = None
    """Everything ran without a network."""
    gate_figures: JsonText = "{}"
    """Every figure of every gate that does not vary, by gate and name."""
    gate_measures: JsonText = _measured("{}")
    """Every figure of every gate in seconds or MB, by gate and name."""
    gate_messages: JsonText = _measured("{}")
    """What each gate said, in one sentence."""
    nop_partial_reward: float | None = None
    """`partial_reward` of doing nothing."""
    oracle_runs: int | None = None
    """Executions of the reference."""
    oracle_passes: int | None = None
    """Executions of the reference that earned 1."""
    oracle_sec: float | None = _measured(None)
    """Mean wall seconds of the reference's steps."""
    alternatives: int | None = None
    """Alternatives that were run."""
    alternatives_passed: int | None = None
    """Alternatives that earned 1."""
    mistakes: int | None = None
    """Mistakes declared for this level, all of them run."""
    mistakes_caught: int | None = None
    """Mistakes that earned less than 1."""
    predicates: int | None = None
    """Criteria that the trajectory alone settles."""
    leaks: int | None = None
    """Places where the answer could be read."""
    world_runs: int | None = None
    """Independent executions of `world.py`."""
    image_mb: float | None = _measured(None)
    """Size of the image in MB, the toolchain included."""
    image_build_sec: float | None = _measured(None)
    """Seconds that building the image took, with the toolchain's layers at hand."""
    checks: int | None = None
    """Tests that add reward; null where no trajectory was recorded."""
    guards: int | None = None
    """Tests that must hold and add none; null where no trajectory was recorded."""
    difficulty: float | None = None
    """Share of attempts by models that failed; null until models have attempted the task."""
    author_kind: str
    """Who wrote the blueprint: `person`, `agent` or `model`."""
    author_name: str
    """Name of the author."""
    author_date: str
    """When it was written, `YYYY-MM-DD`."""
    skill_origin: str
    """Repository or author that the skill comes from; empty where nothing is on record."""
    skill_commit: str
    """Commit of the origin; empty where there is none."""
    skill_path: str
    """Path of the skill's folder in the origin."""
    skill_licence: str
    """Licence as the skill's frontmatter states it."""
    licence: str
    """Licence under which the row may be used: the one on record for the skill, else the one that it states."""
    skill_tree_sha256: str
    """Content id of the skill's folder."""
    toolchain_sha256: str
    """sha256 of the toolchain's Dockerfile."""
    verifier_sha256: str
    """sha256 of the verifier's Dockerfile."""
    build_sec: float = _measured()
    """Seconds spent in making the world."""
    validate_sec: float = _measured()
    """Wall seconds of the validation."""
    container_sec: float = _measured()
    """Of the validation: seconds spent in starting, collecting from and removing containers."""
    work_sec: float = _measured()
    """Of the validation: seconds spent in solutions and tests themselves."""
    cost_usd: float = 0.0
    """Money spent on models for this task; 0 where none was used."""
    tokens: int = 0
    """Tokens of models spent on this task; 0 where none was used."""


class AttemptRow(Record):
    """What the rows of an attempt have in common."""

    trajectory_id: str
    """`<task_id>/<role>/<agent>`, with the surroundings where they are not plain."""
    task_id: str
    """Which task; the key of config `tasks`."""
    content_id: str
    """Content id of the task directory."""
    skill: str
    """The skill that the task exercises; a skill never crosses a split."""
    skill_tree_sha256: str
    """Content id of the skill's folder; equal skills share a split too."""
    blueprint: str
    """Name of the blueprint within the skill."""
    level: str
    """Difficulty level of the task."""
    seed: int
    """Seed of the task's world."""
    agent: str
    """Name of the script that acted."""
    role: str
    """What it is: `reference`, `alternative` or `mistake`."""
    source: str = "scripted"
    """Where the actions come from: `scripted` is a script that was really executed, never a model's doing."""
    reward: float | None
    """1 if every check and guard held, else 0; null where there is no verdict."""
    partial_reward: float | None
    """Weighted share of the checks that held, 0 where a guard failed; null where there is no verdict."""
    rubric: tuple[CriterionResult, ...]
    """Whether each criterion holds for this attempt; null where only a judge model could say."""
    rubric_satisfied: int
    """Criteria that hold."""
    rubric_violated: int
    """Criteria that do not hold."""
    steps: int
    """Steps that were run."""
    licence: str
    """Licence under which the row may be used."""


class SftRow(AttemptRow):
    """One passing trajectory as a conversation to train on."""

    messages: tuple[JsonObject, ...] = _measured()
    """System, user, then assistant (a reason and one tool call) and tool in turn, and the assistant's closing words."""
    tools: tuple[JsonObject, ...]
    """The tools that the assistant has: `bash`."""


class TrajectoryRow(AttemptRow):
    """One trial, passing or failing."""

    status: str
    """`pass`, `fail`, `agent_fault` (ran out of time or memory, or delivered what is never collected) or `no_verdict`."""
    slip: str
    """For a mistake: what the careless solver does."""
    perturbation: str
    """Name of the set of surroundings; `plain` is the ordinary one."""
    network: str
    """Interfaces that the container had; `lo` alone is offline."""
    checks: tuple[CheckOutcome, ...]
    """Every check and guard."""
    checks_passed: int
    """Checks that held, guards not counted."""
    commands: tuple[str, ...]
    """The commands of each step."""
    exit_codes: tuple[int | None, ...]
    """Exit code of each step; null where it never ended."""
    trajectory: JsonText = _measured()
    """The whole attempt as an ATIF v1.8 document."""
    check_messages: JsonText = _measured()
    """Why checks and guards failed, by name."""
    reason: str = _measured()
    """Why there is an agent fault or no verdict."""
    outputs_sha256: str = _measured()
    """Content id of the collected outputs."""
    output_bytes: int = _measured()
    """Bytes that the steps printed, those left out of the document included."""
    agent_sec: float = _measured()
    """Wall seconds in the steps."""
    tests_sec: float = _measured()
    """Wall seconds in the tests."""
    judge_sec: float = _measured()
    """Wall seconds from sending the outputs to the verdict."""
    container_sec: float = _measured()
    """Wall seconds in creating, starting and removing the agent's container, and collecting."""
    cost_usd: float = 0.0
    """Money spent on models; 0 where none was used."""
    tokens: int = 0
    """Tokens of models; 0 where none was used."""


class SkillRow(Record):
    """One parsed skill."""

    skill_id: str
    """Name of the skill's folder."""
    name: str
    """`name` of the frontmatter."""
    description: str
    """`description` of the frontmatter."""
    language: str
    """Guessed language of the text; `und` where undecided."""
    licence: str
    """Licence on record, else the one that the skill states; empty where there is neither."""
    skill_licence: str
    """Licence as the frontmatter states it."""
    origin: str
    """Repository or author that it comes from; empty where nothing is on record."""
    commit: str
    """Commit of the origin."""
    path: str
    """Path of the folder in the origin."""
    tree_sha256: str
    """Content id of the skill's folder."""
    files: int
    """Files in the folder."""
    text_lines: int
    """Lines of SKILL.md."""
    sections: int
    """Headings."""
    code_blocks: int
    """Code blocks."""
    commands: int
    """Shell commands in the code blocks."""
    statements: int
    """Normative statements: must, never, always, before ..."""
    findings: JsonText
    """Departures from the specification: code, severity, message, file and line."""
    errors: int
    """Findings of severity error."""
    warnings: int
    """Findings of severity warning."""
    blueprints: int
    """Blueprints written for it that were accepted."""
    blueprints_rejected: int
    """Blueprints written for it that were rejected."""
    tasks_accepted: int
    """Tasks that every gate accepted."""
    tasks_rejected: int
    """Tasks that could not be built or that a gate refused."""
    why_none: str
    """Why it gave no task; empty where it gave one."""


class RejectedRow(Record):
    """One refused item."""

    item_id: str
    """The item: a skill, a blueprint or a task."""
    stage: str
    """Stage that refused it."""
    skill: str
    """The skill that it belongs to; empty where that is unknown."""
    rule: str
    """Name of the rule or gate that refused it."""
    codes: tuple[str, ...]
    """Codes of all findings."""
    message: str = _measured()
    """One sentence that says what to change."""
    findings: JsonText = _measured()
    """All findings: code, severity, message, file and line."""
    evidence: str = _measured()
    """What was seen, as text."""


CONFIGS: dict[str, type[Record]] = {
    "tasks": TaskRow,
    "sft": SftRow,
    "trajectories": TrajectoryRow,
    "skills": SkillRow,
    "rejected": RejectedRow,
}
"""The configs of the dataset, the default first; the first column of each is its key."""

SPLITS = ("train", "validation", "test")
"""The splits, in the order in which they are written."""
