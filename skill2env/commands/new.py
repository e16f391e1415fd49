"""`skill2env new`: skeletons of a skill and of a blueprint, and what their author must still write."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skill2env.commands.common import HERE, AsJson, Root, err, opened, out
from skill2env.errors import ExitCode, UsageError, WorkspaceError, remedy

if TYPE_CHECKING:
    from skill2env.models.tree import Tree

app = typer.Typer(no_args_is_help=True, help="Begin a skill or a blueprint with files that work.")


@app.command("skill")
def new_skill(
    name: Annotated[str, typer.Argument(help="Name of the skill: lower-case letters, digits and hyphens.")],
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Make the folder of a new skill, and say what its author must write."""
    from skill2env.authoring.skeletons import skill_skeleton
    from skill2env.params import load_params

    tree = skill_skeleton(name)
    folder = root / load_params(root / "params.yaml").corpus / "skills" / name
    _written(tree, folder)
    origin = f"skill2env provenance {folder}   # when the text is final, and after every later change"
    _tell(tree, folder, [origin, f"skill2env check {folder}"], as_json)


@app.command("blueprint")
def new_blueprint(
    skill: Annotated[str, typer.Argument(help="Name of a skill of the corpus.")],
    name: Annotated[
        str, typer.Argument(help="Name of the blueprint: lower-case letters, digits and hyphens.")
    ],
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Make the folder of a new blueprint of a skill, a small task that works, and say what its author must write."""
    from skill2env.authoring.skeletons import blueprint_skeleton, checked_name
    from skill2env.checking import Target, read_skill

    checked_name(name)
    with opened(root) as context:
        corpus = root / context.params.corpus
        found, refused = read_skill(Target(corpus, skill), context)
    if found is None:
        for line in refused:
            err.print(line, markup=False)
        raise typer.Exit(ExitCode.FOUND)
    tree = blueprint_skeleton(found, datetime.datetime.now(datetime.UTC).date())
    folder = corpus / "blueprints" / skill / name
    _written(tree, folder)
    brief = f"skill2env brief {corpus / 'skills' / skill}   # all that an author needs to know, on one page"
    _tell(tree, folder, [brief, f"skill2env check {folder}"], as_json)


def _written(tree: Tree, folder: Path) -> None:
    from skill2env.store.folders import write_folder

    try:
        write_folder(tree, folder)
    except FileExistsError:
        raise UsageError(f"{folder} is there already; choose another name") from None
    except OSError as error:
        raise WorkspaceError(
            f"{folder}: can't be written ({error.strerror}); {remedy(error)} and run again"
        ) from error


def _tell(tree: Tree, folder: Path, then: list[str], as_json: bool) -> None:
    from skill2env.models.todo import todos

    left = todos(tree)
    if as_json:
        rows = [
            {"file": str(folder / todo.file), "line": todo.line, "message": todo.message} for todo in left
        ]
        out.print_json(
            json.dumps({"folder": str(folder), "files": sorted(tree), "todos": rows, "then": then})
        )
        return
    out.print(f"written: {folder}: {', '.join(sorted(tree))}\nleft to you:", markup=False)
    for todo in left:
        out.print(f"  {folder / todo.file}:{todo.line}: {todo.message}", markup=False)
    out.print("then:", *then, sep="\n  ", markup=False)
