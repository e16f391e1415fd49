"""Small hand-made shards: skills, blueprints, tasks, reports and trajectories that never saw a container."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.models.base import Record
from skill2env.models.blueprint import Author, Blueprint, BlueprintSpec, Limits, Persona, Script, Step
from skill2env.models.outcome import Accepted, Errored, Finding, Rejected, Severity
from skill2env.models.report import GateResult, ValidationReport
from skill2env.models.rollout import Rollout, Trajectory
from skill2env.models.rubric import Criterion, Evidence
from skill2env.models.skill import BundledFile, Provenance, Skill
from skill2env.models.task import Task, WorldRun
from skill2env.models.tree import Node, Tree, pack_gz, text_file, tree_id
from skill2env.models.trial import CheckResult, CriterionResult, Status, StepRecord, Timing, Trial, Verdict
from skill2env.params import Params
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.shards import Row, ShardWriter
from skill2env.store.workspace import Workspace

TRUTH = {"client": "198.51.100.7", "failed_attempts": 31, "café": ["ü", None, 1.5]}
LONG = "first line\n" + "x" * 30_000 + "\nlast line\n"


@dataclass
class World:
    """What the shards hold; change a copy to see what follows."""

    skills: Sequence[str] = ("alpha", "beta", "gamma", "delta")
    barren: Sequence[str] = ("empty",)
    """Skills without a blueprint."""
    levels: Sequence[str] = ("easy", "hard")
    seeds: Sequence[int] = (1, 2)
    slower: float = 1.0
    """Factor on all seconds, and a suffix of all outputs."""
    mistake_reward: float = 0.0
    refused: bool = True
    """Whether every stage has refused something."""
    errored: bool = True
    """Whether the infrastructure failed a blueprint's task."""


def skill(skill_id: str) -> Skill:
    warning = Finding(
        code="no-provenance",
        severity=Severity.WARNING,
        message="Nothing is on record.",
        file="SKILL.md",
        line=2,
    )
    return Skill(
        skill_id=skill_id,
        name=skill_id,
        description=f"How to do {skill_id} | and more",
        licence="Apache-2.0",
        compatibility="",
        metadata=(),
        allowed_tools=(),
        extras=(),
        frontmatter_keys=("name",),
        skill_file="SKILL.md",
        encoding="utf-8",
        language="en",
        text=f"text of {skill_id}\n",
        text_lines=40,
        body_line=4,
        sections=(),
        code_blocks=(),
        commands=(),
        links=(),
        checklist=(),
        steps=(),
        statements=(),
        needs=(),
        pitfalls=(),
        references=(),
        files=(BundledFile(path="SKILL.md", size=5, mode=0o100644, sha256="0" * 64),),
        tree_sha256=f"tree-of-{skill_id}",
        provenance=Provenance(
            origin="the corpus", commit="c0ffee", path=f"skills/{skill_id}", licence="Apache-2.0"
        ),
        findings=(warning,),
    )


def scripts() -> tuple[Script, ...]:
    return (
        Script(
            name="reference",
            role="reference",
            steps=(Step(why="Look first.", command="ls"), Step(why="", command="make it")),
        ),
        Script(name="other-way", role="alternative", steps=(Step(why="Otherwise.", command="awk 1"),)),
        Script(
            name="too-fast",
            role="mistake",
            steps=(Step(why="Guess.", command="echo 31"),),
            slip="offsets ignored",
            fails_at=("easy", "hard"),
        ),
    )


