"""Takes blueprints and skills of a corpus through every gate, wherever they lie, with the evidence of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.errors import UsageError
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Errored, Rejected
from skill2env.models.report import ValidationReport
from skill2env.models.skill import Skill
from skill2env.pipeline import STAGES, Answer, Progress, accepted_record, answers
from skill2env.stages import build, draft, validate
from skill2env.stages.context import Context, Item
from skill2env.stages.parse import SkillSource, discover
from skill2env.stages.validate.subject import Candidate


@dataclass(frozen=True)
class Checked:
    """What became of one item in one stage."""

    stage: str
    item_id: str
    kind: str
    """accepted, rejected or errored."""
    report: ValidationReport | None
    """What the gates said, for an accepted task."""
    refusal: Rejected | Errored | None
    """Why not, for everything else."""

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
    """What a path names: a corpus, a skill in it, and one blueprint or all of the skill's."""

    corpus: Path
    skill_id: str
    blueprint: str | None


def locate(path: Path) -> Target:
    """Return what a path names: `<corpus>/skills/<skill>` or `<corpus>/blueprints/<skill>[/<blueprint>]`.

    Raises:
        UsageError: it is no such folder.
    """
    folder = path.resolve()
    if folder.is_dir():
        if folder.parent.name == "skills":
            return Target(folder.parent.parent, folder.name, None)
        if folder.parent.name == "blueprints":
            return Target(folder.parent.parent, folder.name, None)
        if folder.parent.parent.name == "blueprints":
            return Target(folder.parent.parent.parent, folder.parent.name, folder.name)
    raise UsageError(
        f"{path} is no folder <corpus>/skills/<skill> or <corpus>/blueprints/<skill>[/<blueprint>]; name one"
    )


def check(
    path: Path, context: Context, only: str = "", progress: Progress = lambda *_: None
) -> Iterator[Checked]:
    """Yield what becomes of a skill, its blueprints and their tasks; `only` restricts tasks to ids that contain it.

    Raises:
        UsageError: the path names nothing to check.
        EngineDown: no engine answers.
    """
    target = locate(path)
    skills, found = _run("parse", _skill_items(target), context)
    yield from found
    if not skills and found:
        return
    skill: Skill | None = next((record for _, record, _ in skills), None)
    examples = validate.shell_examples(skill) if skill else ()
    drafts, found = _run("draft", _blueprint_items(target, skill), context)
    yield from found
    drafted = [(item.input_id, blueprint, blob) for item, blueprint, blob in drafts]
    yield from check_tasks(drafted, examples, context, only, progress)


def read_skill(target: Target, context: Context) -> tuple[Skill | None, list[str]]:
    """Return the skill that a path names, or nothing and what is wrong with it.

    Raises:
        UsageError: there is no such skill.
    """
    skills, found = _run("parse", _skill_items(target), context)
    if not found:
        raise UsageError(f"there is no skill {target.skill_id} in {target.corpus / 'skills'}; name another")
    return next((record for _, record, _ in skills), None), [
        line for item in found for line in lines_of(item)
    ]


def check_tasks(
    drafted: Iterable[tuple[str, Blueprint, bytes | None]],
    examples: tuple[str, ...],
    context: Context,
    only: str = "",
    progress: Progress = lambda *_: None,
) -> Iterator[Checked]:
    """Yield what becomes of the tasks of blueprints.

    Args:
        drafted: each blueprint with the content id of what it was read from and the archive of its static world files.
        examples: the shell blocks of the skill.
        context: the workspace.
        only: restricts tasks to ids that contain it.
        progress: is told of each task.
    """
    drafted = list(drafted)
    builds = [
        item
        for input_id, blueprint, blob in drafted
        for item in build.items_of(blueprint, input_id, blob, context.params.build)
        if only in item.item_id
    ]
    tasks, found = _run("build", builds, context, progress)
    yield from found
    static = {blueprint.blueprint_id: blob for _, blueprint, blob in drafted}
    candidates = (
        validate.item_of(Candidate(task, static.get(task.blueprint.blueprint_id), examples), blob)
        for _, task, blob in tasks
    )
    for item, answer in answers(STAGES["validate"], candidates, context, progress):
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


def _skill_items(target: Target) -> list[Item]:
    sources: list[SkillSource] = [
        source for source in discover(target.corpus) if source.skill_id == target.skill_id
    ]
    return [Item(source.skill_id, source.record_id(), source) for source in sources]


def _blueprint_items(target: Target, skill: Skill | None) -> list[Item]:
    root = target.corpus / "blueprints" / target.skill_id
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir()) if root.is_dir() else []
    return [draft.item_of(f, skill, target.corpus) for f in folders if target.blueprint in (None, f.name)]


def _run(
    stage: str, items: Iterable[Item], context: Context, progress: Progress = lambda *_: None
) -> tuple[list[tuple[Item, Any, bytes | None]], list[Checked]]:
    """Return the accepted records of a stage, and what became of each item."""
    accepted, found = [], []
    for item, answer in answers(STAGES[stage], items, context, progress):
        found.append(_checked(stage, item, answer))
        if answer.kind == "accepted":
            accepted.append((item, accepted_record(stage, answer.outcome), answer.blob))
    return accepted, found


def _checked(stage: str, item: Item, answer: Answer) -> Checked:
    if answer.kind == "accepted":
        report = accepted_record(stage, answer.outcome) if stage == "validate" else None
        return Checked(stage, item.item_id, answer.kind, report, None)
    kind = Rejected if answer.kind == "rejected" else Errored
    return Checked(stage, item.item_id, answer.kind, None, kind.model_validate_json(answer.outcome))
