"""The draft stage: folders of `skills_corpus/blueprints/` become blueprints, or all of their faults are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.errors import UsageError
from skill2env.models.base import content_id, printable
from skill2env.models.blueprint import Blueprint
from skill2env.models.fields import is_slug
from skill2env.models.lines import split_lines
from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.skill import Skill
from skill2env.models.tree import BadTree, Tree, tree_id
from skill2env.stages.context import Author, Context, Done, Item
from skill2env.stages.draft.read import SkillText, read_blueprint
from skill2env.store.folders import read_bundled, read_folder
from skill2env.store.shards import read_shard

NAME = "draft"
VERSION = "4"


@dataclass(frozen=True)
class Source:
    """One folder that should hold a blueprint."""

    folder: Path
    skill_id: str
    skill: Skill | None
    """The skill, if it was accepted."""
    skill_folder: Path


def items(context: Context) -> Iterator[Item]:
    """Yield every folder below `blueprints/<skill>/`, also where the skill is unfit or missing, and what a model is to write.

    Raises:
        UsageError: the parameters name a skill or an author that is not there.
    """
    corpus = context.workspace.root / context.params.corpus
    skills = {
        skill.skill_id: skill
        for skill in (
            Accepted[Skill].model_validate_json(row.outcome).record
            for row in read_shard(context.workspace.shard("parse"), "accepted")
        )
    }
    folders = [folder for skill in sorted((corpus / "blueprints").glob("*")) for folder in folders_of(skill)]
    for source in context.params.draft.authors:
        if source == "authored":
            for folder in folders:
                yield item_of(folder, skills.get(folder.parent.name), corpus)
        else:
            served = {folder.parent.name for folder in folders}
            yield from _author(context).items(_wanted(skills, served, context), corpus)


def _wanted(skills: dict[str, Skill], served: set[str], context: Context) -> list[Skill]:
    """Return the skills that the model author is to write for.

    Raises:
        UsageError: `draft.author.skills` names one that is not there.
    """
    named = context.params.draft.author.skills
    if unknown := [name for name in named if name not in skills]:
        raise UsageError(
            f"draft.author.skills: there is no accepted skill {', '.join(unknown)}; see `skill2env funnel`"
        )
    return [skill for name, skill in skills.items() if (name in named if named else name not in served)]


def _author(context: Context) -> Author:
    if context.author is None:
        raise UsageError(
            "draft.authors names model, but draft.author.model names none; name one, or leave model out"
        )
    return context.author


def item_of(folder: Path, skill: Skill | None, corpus: Path) -> Item:
    """Return the item of one blueprint's folder."""
    source = Source(folder, folder.parent.name, skill, corpus / "skills" / folder.parent.name)
    return Item(printable(f"{source.skill_id}--{folder.name}"), _input_id(source), source)


def settings(context: Context, item: Item) -> Any:
    """Nothing but the files decides of an authored blueprint; model, prompts and bounds of a commissioned one."""
    return None if isinstance(item.value, Source) else _author(context).settings()


def apply(item: Item, context: Context) -> Done:
    """Read one blueprint, or have it written."""
    return draft(item.value) if isinstance(item.value, Source) else _author(context).apply(item, context)


def record() -> type[Blueprint]:
    """Return the type of an accepted record."""
    return Blueprint


def draft(source: Source) -> Done:
    """Return the blueprint of a folder with its static world files, or everything that is wrong with it."""
    if not is_slug(source.folder.name):
        message = "name the blueprint's folder with lower-case letters, digits and single hyphens, at most 64 characters"
        return Done(_rejected("blueprint-name", message))
    if source.skill is None:
        message = (
            f"there is no accepted skill {source.skill_id!r}; add skills/{source.skill_id}/ or mend it first"
        )
        return Done(_rejected("no-skill", message))
    try:
        tree = _files(source.folder)
    except BadTree as error:
        return Done(_rejected("unsafe-tree", f"{error}; keep a blueprint to plain files of modest size"))
    except OSError as error:
        return Done(_rejected("unreadable", f"{source.folder.name} can't be read: {error.strerror}"))
    outcome, blob = read_blueprint(tree, source.folder.name, skill_text(source.skill, source.skill_folder))
    return Done(outcome, blob)


def folders_of(skill: Path) -> list[Path]:
    """Return what stands for a blueprint in a folder `blueprints/<skill>`, sorted: folders, and links, which are refused."""
    return sorted(path for path in skill.iterdir() if is_place(path)) if skill.is_dir() else []


def is_place(path: Path) -> bool:
    """Return whether a folder is there, or a link, wherever it leads."""
    return path.is_dir() or path.is_symlink()


def _files(folder: Path) -> Tree:
    """Return the files of a blueprint.

    Raises:
        BadTree: the folder is a link or lies in one, or holds what no blueprint may.
        OSError: it can't be read.
    """
    if folder.is_symlink() or folder.parent.is_symlink():
        raise BadTree("the folder is a link, or lies in one")
    return read_folder(folder)


def _input_id(source: Source) -> str:
    try:
        tree = tree_id(_files(source.folder))
    except (BadTree, OSError) as error:
        tree = f"unreadable: {error}"
    return content_id([tree, source.skill.tree_sha256 if source.skill else None])


def skill_text(skill: Skill, folder: Path) -> SkillText:
    """Return what a blueprint needs to know of a skill that lies in a folder."""
    lines = {
        path: len(split_lines(node.data.decode("utf-8", "replace")))
        for path, node in read_bundled(folder, skill.files).items()
    }
    lines[skill.skill_file] = skill.text_lines
    return SkillText(skill.skill_id, skill.tree_sha256, lines)


def _rejected(rule: str, message: str) -> Rejected:
    return Rejected(
        rule=rule, message=message, findings=(Finding(code=rule, severity=Severity.ERROR, message=message),)
    )
