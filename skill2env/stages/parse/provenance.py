"""Reads `skills_corpus/provenance/<skill>.yaml` and compares it with the folder."""

from __future__ import annotations

import errno
from pathlib import Path

from skill2env.models.outcome import Finding
from skill2env.models.skill import Provenance
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.yamltext import MAX_YAML_BYTES, YamlRefused, load
from skill2env.store.folders import read_regular

SPELLINGS = {"license": "licence"}
_CODES = "provenance-"


def of_record(finding: Finding) -> bool:
    """Return whether a finding is one of the provenance file, whose path is relative to the corpus and not to the skill."""
    return finding.code.startswith(_CODES)


def read_provenance(path: Path | None, tree_sha256: str, findings: Findings) -> Provenance | None:
    """Return where a skill comes from, or None where that is not on record or can't be read.

    Args:
        path: the provenance file; None, or a file that is not there, is a warning.
        tree_sha256: content id of the folder, which the file's `sha256` must equal.
        findings: gets what is missing, unreadable or different.
    """
    data = _bytes(path, findings) if path is not None else None
    if data is None or path is None:
        if not findings.has("provenance-unreadable"):
            message = "Nothing is on record about where the skill comes from; add a provenance file."
            findings.add("no-provenance", message, file="")
        return None
    file = _named(path)
    try:
        loaded = load(data.decode("utf-8"), 1)
    except YamlRefused as refused:
        message = f"The provenance file is not valid YAML: {refused.problem}."
        findings.add("provenance-unreadable", message, refused.line, file)
        return None
    except UnicodeDecodeError:
        findings.add("provenance-unreadable", "The provenance file is not UTF-8.", 0, file)
        return None
    values: dict[str, str] = {}
    for entry in loaded.entries:
        key = SPELLINGS.get(entry.key, entry.key)
        if key not in Provenance.model_fields:
            message = f"`{shown(entry.key)}` means nothing in a provenance file; take it away."
            findings.add("provenance-unknown-key", message, entry.line, file)
        elif not isinstance(entry.value, str):
            message = f"`{key}` must be text."
            findings.add("provenance-unreadable", message, entry.line, file)
        else:
            values[key] = entry.value
    found = Provenance(**values)
    if found.sha256 != tree_sha256:
        stated = shown(found.sha256, 64)
        line = next((entry.line for entry in loaded.entries if entry.key == "sha256"), 0)
        message = (
            f"The folder's content id is {tree_sha256}, and not `{stated}`; if the change is wanted, run "
            f"`skill2env provenance CORPUS/skills/{shown(path.stem)}`."
        )
        findings.add("provenance-hash-differs", message, line, file)
    return found


def _named(path: Path) -> str:
    """Return a provenance file's path as findings state it, relative to the corpus."""
    return f"provenance/{path.name}"


def _bytes(path: Path, findings: Findings) -> bytes | None:
    """Return the file's bytes; None where there is no file, and with a finding where it can't be read."""
    try:
        return read_regular(path, MAX_YAML_BYTES + 1)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENAMETOOLONG):
            message = f"The provenance file can't be read ({error.strerror}); replace it by a plain file."
            findings.add("provenance-unreadable", message, 0, _named(path))
        return None