def blueprint(skill_id: str) -> Blueprint:
    spec = BlueprintSpec(
        schema_version="1",
        title="Name the client",
        workflow="find a break-in",
        archetype="audit_report",
        verifier_pattern="planted_facts",
        persona=Persona(who="engineer", expertise="expert", tone="casual"),
        toolchain="shell",
        knobs={"lines": {"easy": 10, "hard": 99}},
        seeds=(1, 2),
        outputs=("/workspace/incident.json", "/workspace/notes.md", "/var/log"),
        limits=Limits(agent_sec=60, verifier_sec=30, memory_mb=256, cpus=1),
        skill_refs=("SKILL.md:3-5",),
        rubric=(
            Criterion(
                id="looks", kind="must_do", text="Looks.", source="SKILL.md:3", evidence=Evidence(used="ls")
            ),
            Criterion(
                id="doubts",
                kind="best_practice",
                text="Doubts.",
                source="SKILL.md:4",
                evidence=Evidence(judge="Is doubt stated?"),
            ),
        ),
        author=Author(kind="agent", name="the makers", date=datetime.date(2026, 1, 2)),
    )
    return Blueprint(
        skill_id=skill_id,
        skill_tree_sha256=f"tree-of-{skill_id}",
        name="break-in",
        spec=spec,
        instruction="{{ knobs.lines }}",
        world="def build(world): return {}\n",
        tests="def test_client(): ...\n",
        scripts=scripts(),
    )


def tree(task_id: str) -> Tree:
    return {
        "instruction.md": text_file(f"Please look into {task_id}.\n"),
        "task.toml": text_file('schema_version = "1.4"\n'),
        "environment/Dockerfile": text_file("FROM debian\nCOPY world/ /\n"),
        "environment/world/var/log/app.log": Node("file", bytes(range(256)), 0o640),
        "environment/world/var/spool": Node("dir", mode=0o700),
        "environment/world/etc/link": Node("link", b"../var/log/app.log", 0o777),
        "tests/test_outputs.py": text_file("def test_client(): ...\n"),
        "solution/solve.sh": text_file("#!/bin/bash\nls\n", 0o755),
    }


def task(skill_id: str, level: str, seed: int, world: World) -> Task:
    task_id = f"{skill_id}--break-in--{level}-s{seed}"
    return Task(
        task_id=task_id,
        content_id=tree_id(tree(task_id)),
        blueprint=blueprint(skill_id),
        level=level,
        seed=seed,
        instruction=f"Please look into {task_id}.\n",
        truth=TRUTH,
        facts={},
        world_runs=(WorldRun(tree_sha256="a", truth_sha256="b"), WorldRun(tree_sha256="a", truth_sha256="b")),
        toolchain_sha256="t" * 64,
        verifier_sha256="v" * 64,
        build_sec=0.5 * world.slower,
    )


def report(made: Task, world: World) -> ValidationReport:
    figures: dict[str, dict[str, Any]] = {
        "deterministic": {"world_runs": 2},
        "builds": {"image_mb": 91.5 * world.slower, "image_build_sec": 0.4 * world.slower},
        "nop_fails": {"nop_partial_reward": 0.0},
        "oracle_passes": {"oracle_runs": 3, "oracle_passes": 3, "oracle_sec": 0.2 * world.slower},
        "alternatives_pass": {"alternatives": 1, "alternatives_passed": 1},
        "mistakes_fail": {"mistakes": 1, "mistakes_caught": 1},
        "rubric_holds": {"predicates": 1},
        "attacks_fail": {"attacks_tried": 2, "attacks_succeeded": 0},
        "no_leak": {"leaks": 0},
        "offline": {},
        "gate_of_tomorrow": {"novelties": 7},
    }
    gates = [
        GateResult(gate=name, passed=True, message=f"fine, in {world.slower} s", figures=found)
        for name, found in figures.items()
    ]
    return ValidationReport(
        task_id=made.task_id,
        task_content_id=made.content_id,
        gates=tuple(gates),
        wall_sec=9 * world.slower,
        container_sec=4 * world.slower,
        work_sec=2 * world.slower,
    )


def verdict(reward: float) -> Verdict:
    checks = (
        CheckResult(
            name="test_client",
            kind="check",
            group="facts",
            weight=2,
            passed=reward == 1,
            message="" if reward == 1 else "no",
        ),
        CheckResult(name="test_count", kind="check", group="facts", weight=1, passed=True),
        CheckResult(name="test_logs_kept", kind="guard", group="", weight=0, passed=True),
    )
    status = Status.PASS if reward == 1 else Status.FAIL
    return Verdict(status=status, reward=reward, partial_reward=1 if reward == 1 else 0.3333, checks=checks)


