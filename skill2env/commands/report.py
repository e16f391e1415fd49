"""`skill2env report`: what is known of one skill, for its author."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from skill2env.commands.common import HERE, AsJson, Root, from_here, opened, out
from skill2env.errors import ExitCode, UsageError


def report(
    skill: Annotated[str, typer.Argument(help="A skill's name, or its folder in a corpus.")],
    page: Annotated[Path | None, typer.Option(help="Also write it to this file, as a Markdown page.")] = None,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Show whether a skill can be practised, which of its advice is exercised, and how strong its tasks are."""
    from skill2env.checking import Target, locate
    from skill2env.reporting import skill_report
    from skill2env.store.workspace import write_text

    with opened(root) as context:
        corpus = context.workspace.root / context.params.corpus
        named = "/" not in skill and (corpus / "skills" / skill).exists()
        if not named and not Path(skill).exists():
            raise UsageError(
                f"there is no skill {skill} in {from_here(corpus / 'skills')}; name another, or a skill's folder"
            )
        target = Target(corpus, skill) if named else locate(Path(skill))
        found = skill_report(Target(target.corpus, target.skill_id), context)
    if page:
        write_text(page, "\n".join(found.lines()) + "\n")
    if as_json:
        out.print_json(json.dumps(found.as_json()))
    else:
        for line in found.told():
            out.print(line, markup=False)
    raise typer.Exit(ExitCode.FOUND if found.refused else ExitCode.OK)
