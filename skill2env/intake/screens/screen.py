"""Takes the text files of a skill through all screens, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from skill2env.intake.codes import Findings
from skill2env.intake.licences.texts import is_licence_file
from skill2env.intake.screens.hazards import hazards
from skill2env.intake.screens.personal import personal
from skill2env.intake.screens.secrets import secrets

MAX_TEXT_BYTES = 2_000_000
"""A longer file is data, of which the first part is looked through."""
_POINTER = b"version https://git-lfs.github.com/spec/"


def screen(files: Mapping[str, bytes], findings: Findings) -> None:
    """Add what the screens find in a skill's files, with file and line, to its findings; binary files are passed over.

    The notice in a licence file stays as its owner wrote it, name and address too.
    """
    for name, data in sorted(files.items()):
        if data.startswith(_POINTER):
            findings.add("lfs-pointer", "Git LFS holds the file itself; it was not fetched.", name, 1)
        text = _text(data[:MAX_TEXT_BYTES])
        if text is None:
            continue
        lines = text.split("\n")
        for number, kind in secrets(lines):
            findings.add(
                "secret", f"This looks like a secret ({kind}); revoke it, then take it away.", name, number
            )
        for number, code, message in hazards(text):
            findings.add(code, message, name, number)
        for number, line in enumerate(lines, 1) if not is_licence_file(PurePosixPath(name).name) else ():
            for code, message in personal(line):
                findings.add(code, message, name, number)


def _text(data: bytes) -> str | None:
    """Return a file as text, with line feeds only, or None where it is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:8000]:
        return None
    else:
        text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
