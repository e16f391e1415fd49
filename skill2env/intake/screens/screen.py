"""Takes the text files of a skill through all screens, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from skill2env.intake.codes import Findings
from skill2env.intake.find import SKILL_FILE
from skill2env.intake.licences.texts import MAX_BYTES, is_licence_file, text_licence
from skill2env.intake.screens.hazards import hazards
from skill2env.intake.screens.personal import personal
from skill2env.intake.screens.secrets import secrets
from skill2env.stages.parse.codes import Findings as ParseFindings
from skill2env.stages.parse.decode import decode

MAX_TEXT_BYTES = 5_000_000
"""Text of a skill that is looked through, which takes some seconds, and a minute where somebody wants it to."""
_HEAD_BYTES = 16_000
"""Of a file, what tells whether it is text."""
_POINTER = b"version https://git-lfs.github.com/spec/"


def screen(files: Mapping[str, bytes], findings: Findings) -> None:
    """Add what the screens find in a skill's files, with file and line, to its findings; binary files are passed over.

    Text is what parse takes for text, and is read as parse reads it; SKILL.md is never passed over.
    The notice in a licence file stays as its owner wrote it, name and address too.
    """
    left = MAX_TEXT_BYTES
    for name, data in sorted(files.items()):
        if data.startswith(_POINTER):
            findings.add("lfs-pointer", "Git LFS holds the file itself; it was not fetched.", name, 1)
        if name.casefold() != SKILL_FILE and _is_binary(data):
            continue
        left -= len(data)
        if left < 0:
            message = f"The skill holds more than {MAX_TEXT_BYTES:,} bytes of text, too much to look through; bundle less."
            findings.add("too-much-text", message, name)
            return
        text = decode(data, ParseFindings()).text
        lines = text.split("\n")
        for number, kind in secrets(lines):
            findings.add(
                "secret", f"This looks like a secret ({kind}); revoke it, then take it away.", name, number
            )
        for number, code, message in hazards(text):
            findings.add(code, message, name, number)
        for number, line in enumerate(lines, 1) if not _is_licence(name, text) else ():
            for code, message in personal(line):
                findings.add(code, message, name, number)


def _is_licence(name: str, text: str) -> bool:
    """Return whether a file is the skill's licence, beside SKILL.md, or holds a known one, as bundled parts have theirs."""
    path = PurePosixPath(name)
    beside = len(path.parts) == 1
    return is_licence_file(path.name) and (
        beside or (len(text) <= MAX_BYTES and text_licence(text) is not None)
    )


def _is_binary(data: bytes) -> bool:
    """Return whether parse would take a file that begins so for no text."""
    findings = ParseFindings()
    decode(data[:_HEAD_BYTES], findings)
    return findings.has("binary-file")
