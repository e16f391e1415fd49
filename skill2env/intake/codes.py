"""Every finding of an import, with its severity: an error keeps a skill out, a warning or advice is only told."""

from __future__ import annotations

from typing import NamedTuple

from skill2env.models.outcome import Finding, Severity

ERROR, WARNING, ADVICE = Severity.ERROR, Severity.WARNING, Severity.ADVICE

MAX_PER_CODE = 20
"""Findings of one code that are told of one skill."""
ACCEPTABLE = frozenset({"secret", "email-address", "phone-number", "home-path"})
"""Codes of which a person may answer for a place."""


class Kind(NamedTuple):
    """Severity and meaning of one code."""

    severity: Severity
    about: str


KINDS: dict[str, Kind] = {
    # the source
    "entry-path": Kind(
        ERROR,
        "an entry whose path is absolute, climbs out, leads into a `.git` folder, is too long or deep, or in a zip has "
        "backslashes; it was left out",
    ),
    "entry-twice": Kind(ERROR, "two entries of an archive with the same path; the first counts"),
    "nothing-accepted": Kind(WARNING, "an `--accept` at whose place no secret or personal datum was found"),
    # the files of a skill
    "link-out-of-source": Kind(ERROR, "a link that leads out of the source, nowhere, or in a circle"),
    "link-copied": Kind(ADVICE, "a link within the source; what it leads to was copied"),
    "special-entry": Kind(ERROR, "a device, pipe, socket, hard link, submodule or encrypted entry"),
    "unreadable-entry": Kind(ERROR, "an entry that can't be read, is damaged or too large"),
    "lfs-pointer": Kind(
        WARNING, "a pointer of Git LFS in the place of a file; the file itself was not fetched"
    ),
    "not-a-skill": Kind(ERROR, "the parse stage would refuse the folder"),
    "changed-here": Kind(ERROR, "the folder in the corpus is not the one that its provenance file describes"),
    # the licence
    "licence-missing": Kind(ERROR, "no licence is stated anywhere"),
    "licence-unknown": Kind(ERROR, "a licence is stated that is no SPDX expression and no known text"),
    "licence-forbids": Kind(
        ERROR, "the licence does not allow redistribution of changed copies to everybody"
    ),
    "licence-differs": Kind(
        WARNING, "a statement farther from the skill names another licence; the nearest one counts"
    ),
    "licence-changed": Kind(WARNING, "the licence is another than when the skill was taken"),
    "place-changed": Kind(WARNING, "the skill is in another folder of the source than when it was taken"),
    # secrets and personal data
    "too-much-text": Kind(ERROR, "more text than can be looked through for secrets and personal data"),
    "secret": Kind(ERROR, "a key, token or password"),
    "email-address": Kind(ERROR, "an e-mail address of somebody"),
    "phone-number": Kind(ERROR, "a telephone number that may be somebody's"),
    "home-path": Kind(ERROR, "a path with the name of a user"),
    # what the text would make others do
    "prompt-injection": Kind(WARNING, "text that gives orders against the reader's own instructions"),
    "hidden-text": Kind(WARNING, "characters that no reader sees but a model does"),
    "pipe-to-shell": Kind(WARNING, "a download that is executed unseen"),
    "encoded-payload": Kind(WARNING, "code that is decoded and executed"),
    "credential-read": Kind(WARNING, "a command that reads keys, tokens or passwords of its user"),
    "reverse-shell": Kind(WARNING, "a command that gives others a shell"),
    "destructive-command": Kind(WARNING, "a command that wipes a disk or a home folder"),
}


class Findings:
    """The findings of one skill or source; the same one counts once."""

    def __init__(self, accepted: frozenset[str] = frozenset()) -> None:
        """Begin with none; `accepted` are places `<file>:<line>` that a person answers for."""
        self._found: dict[Finding, None] = {}
        self._counts: dict[str, int] = {}
        self._accepted = accepted
        self.met: set[str] = set()
        """Accepted places at which there was something to accept."""

    def add(self, code: str, message: str, file: str = "", line: int = 0) -> None:
        """Record one that nobody answers for; of a code at most `MAX_PER_CODE` are kept, and the rest is counted."""
        place = f"{file}:{line}"
        if code in ACCEPTABLE and place in self._accepted:
            self.met.add(place)
            return
        kind = KINDS[code]
        finding = Finding(code=code, severity=kind.severity, message=message, file=file, line=line)
        if finding not in self._found:
            self._counts[code] = self._counts.get(code, 0) + 1
            if self._counts[code] <= MAX_PER_CODE:
                self._found[finding] = None

    def all(self) -> tuple[Finding, ...]:
        """Return them by file and line, then one more of each code of which some were left out."""
        more = (
            (code, KINDS[code], count - MAX_PER_CODE)
            for code, count in self._counts.items()
            if count > MAX_PER_CODE
        )
        return (
            *sorted(self._found, key=lambda item: (item.file, item.line, item.code)),
            *(
                Finding(code=code, severity=kind.severity, message=f"And {count} more: {kind.about}.")
                for code, kind, count in more
            ),
        )

    @property
    def blocks(self) -> bool:
        """Whether one of them keeps the skill out."""
        return any(item.severity == ERROR for item in self._found)
