"""`skill2env provenance`: puts on record where a skill of this corpus comes from, with the hash of its files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import yaml

from skill2env.commands.common import out


def provenance(
    skill: Annotated[Path, typer.Argument(help="A skill's folder, <corpus>/skills/<skill>.")],
    origin: Annotated[
        str, typer.Option(help="Repository or author that the skill comes from.")
    ] = "skill2env",
    commit: Annotated[
        str, typer.Option(help="Commit of the origin; empty for a skill written in this corpus.")
    ] = "",
    path: Annotated[str, typer.Option(help="Path of the skill in the origin.")] = "",
    licence: Annotated[str, typer.Option(help="SPDX name of its licence.")] = "Apache-2.0",
) -> None:
    """Write or renew the provenance file of a skill; run it after every change of the skill's files."""
    from skill2env.checking import locate
    from skill2env.stages.parse import provenance_path, tree_hash
    from skill2env.store.workspace import write_text

    target = locate(skill)
    folder = target.corpus / "skills" / target.skill_id
    record = {
        "origin": origin,
        "commit": commit,
        "path": path or f"skills_corpus/skills/{target.skill_id}",
        "licence": licence,
        "sha256": tree_hash(folder),
    }
    file = provenance_path(target.corpus, target.skill_id)
    write_text(file, yaml.safe_dump(record, sort_keys=False))
    out.print(f"written: {file.relative_to(target.corpus)}", markup=False)
