"""Takes blueprints and skills of a corpus through every gate, wherever they lie, with the evidence of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skill2env.errors import UsageError
from skill2env.models.base import printable, some
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Errored, Finding, Rejected
from skill2env.models.report import ValidationReport
from skill2env.models.skill import Skill
from skill2env.models.todo import CODE as TODO
from skill2env.models.todo import todos
from skill2env.pipeline import STAGES, Answer, Progress, accepted_record, answers, kept_answers
from skill2env.places import placed
from skill2env.stages import build, draft, validate
from skill2env.stages.context import Context, Item
from skill2env.stages.draft.read import YAML
from skill2env.stages.parse import SkillSource, discover, item_of, scan
from skill2env.stages.validate.subject import Candidate
from skill2env.store.folders import read_bundled

_NAMED = 20
"""Tasks that are named where none is meant by what was asked for."""


@dataclass(frozen=True)
class Checked:
    """What became of one item in one stage."""

    stage: str
    item_id: str
    kind: str
    """accepted, rejected or errored."""
    record: Any
    """What the stage made of it, if it was accepted."""
    refusal: Rejected | Errored | None
    """Why not, for everything else."""

    @property
    def report(self) -> ValidationReport | None:
        """What the gates said, for an accepted task."""
        return self.record if isinstance(self.record, ValidationReport) else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that is to be said of the item's files, whether it was accepted or not."""
        if isinstance(self.refusal, Rejected):
            return self.refusal.findings
        return self.record.findings if isinstance(self.record, Skill) else ()

    def as_json(self) -> dict[str, Any]:
        """Return it JSON-able."""
        detail = self.report or self.refusal
        return {
            "stage": self.stage,
            "item": self.item_id,
            "kind": self.kind,
            "detail": detail.model_dump(mode="json") if detail else None,
        }


@dataclass(frozen=True)
class Target:
    """What is to be checked of one skill of a corpus: the skill, and one, some or all of its blueprints."""

    corpus: Path
    skill_id: str
    blueprints: frozenset[str] | None = None
    """Names of the blueprints whose tasks are all checked; None: all that there are."""
    sampled: frozenset[str] = frozenset()
    """Names of further blueprints, of which one task each is checked."""

    def wants(self, blueprint: str) -> bool:
        """Return whether anything of a blueprint is to be checked."""
        return self.blueprints is None or blueprint in self.blueprints | self.sampled


def locate(path: Path) -> Target:
    """Return what a path names: `<corpus>/skills/<skill>` or `<corpus>/blueprints/<skill>[/<blueprint>]`; no link is followed.

    Raises:
        UsageError: it is no such folder.
    """
    folder = Path(os.path.abspath(path))  # noqa: PTH100  (resolve would follow links)
    if draft.is_place(folder):
        if folder.parent.name in ("skills", "blueprints"):
            return Target(folder.parent.parent, folder.name)
        if folder.parent.parent.name == "blueprints":
            return Target(folder.parent.parent.parent, folder.parent.name, frozenset({folder.name}))
    raise UsageError(
        f"{path} is no folder <corpus>/skills/<skill> or <corpus>/blueprints/<skill>[/<blueprint>]; name one"
    )


def check(
    targets: Sequence[Target],
    context: Context,
    only: str = "",
    progress: Progress = lambda *_: None,
    execute: bool = True,
) -> Iterator[Checked]:
    """Yield what becomes of skills, their blueprints and their tasks.

    Args:
        targets: at most one for each skill.
        context: the workspace.
        only: restricts tasks to ids that contain it.
        progress: is told of each task.
        execute: False: of tasks, only what the store knows of them is told, and nothing is run.

    Raises:
        UsageError: of a target, neither the skill nor a blueprint is there, or `only` is in the id of no task.
        EngineDown: no engine answers.
    """
    examples: dict[str, tuple[str, ...]] = {}
    waiting: list[Item] = []
    sources = {target.corpus: _sources(target.corpus) for target in targets}
    for target in targets:
        read, found = _run("parse", _skill_items(target, sources[target.corpus]), context)
        yield from (_with_todos(checked, target) for checked in found)
        if read or not found:
            skill: Skill | None = next((record for _, record, _ in read), None)
            examples[target.skill_id] = validate.shell_examples(skill) if skill else ()
            blueprints = _blueprint_items(target, skill)
            if not found and not blueprints:
                raise UsageError(
                    f"there is no skill {target.skill_id} in {target.corpus / 'skills'}, and no blueprint of it "
                    f"in {target.corpus / 'blueprints'}; name another"
                )
            waiting += blueprints
    drafts, found = _run("draft", waiting, context)
    yield from found
    drafted = [(item.input_id, blueprint, blob) for item, blueprint, blob in drafts]
    sampled = frozenset(f"{target.skill_id}--{name}" for target in targets for name in target.sampled)
    texts = {
        blueprint.blueprint_id: (item.value.folder / YAML).read_text("utf-8") for item, blueprint, _ in drafts
    }
    for checked in check_tasks(drafted, examples, context, only, sampled, progress, execute):
        yield _with_places(checked, texts)


def drafts(targets: Iterable[Target], context: Context) -> tuple[Checked, ...]:
    """Return what becomes of all blueprints of touched skills as they are read; nothing is run, and no engine is needed."""
    whole = [
        replace(target, blueprints=None, sampled=frozenset()) for target in targets if not target.sampled
    ]
    return tuple(item for item in check(whole, context, execute=False) if item.stage == "draft")


