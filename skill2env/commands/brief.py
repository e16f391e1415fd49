"""`skill2env brief`: one self-contained brief for whoever writes a blueprint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skill2env.commands.common import HERE, Root, err, from_here, opened
from skill2env.errors import ExitCode


def brief(
    path: Annotated[Path, typer.Argument(help="A skill's or a blueprint's folder in a corpus.")],
    root: Root = HERE,
) -> None:
    """Print all that a person or a coding agent needs to write a blueprint for a skill, the skill included."""
    from skill2env.authoring.brief import brief as write_brief
    from skill2env.checking import locate, read_skill

    target = locate(path)
    with opened(root) as context:
        skill, refused = read_skill(target, context)
    if skill is None:
        for line in refused:
            err.print(line, markup=False)
        raise typer.Exit(ExitCode.FOUND)
    typer.echo(write_brief(from_here(target.corpus), target.skill_id, skill.text), nl=False)