def trial(made: Task, script: Script, world: World) -> Trial:
    reward = world.mistake_reward if script.role == "mistake" else 1.0
    steps = [
        StepRecord(
            why=step.why,
            command=step.command,
            output=LONG if number == 0 else f"pid {world.slower}",
            output_bytes=len(LONG) if number == 0 else 7,
            exit_code=number,
            seconds=0.25 * world.slower,
        )
        for number, step in enumerate(script.steps)
    ]
    return Trial(
        task_id=made.task_id,
        task_content_id=made.content_id,
        agent=script.name,
        role=script.role,
        perturbation="plain",
        steps=tuple(steps),
        outputs_sha256=f"outputs-{world.slower}",
        network="lo",
        verdict=verdict(reward),
        timing=Timing(container=0.3 * world.slower, agent=0.2, judge=0.1, tests=0.05),
    )


def rollout(made: Task, world: World) -> Rollout:
    rubric = (
        CriterionResult(criterion_id="looks", kind="must_do", weight=1, satisfied=True),
        CriterionResult(criterion_id="doubts", kind="best_practice", weight=1, satisfied=None),
    )
    trajectories = tuple(Trajectory(trial=trial(made, script, world), rubric=rubric) for script in scripts())
    return Rollout(
        task_id=made.task_id,
        task_content_id=made.content_id,
        delivered=("/workspace/incident.json",),
        trajectories=trajectories,
    )


def accepted(item_id: str, record: Record, blob: bytes | None = None) -> Row:
    return Row(item_id, "input", "accepted", Accepted[type(record)](record=record).model_dump_json(), blob)


def rejected(item_id: str, rule: str) -> Row:
    finding = Finding(code=rule, severity=Severity.ERROR, message="Mend it.", file="blueprint.yaml", line=3)
    refusal = Rejected(rule=rule, message="Mend it.", findings=(finding,), evidence="seen in 3 s")
    return Row(item_id, "input", "rejected", refusal.model_dump_json(), None)


def errored(item_id: str) -> Row:
    return Row(item_id, "input", "errored", Errored(message="the engine went away").model_dump_json(), None)


def outcomes(world: World) -> dict[str, list[Row]]:
    """Return the rows of every stage's shard, tasks in the order in which build makes them."""
    jobs = [(name, level, seed) for name in world.skills for level in world.levels for seed in world.seeds]
    tasks = [task(name, level, seed, world) for name, level, seed in jobs]
    made: dict[str, list[Row]] = {
        "parse": [accepted(name, skill(name)) for name in (*world.skills, *world.barren)],
        "draft": [accepted(f"{name}--break-in", blueprint(name)) for name in world.skills],
        "build": [accepted(one.task_id, one, pack_gz(tree(one.task_id))) for one in tasks],
        "validate": [accepted(one.task_id, report(one, world)) for one in tasks],
        "rollout": [accepted(one.task_id, rollout(one, world)) for one in tasks],
    }
    first = world.skills[0] if world.skills else "nobody"
    if world.refused:
        made["parse"].append(rejected("broken", "no-skill-file"))
        made["draft"] += [rejected(f"{first}--lame--name", "schema"), rejected("stranger--x", "no-skill")]
        made["build"].append(rejected(f"{first}--crooked--easy-s1", "world"))
        made["validate"].append(rejected(f"{first}--loose--easy-s1", "mistakes_fail"))
        made["rollout"].append(rejected(f"{first}--slow--easy-s1", "slow-pattern"))
    if world.errored:
        made["build"].append(errored(f"{first}--unlucky--easy-s1"))
    return made


def write(root: Path, stages: dict[str, Iterable[Row]]) -> Workspace:
    """Write shards below a folder and return its workspace."""
    workspace = Workspace(root)
    for stage, rows in stages.items():
        with ShardWriter(workspace.shard(stage)) as shard:
            for row in rows:
                shard.add(row)
    return workspace


def context(root: Path, world: World | None = None, params: Params | None = None) -> Context:
    """Return a context over hand-made shards."""
    workspace = write(root, outcomes(world or World()))
    return Context(workspace, params or Params(), ResultStore(workspace.results))
