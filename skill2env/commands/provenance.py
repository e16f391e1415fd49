"""`skill2env provenance`: puts on record where a skill of this corpus comes from, with the hash of its files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import yaml

from skill2env.commands.common import from_here, out
from skill2env.errors import UsageError


def provenance(
    skill: Annotated[Path, typer.Argument(help="A skill's folder, <corpus>/skills/<skill>.")],
    origin: Annotated[
        str | None,
        typer.Option(
            help="Repository or author that the skill comes from; skill2env where none is on record."
        ),
    ] = None,
    commit: Annotated[
        str | None, typer.Option(help="Commit of the origin; empty for a skill written in this corpus.")
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            help="Path of the skill in the origin; its place in this corpus where none is on record."
        ),
    ] = None,
    licence: Annotated[
        str | None,
        typer.Option(
            help="SPDX name of its licence; where none is on record what SKILL.md states, else Apache-2.0."
        ),
    ] = None,
) -> None:
    """Write or renew the provenance file of a skill; run it after every change. What is not named stays as it is on record."""
    from skill2env.checking import locate
    from skill2env.escaped import one_line
    from skill2env.stages.parse import provenance_path, tree_hash
    from skill2env.store.workspace import write_text

    target = locate(skill)
    folder = target.corpus / "skills" / target.skill_id
    file = provenance_path(target.corpus, target.skill_id)
    digest = tree_hash(folder)
    options = {"origin": origin, "commit": commit, "path": path, "licence": licence}
    named = {key: value for key, value in options.items() if value is not None}
    kept = {key: value for key, value in _on_record(file, digest).items() if value and key not in named}
    known = {**kept, **named}
    record = {
        "origin": known.get("origin", "skill2env"),
        "commit": known.get("commit", ""),
        "path": known.get("path", f"{target.corpus.name}/skills/{target.skill_id}"),
        "licence": known["licence"] if "licence" in known else _stated_licence(folder),
        "sha256": digest,
    }
    write_text(file, yaml.safe_dump(record, sort_keys=False))
    if kept:
        told = ", ".join(f"{key} {value}" for key, value in kept.items())
        out.print(one_line(f"kept as on record: {told}"), markup=False)
    out.print(f"written: {from_here(file)}", markup=False)


def _on_record(file: Path, digest: str) -> dict[str, str]:
    """Return what a provenance file says but the hash; nothing where there is no file.

    Raises:
        UsageError: it can't be read, so that what it says would be lost.
    """
    from skill2env.stages.parse.codes import Findings
    from skill2env.stages.parse.provenance import read_provenance

    findings = Findings()
    found = read_provenance(file, digest, findings)
    if findings.has("provenance-unreadable"):
        wrong = "; ".join(str(item) for item in findings.all() if item.code == "provenance-unreadable")
        raise UsageError(f"{file}: {wrong}; correct the file or take it away, then run again")
    return found.model_dump(exclude={"sha256"}) if found else {}


def _stated_licence(folder: Path) -> str:
    """Return the SPDX name of the licence that a skill's frontmatter states; Apache-2.0 where it states none.

    Raises:
        UsageError: what it states is no licence that is known by name.
    """
    from skill2env.intake.licences.spdx import expression
    from skill2env.models.outcome import Accepted
    from skill2env.stages.parse import read_skill
    from skill2env.stages.parse.codes import shown

    answer = read_skill(folder, folder.name)
    stated = answer.record.licence if isinstance(answer, Accepted) else ""
    if not stated.strip():
        return "Apache-2.0"
    spdx = expression(stated)
    if spdx is None:
        raise UsageError(
            f"{folder / 'SKILL.md'}: the license `{shown(stated)}` is no SPDX name; name it with --licence"
        )
    return spdx
