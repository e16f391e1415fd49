"""The validate stage: executes a task in every way that the gates ask for; all of them must hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from skill2env.models.base import content_id
from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.report import GateResult, ValidationReport
from skill2env.models.skill import Skill
from skill2env.models.task import Task
from skill2env.sandbox.images import BuildFailed
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.task_images import TaskImages
from skill2env.stages.validate.gates import GATES, Gate
from skill2env.stages.validate.subject import Candidate, Subject
from skill2env.store.shards import read_shard
from skill2env.trial.trials import trials_of

NAME = "validate"
VERSION = "2"
SHELLS = ("bash", "sh", "shell")


def items(context: Context) -> Iterator[Item]:
    """Yield every task that was built."""
    shards = context.workspace.shard
    skills = (
        Accepted[Skill].model_validate_json(row.outcome).record
        for row in read_shard(shards("parse"), "accepted")
    )
    examples = {skill.skill_id: shell_examples(skill) for skill in skills}
    static = {row.item_id: row.blob for row in read_shard(shards("draft"), "accepted")}
    for row in read_shard(shards("build"), "accepted"):
        task = Accepted[Task].model_validate_json(row.outcome).record
        blueprint = task.blueprint
        yield item_of(
            Candidate(task, static.get(blueprint.blueprint_id), examples.get(blueprint.skill_id, ())),
            row.blob,
        )


def item_of(candidate: Candidate, archive: bytes | None) -> Item:
    """Return the item of one task and its packed directory."""
    task = candidate.task
    depends = [task.record_id(), task.blueprint.world, task.blueprint.world_files_sha256, candidate.examples]
    return Item(task.task_id, content_id(depends), candidate, archive)


def shell_examples(skill: Skill) -> tuple[str, ...]:
    """Return the shell blocks of a skill, as they stand there."""
    return tuple(block.text for block in skill.code_blocks if block.language in SHELLS)


def settings(context: Context, item: Item) -> Any:
    """The stage's parameters and the version of each gate."""
    return [context.params.validate_.model_dump(), [[gate.NAME, gate.VERSION] for gate in GATES]]


def apply(item: Item, context: Context) -> Done:
    """Take one task through all gates."""
    report = validate(item.value, item.blob or b"", context)
    failed = [gate for gate in report.gates if not gate.passed]
    if not failed:
        return Done(Accepted[ValidationReport](record=report))
    findings = tuple(
        Finding(code=gate.gate, severity=Severity.ERROR, message=gate.message) for gate in failed
    )
    told = [f"{gate.gate}: {gate.evidence}" for gate in failed if gate.evidence]
    evidence = "\n\n".join([f"the other {len(report.gates) - len(failed)} gates hold", *told])
    return Done(
        Rejected(rule=failed[0].gate, message=failed[0].message, findings=findings, evidence=evidence[:8000])
    )


def record() -> type[ValidationReport]:
    """Return the type of an accepted record."""
    return ValidationReport


def validate(
    candidate: Candidate, archive: bytes, context: Context, gates: tuple[Gate, ...] = GATES
) -> ValidationReport:
    """Return what every gate, or each of those that are asked, says of a task.

    Raises:
        EngineError: the infrastructure failed.
    """
    began = time.monotonic()
    task = candidate.task
    images = TaskImages(task, archive, context)
    with trials_of(context.engine, context.store, task, images) as trials:
        subject = Subject(context, candidate, images, trials)
        try:
            results = [_timed(gate, subject) for gate in gates]
        except BuildFailed as failure:
            message = "the image can't be built; mend the blueprint's packages or world"
            results = [GateResult(gate="builds", passed=False, message=message, evidence=str(failure))]
    wall = time.monotonic() - began
    timings = trials.timings()
    container = sum(timing.container for timing in timings) + trials.judge_container_sec
    work = sum(timing.agent + timing.tests for timing in timings) + trials.judging_sec
    for figure, amount in (("wall_sec", wall), ("container_sec", container), ("work_sec", work)):
        context.add(figure, amount)
    context.add("trials_executed", trials.executed)
    context.add("judged_anew", trials.judged_anew)
    for result in results:
        context.add(f"{result.gate}_sec", result.seconds)
    return ValidationReport(
        task_id=task.task_id,
        task_content_id=task.content_id,
        gates=tuple(results),
        wall_sec=wall,
        container_sec=container,
        work_sec=work,
    )


def _timed(gate: Gate, subject: Subject) -> GateResult:
    began = time.monotonic()
    result = gate.check(subject)
    return result.model_copy(update={"seconds": time.monotonic() - began})
