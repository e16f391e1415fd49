"""The rows of the dataset: one record per config, one field per column; the docstrings are the dataset card's text."""

from __future__ import annotations

from skill2env.models.base import Record
from skill2env.models.columns import JsonObject, JsonText, measured
from skill2env.models.task_row import TaskRow
from skill2env.models.trial import CriterionResult


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


class AttemptRow(Record):
    """What the rows of an attempt have in common."""

    trajectory_id: str
    """`<task_id>/<role>/<agent>`, with the surroundings where they are not plain; for a model with condition and attempt, for an
    agent that ran elsewhere with its id there."""
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
    """Name of the script, model or agent that acted."""
    role: str
    """What it is: `reference`, `alternative` or `mistake` for a script; `model`; `external` for an agent that ran elsewhere."""
    source: str
    """Who acted: `scripted` is a script that was really executed, never a model's doing; `model` is a model with this project's
    shell tool; `external` is an agent that ran elsewhere (`harbor run`)."""
    model: str
    """The model that acted; empty for a script."""
    condition: str
    """What a model had of the skill: `bare` nothing, `mounted` its folder, `prompt` its text; `external` whatever the agent was
    given; empty for a script."""
    attempt: int
    """Number of the model's attempt under the condition, from 1; 0 for a script."""
    finish: str
    """Why a model's attempt ended: `done`, `refused`, `turns`, `tokens`, `time` (used up), `stopped` (its shell or container
    ended) or `unknown`; empty for a script."""
    turns: int
    """Completions of the model; 0 for a script."""
    input_tokens: int
    """Tokens that the model read in all turns, cached ones included; 0 for a script."""
    cached_tokens: int
    """Those of them that came from the endpoint's cache."""
    output_tokens: int
    """Tokens that the model wrote in all turns, reasoning included; 0 for a script."""
    cost_usd: float | None
    """Money spent on the attempt; 0 for a script, null where the model has no known price."""
    reward: float | None
    """1 if every check and guard held, else 0; null where there is no verdict."""
    partial_reward: float | None
    """Weighted share of the checks that held, 0 where a guard failed; null where there is no verdict."""
    rubric: tuple[CriterionResult, ...]
    """Whether each criterion holds for this attempt, who says so, and how often a judge model said yes, no, or nothing that
    counts; `satisfied` is null where only a judge model could say and none did."""
    rubric_satisfied: int
    """Criteria that hold."""
    rubric_violated: int
    """Criteria that do not hold."""
    judge_agreement: float | None
    """Share of the criteria with a predicate in which a judge model says what the predicate says; null where none was asked."""
    steps: int
    """Steps that were run."""
    licence: str
    """Licence under which the row may be used."""


class SftRow(AttemptRow):
    """One passing attempt of a reference, an alternative, or a model that said that it was done, as a conversation."""

    assistant_sha256: str
    """sha256 of all that the assistant says and does: rows with the same one, mostly levels of one blueprint, are one script
    in other worlds."""
    messages: tuple[JsonObject, ...] = measured()
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
    """Interfaces that the container had; `lo` alone is offline; empty where the agent ran elsewhere."""
    checks: tuple[CheckOutcome, ...]
    """Every check and guard."""
    checks_passed: int
    """Checks that held, guards not counted."""
    commands: tuple[str, ...]
    """The command of each step."""
    exit_codes: tuple[int | None, ...]
    """Exit code of each step; null where it never ended, or ran elsewhere."""
    trajectory: JsonText = measured()
    """The whole attempt as an ATIF v1.8 document."""
    check_messages: JsonText = measured()
    """Why checks and guards failed, by name."""
    reason: str = measured()
    """Why there is an agent fault or no verdict."""
    outputs_sha256: str = measured()
    """Content id of the collected outputs; empty where the agent ran elsewhere."""
    output_bytes: int = measured()
    """Bytes that the steps printed, those left out of the document included."""
    agent_sec: float = measured()
    """Wall seconds in the steps."""
    tests_sec: float = measured()
    """Wall seconds in the tests."""
    judge_sec: float = measured()
    """Wall seconds from sending the outputs to the verdict."""
    container_sec: float = measured()
    """Wall seconds in creating, starting and removing the agent's container, and collecting."""


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
    cluster: str
    """First id of the skills that are near copies of one another, its own where it is like no other; no split tears one apart."""
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
    needs: int
    """Programs, packages, services, variables, file formats and hosts that it depends on."""
    pitfalls: int
    """Mistakes that it warns of."""
    feasibility: str
    """Whether it can be practised in an offline container: `practicable`, or the strongest reason why not."""
    feasibility_reason: str
    """One sentence that says why."""
    stand_ins: tuple[str, ...]
    """Services that a task would have to bring along."""
    toolchain: str
    """Toolchain that fits it best."""
    packages: tuple[str, ...]
    """Packages that it would need, as `ecosystem:name`."""
    feasibility_evidence: JsonText
    """The signals behind the verdict: name, verdict that they speak for, points, lines, what was seen."""
    findings: JsonText
    """Departures from the specification: code, severity, message, file, line and column."""
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
    message: str = measured()
    """One sentence that says what to change."""
    findings: JsonText = measured()
    """All findings: code, severity, message, file, line and column."""
    evidence: str = measured()
    """What was seen, as text."""
    wall_sec: float | None = measured(None)
    """Wall seconds of the work until it was refused; null here and in the next two where that was not counted."""
    cpu_sec: float | None = measured(None)
    """CPU seconds of the same."""
    stored_bytes: int | None = measured(None)
    """Bytes that were kept in the store for the same."""
    cost_usd: float | None = measured(None)
    """US dollars that models have cost until it was refused; null where that was not counted or a price is unknown."""
    tokens: int | None = measured(None)
    """Tokens, read and written, for the same."""


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
