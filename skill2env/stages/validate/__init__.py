"""The validate stage: executes a task in every way that the gates ask for; all of them must hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.report import GateResult, ValidationReport
from skill2env.models.task import Task
from skill2env.sandbox.images import BuildFailed
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.task_images import TaskImages
from skill2env.stages.validate.gates import GATES
from skill2env.stages.validate.subject import Subject
from skill2env.store.shards import read_shard
from skill2env.trial.trials import trials_of

NAME = "validate"
VERSION = "1"


def items(context: Context) -> Iterator[Item]:
    """Yield every task that was built."""
    for row in read_shard(context.workspace.shard("build"), "accepted"):
        yield item_of(Accepted[Task].model_validate_json(row.outcome).record, row.blob)


def item_of(task: Task, archive: bytes | None) -> Item:
    """Return the item of one task and its packed directory."""
    return Item(task.task_id, task.record_id(), task, archive)


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
    evidence = "\n\n".join(f"{gate.gate}: {gate.evidence}" for gate in failed if gate.evidence)
    return Done(
        Rejected(rule=failed[0].gate, message=failed[0].message, findings=findings, evidence=evidence[:8000])
    )


def record() -> type[ValidationReport]:
    """Return the type of an accepted record."""
    return ValidationReport


def validate(task: Task, archive: bytes, context: Context) -> ValidationReport:
    """Return what every gate says of a task.

    Raises:
        EngineError: the infrastructure failed.
    """
    began = time.monotonic()
    images = TaskImages(task, archive, context)
    with trials_of(context.engine, context.store, task, images) as trials:
        subject = Subject(context.params.validate_, task, images, trials)
        try:
            results = [gate.check(subject) for gate in GATES]
        except BuildFailed as failure:
            message = "the image can't be built; mend the blueprint's packages or world"
            results = [GateResult(gate="builds", passed=False, message=message, evidence=str(failure))]
    wall = time.monotonic() - began
    timings = trials.timings()
    container = sum(timing.container for timing in timings) + trials.judge_container_sec
    work = sum(timing.agent + timing.tests for timing in timings)
    for figure, amount in (("wall_sec", wall), ("container_sec", container), ("work_sec", work)):
        context.add(figure, amount)
    context.add("trials_executed", trials.executed)
    return ValidationReport(
        task_id=task.task_id,
        task_content_id=task.content_id,
        gates=tuple(results),
        wall_sec=wall,
        container_sec=container,
        work_sec=work,
    )
