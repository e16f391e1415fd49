"""`skill2env import`: takes skills of others into a corpus."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skill2env.commands.common import HERE, AsJson, Root, out, say
from skill2env.errors import ExitCode

if TYPE_CHECKING:
    from skill2env.intake.outcome import Result

Where = Annotated[
    str,
    typer.Argument(
        help="An https URL of a git repository, or a repository, folder or archive (zip, tar, tar.gz)."
    ),
]
Revision = Annotated[
    str, typer.Option(help="Branch, tag or whole commit id of a repository; its HEAD by default.")
]
Part = Annotated[str, typer.Option("--path", help="Only the skills at or below this folder of the source.")]
Into = Annotated[Path | None, typer.Option(help="The corpus; the one of params.yaml by default.")]
Origin = Annotated[
    str,
    typer.Option(
        help="What provenance says of a local source, by which it is known again; its name by default."
    ),
]
ByReference = Annotated[
    bool, typer.Option("--by-reference", help="Keep only record and digest of what may not be redistributed.")
]
Update = Annotated[bool, typer.Option("--update", help="Replace skills that changed at the source.")]
Accept = Annotated[
    list[str] | None,
    typer.Option(
        help="FILE:LINE of a secret or personal datum that you have read and that is none; may be repeated."
    ),
]


def import_skills(
    source: Where,
    revision: Revision = "",
    path: Part = "",
    into: Into = None,
    origin: Origin = "",
    by_reference: ByReference = False,
    update: Update = False,
    accept: Accept = None,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Take skills into a corpus, with licence and provenance; what must not be taken is refused with file and line."""
    from skill2env.intake.outcome import FAULTS
    from skill2env.intake.shelf import alone
    from skill2env.intake.sources import opened
    from skill2env.intake.take import Import, Wishes
    from skill2env.params import load_params
    from skill2env.store.workspace import Workspace

    params = load_params(root / "params.yaml")
    wishes = Wishes(path, by_reference, update, frozenset(accept or ()))
    corpus = into or root / params.corpus
    with Workspace(root).locked(), alone(corpus), opened(source, revision, origin) as place:
        results = []
        for result in Import(place, corpus, params.import_, wishes).results():
            results.append(result)
            if not as_json:
                _tell(result)
        odd = place.findings.all()
    counts = Counter(str(result.fate) for result in results)
    if as_json:
        about = {"origin": place.origin, "commit": place.commit, "counts": counts}
        found = [item.model_dump(mode="json") for item in odd]
        skills = [result.model_dump(mode="json") for result in results]
        out.print_json(json.dumps({**about, "findings": found, "skills": skills}), ensure_ascii=True)
    else:
        for item in odd:
            _print(f"{item.severity}: {item}")
        say(", ".join(f"{count} {fate}" for fate, count in counts.most_common()) or "no skill was found")
    faulty = not results or place.findings.blocks or any(result.fate in FAULTS for result in results)
    raise typer.Exit(ExitCode.FOUND if faulty else ExitCode.OK)


def _tell(result: Result) -> None:
    """Print what became of a skill: one line, then findings with their place in the source, changes, and what they touch."""
    name = f" as {result.skill_id}" if result.skill_id else ""
    like = f" of {result.like}" if result.like else ""
    licence = f", {result.licence}" if result.licence else ""
    _print(f"{result.fate}{like}: {result.path or '.'}{name}{licence}")
    prefix = f"{result.path}/" if result.path else ""
    for item in result.findings:
        placed = item.model_copy(update={"file": prefix + item.file}) if item.file else item
        _print(f"  {item.severity}: {placed}")
    for change in result.changes:
        _print(f"  {change.what}: {change.file} (+{change.lines_added} -{change.lines_removed})")
    for one in result.touched:
        now = f"moved to {one.now}" if one.now else "changed"
        _print(f"  blueprint {one.blueprint}: {one.reference} {now}")


def _print(line: str) -> None:
    """Print one line, in which names of a source are told so that no terminal obeys them."""
    from skill2env.escaped import visible

    out.print(visible(line), markup=False)
