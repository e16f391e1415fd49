"""Reads `skills_corpus/provenance/<skill>.yaml` and compares it with the folder."""

from __future__ import annotations

import errno
from pathlib import Path

from skill2env.models.skill import Provenance
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.tree import read_regular
from skill2env.stages.parse.yamltext import MAX_YAML_BYTES, YamlRefused, load

SPELLINGS = {"license": "licence"}


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
    try:
        loaded = load(data.decode("utf-8"), 1)
    except YamlRefused as refused:
        message = f"The provenance file is not valid YAML: {refused.problem}."
        findings.add("provenance-unreadable", message, refused.line, path.name)
        return None
    except UnicodeDecodeError:
        findings.add("provenance-unreadable", "The provenance file is not UTF-8.", 0, path.name)
        return None
    values: dict[str, str] = {}
    for entry in loaded.entries:
        key = SPELLINGS.get(entry.key, entry.key)
        if key not in Provenance.model_fields:
            message = f"`{shown(entry.key)}` means nothing in a provenance file; take it away."
            findings.add("provenance-unknown-key", message, entry.line, path.name)
        elif not isinstance(entry.value, str):
            message = f"`{key}` must be text."
            findings.add("provenance-unreadable", message, entry.line, path.name)
        else:
            values[key] = entry.value
    found = Provenance(**values)
    if found.sha256 != tree_sha256:
        stated = shown(found.sha256, 64)
        message = f"The folder's content id is {tree_sha256}, but the provenance file says `{stated}`."
        findings.add("provenance-hash-differs", message, file=path.name)
    return found


def _bytes(path: Path, findings: Findings) -> bytes | None:
    """Return the file's bytes; None where there is no file, and with a finding where it can't be read."""
    try:
        return read_regular(path, MAX_YAML_BYTES + 1)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENAMETOOLONG):
            message = f"The provenance file can't be read ({error.strerror}); replace it by a plain file."
            findings.add("provenance-unreadable", message, 0, path.name)
        return None
