"""A skill's folder as it was parsed, for models that are given it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from skill2env.errors import WorkspaceError
from skill2env.models.outcome import Accepted
from skill2env.models.skill import BundledFile, Skill
from skill2env.models.task import Task
from skill2env.models.tree import Node, Tree
from skill2env.stages.context import Context
from skill2env.store.lookup import Lookup
from skill2env.trial.telling import SkillFolder


def skill_folder(task: Task, context: Context) -> SkillFolder:
    """Return the folder of a task's skill, file by file what parse has seen.

    Raises:
        WorkspaceError: parse knows no such skill, or the corpus has changed since.
    """
    skill_id = task.blueprint.skill_id
    with Lookup(context.workspace.shard("parse")) as shard:
        row = shard.get(skill_id)
    if row is None or row.kind != "accepted":
        raise WorkspaceError(f"the outcomes of parse have no accepted skill {skill_id}; run `dvc repro`")
    skill = Accepted[Skill].model_validate_json(row.outcome).record
    if skill.tree_sha256 != task.blueprint.skill_tree_sha256:
        raise WorkspaceError(
            f"parse and build know different states of the skill {skill_id}; run `dvc repro`"
        )
    folder = context.workspace.root / context.params.corpus / "skills" / skill_id
    return SkillFolder(skill_id, skill.text, files_of(skill, folder))


def files_of(skill: Skill, folder: Path) -> Tree:
    """Return the files of a skill.

    Raises:
        WorkspaceError: one of them is not there, or has other bytes than parse has seen.
    """
    tree: Tree = {}
    for file in skill.files:
        path = folder / file.path
        try:
            data = _bytes(path, file)
        except OSError as error:
            raise WorkspaceError(f"{path}: can't be read ({error.strerror}); run `dvc repro`") from error
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise WorkspaceError(f"{path}: has changed since the corpus was parsed; run `dvc repro`")
        kind = "link" if stat.S_ISLNK(file.mode) else "file"
        tree[file.path] = Node(kind, data, stat.S_IMODE(file.mode) or 0o777)  # type: ignore[arg-type]
    return tree


def _bytes(path: Path, file: BundledFile) -> bytes:
    return os.fsencode(path.readlink()) if stat.S_ISLNK(file.mode) else path.read_bytes()