def _with_places(checked: Checked, texts: Mapping[str, str]) -> Checked:
    """Return what became of a task, with lines where it was refused for what stands in blueprint.yaml (`texts`, as drafted)."""
    if not isinstance(checked.refusal, Rejected):
        return checked
    return replace(checked, refusal=placed(checked.refusal, texts[checked.item_id.rpartition("--")[0]]))


def _with_todos(checked: Checked, target: Target) -> Checked:
    """Return what became of a skill, refused if its files still hold marks of a skeleton."""
    folder = target.corpus / "skills" / target.skill_id
    marks = tuple(todos(read_bundled(folder, scan(folder).files)))
    if not marks or checked.kind == "errored":
        return checked
    refused = checked.refusal
    if isinstance(refused, Rejected):
        refused = refused.model_copy(update={"findings": (*refused.findings, *marks)})
    else:
        message = (
            f"{len(marks)} to-dos are left in the skill; write what they ask for, and take the marks away"
        )
        refused = Rejected(rule=TODO, message=message, findings=(*marks, *checked.findings))
    return replace(checked, kind="rejected", refusal=refused)


def read_skill(target: Target, context: Context) -> tuple[Skill | None, list[str]]:
    """Return the skill that a path names, or nothing and what is wrong with it.

    Raises:
        UsageError: there is no such skill.
    """
    skills, found = _run("parse", _skill_items(target, _sources(target.corpus)), context)
    if not found:
        raise UsageError(f"there is no skill {target.skill_id} in {target.corpus / 'skills'}; name another")
    return next((record for _, record, _ in skills), None), [
        line for item in found for line in lines_of(item)
    ]


def check_tasks(
    drafted: Iterable[tuple[str, Blueprint, bytes | None]],
    examples: Mapping[str, tuple[str, ...]],
    context: Context,
    only: str = "",
    sampled: frozenset[str] = frozenset(),
    progress: Progress = lambda *_: None,
    execute: bool = True,
) -> Iterator[Checked]:
    """Yield what becomes of the tasks of blueprints.

    Args:
        drafted: each blueprint with the content id of what it was read from and the archive of its static world files.
        examples: the shell blocks of each skill.
        context: the workspace.
        only: restricts tasks to ids that contain it.
        sampled: ids of the blueprints of which the first task is taken, and no other.
        progress: is told of each task.
        execute: False: only what the store knows is told.

    Raises:
        UsageError: there are tasks, and `only` is in the id of none.
        EngineDown: no engine answers.
    """
    drafted = list(drafted)
    wanted = [
        item
        for input_id, blueprint, blob in drafted
        for number, item in enumerate(build.items_of(blueprint, input_id, blob, context.params.build))
        if number == 0 or blueprint.blueprint_id not in sampled
    ]
    builds = [item for item in wanted if only in item.item_id]
    if wanted and not builds:
        raise UsageError(
            f"no task id contains {only!r}; there are: {some([item.item_id for item in wanted], _NAMED)}"
        )
    tasks, found = _run("build", builds, context, progress, execute)
    yield from found
    static = {blueprint.blueprint_id: blob for _, blueprint, blob in drafted}
    candidates = (
        validate.item_of(
            Candidate(
                task, static.get(task.blueprint.blueprint_id), examples.get(task.blueprint.skill_id, ())
            ),
            blob,
        )
        for _, task, blob in tasks
    )
    ask = answers if execute else kept_answers
    for item, answer in ask(STAGES["validate"], candidates, context, progress):
        yield _checked("validate", item, answer)


def lines_of(checked: Checked) -> list[str]:
    """Return what is to be said of an item that was not accepted: rule, sentence, every finding, evidence."""
    refusal = checked.refusal
    if refusal is None:
        return []
    if refusal.kind == "errored":
        return [f"errored: {refusal.message}"]
    findings = [f"  {finding}" for finding in refusal.findings]
    return [
        f"{refusal.rule}: {refusal.message}",
        *findings,
        *(f"  {line}" for line in refusal.evidence.splitlines()),
    ]


def _sources(corpus: Path) -> dict[str, SkillSource]:
    return {source.skill_id: source for source in discover(corpus)}


def _skill_items(target: Target, sources: Mapping[str, SkillSource]) -> list[Item]:
    source = sources.get(printable(target.skill_id))
    return [item_of(target.corpus, source)] if source else []


def _blueprint_items(target: Target, skill: Skill | None) -> list[Item]:
    folders = draft.folders_of(target.corpus / "blueprints" / target.skill_id)
    return [draft.item_of(folder, skill, target.corpus) for folder in folders if target.wants(folder.name)]


def _run(
    stage: str,
    items: Iterable[Item],
    context: Context,
    progress: Progress = lambda *_: None,
    execute: bool = True,
) -> tuple[list[tuple[Item, Any, bytes | None]], list[Checked]]:
    """Return the accepted records of a stage, and what became of each item."""
    accepted, found = [], []
    ask = answers if execute else kept_answers
    for item, answer in ask(STAGES[stage], items, context, progress):
        checked = _checked(stage, item, answer)
        found.append(checked)
        if answer.kind == "accepted":
            accepted.append((item, checked.record, answer.blob))
    return accepted, found


def _checked(stage: str, item: Item, answer: Answer) -> Checked:
    if answer.kind == "accepted":
        return Checked(stage, item.item_id, answer.kind, accepted_record(stage, answer.outcome), None)
    kind = Rejected if answer.kind == "rejected" else Errored
    return Checked(stage, item.item_id, answer.kind, None, kind.model_validate_json(answer.outcome))
