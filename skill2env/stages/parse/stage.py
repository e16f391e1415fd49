"""Reads the folders of a corpus into skills: every folder gets exactly one answer, whatever it holds."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.models.base import Record
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Provenance, Skill
from skill2env.stages.parse.body import read_body
from skill2env.stages.parse.decode import decode
from skill2env.stages.parse.fences import closed
from skill2env.stages.parse.fields import read_fields
from skill2env.stages.parse.frontmatter import read_front
from skill2env.stages.parse.language import guess_language
from skill2env.stages.parse.links import find_bundled, find_links
from skill2env.stages.parse.needs import find_needs, wanted_variables
from skill2env.stages.parse.pitfalls import find_pitfalls
from skill2env.stages.parse.provenance import read_provenance
from skill2env.stages.parse.roles import understand_blocks
from skill2env.stages.parse.rules import Reading, refuse
from skill2env.stages.parse.shell import shell_commands
from skill2env.stages.parse.statements import find_statements
from skill2env.stages.parse.tree import Tree, scan
from skill2env.stages.parse.yamltext import MAX_YAML_BYTES
from skill2env.store.folders import read_regular

AcceptedSkill = Accepted[Skill]
"""Kept, because pydantic would make the class anew for every skill."""
NAME = "parse"
VERSION = "7"


class SkillSource(Record):
    """One folder of the corpus that is to be read; its content id changes with anything that is read."""

    skill_id: str
    """Name of the folder."""
    path: str
    """Path relative to the corpus."""
    tree_sha256: str
    """Content id over the sorted relative paths and file hashes."""
    provenance_sha256: str = ""
    """Hash of the provenance file; empty where there is none."""


def discover(corpus: Path) -> tuple[SkillSource, ...]:
    """Return every folder below `corpus/skills`, sorted; one without SKILL.md is an item too.

    Raises:
        UsageError: `corpus` has no folder `skills`.
    """
    root = corpus / "skills"
    if not root.is_dir():
        raise UsageError(f"There is no folder {root}; name a corpus with a folder `skills` in it.")
    names = sorted(entry.name for entry in root.iterdir() if entry.is_dir() or entry.is_symlink())
    return tuple(
        SkillSource(
            skill_id=_printable(name),
            path=f"skills/{_printable(name)}",
            tree_sha256=scan(root / name).sha256,
            provenance_sha256=_file_hash(provenance_path(corpus, name)),
        )
        for name in names
    )


def provenance_path(corpus: Path, skill_id: str) -> Path:
    """Return where the provenance file of a skill belongs."""
    return corpus / "provenance" / f"{skill_id}.yaml"


def read_skill(
    folder: Path, skill_id: str, provenance: Path | None = None, skill_bytes: bytes | None = None
) -> Accepted[Skill] | Rejected:
    """Return what a skill's folder holds, or why it is refused; nothing in it is followed or executed.

    Args:
        folder: the skill's folder.
        skill_id: its name, which stands in for a missing name in the frontmatter.
        provenance: the skill's provenance file; missing provenance is a warning.
        skill_bytes: read in place of what SKILL.md holds.
    """
    tree = scan(folder)
    if skill_bytes is not None:
        tree.skill_bytes = skill_bytes
    origin = read_provenance(provenance, tree.sha256, tree.findings)
    if not tree.skill_file or tree.findings.has("skill-file-too-large"):
        return _refused(tree)
    return _read_text(tree, _printable(skill_id), origin)


def _refused(tree: Tree) -> Rejected:
    refused = refuse(Reading(tree.findings))
    assert refused is not None
    return refused


def _read_text(tree: Tree, skill_id: str, origin: Provenance | None) -> Accepted[Skill] | Rejected:
    findings = tree.findings
    findings.file = tree.skill_file
    text, encoding = decode(tree.skill_bytes, findings)
    front = read_front(text, findings)
    lines = closed(front.body, findings)
    body = read_body(lines, findings)
    fields = read_fields(front, skill_id, body.first_paragraph, findings)
    links = find_links(body, lines, tree.paths, findings)
    references = find_bundled(lines, links, tree.paths, findings)
    refused = refuse(Reading(findings, fields.name, fields.description))
    if refused is not None:
        return refused
    blocks = list(understand_blocks(body.blocks, front.body, body.sections))
    commands = shell_commands(blocks)
    skill = Skill(
        skill_id=skill_id,
        name=fields.name,
        description=fields.description,
        licence=fields.licence,
        compatibility=fields.compatibility,
        metadata=fields.metadata,
        allowed_tools=fields.allowed_tools,
        extras=fields.extras,
        frontmatter_keys=fields.keys,
        skill_file=tree.skill_file,
        encoding=encoding,
        language=guess_language("\n".join((*front.body, fields.description))),
        text=text,
        text_lines=text.count("\n") + (not text.endswith("\n")),
        body_line=front.body_line,
        sections=tuple(body.sections),
        code_blocks=tuple(blocks),
        commands=commands,
        links=links,
        checklist=tuple(body.checklist),
        steps=tuple(body.steps),
        statements=find_statements(body.paragraphs),
        needs=find_needs(
            fields.description,
            front.body,
            blocks,
            commands,
            wanted_variables(fields.metadata + fields.extras, fields.description),
        ),
        pitfalls=find_pitfalls(body.paragraphs, body.sections),
        references=references,
        files=tuple(tree.files),
        tree_sha256=tree.sha256,
        provenance=origin,
        findings=findings.all(),
    )
    return AcceptedSkill(record=skill)


def _printable(name: str) -> str:
    """Return a file name as valid Unicode; bytes that are none are written as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _file_hash(path: Path) -> str:
    try:
        return sha256(read_regular(path, MAX_YAML_BYTES + 1)).hexdigest()
    except OSError:
        return ""
