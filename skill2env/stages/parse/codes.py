"""Every finding that parse can report, with its severity, and the collector that reports them once each."""

from __future__ import annotations

from typing import NamedTuple

from skill2env.models.outcome import Finding, Severity

ERROR, WARNING, ADVICE = Severity.ERROR, Severity.WARNING, Severity.ADVICE

MAX_PER_CODE = 20
"""Findings of one code reported one by one; the rest is counted in a last one."""
MAX_MESSAGE_CHARS = 300


class Kind(NamedTuple):
    """Severity and meaning of one code."""

    severity: Severity
    about: str
    fix: str = ""
    """What `skill2env lint --fix` does about it; empty where a person must decide."""


KINDS: dict[str, Kind] = {
    # the folder
    "outward-link": Kind(ERROR, "a link points out of the folder, or nowhere"),
    "inward-link": Kind(WARNING, "a link points inside the folder; it is kept as a link and not followed"),
    "special-file": Kind(ERROR, "a device, pipe or socket"),
    "privileged-mode": Kind(ERROR, "a file with a setuid or setgid bit"),
    "name-control-character": Kind(ERROR, "a file name with control or text-direction characters"),
    "name-not-utf8": Kind(ERROR, "a file name that is not valid UTF-8"),
    "name-case-collision": Kind(ERROR, "two names that differ only in case or in Unicode form"),
    "unreadable-file": Kind(ERROR, "a file or folder that can't be opened"),
    "too-many-files": Kind(ERROR, "more files than a skill may have"),
    "too-many-bytes": Kind(ERROR, "more bytes than a skill may have"),
    "too-many-levels": Kind(ERROR, "folders nested deeper than a skill may have"),
    "skill-file-missing": Kind(ERROR, "no SKILL.md in any letter case"),
    "skill-file-too-large": Kind(ERROR, "SKILL.md itself is too large to be one"),
    "skill-file-case": Kind(WARNING, "the file is not named exactly SKILL.md", "renames the file"),
    # the origin
    "no-provenance": Kind(WARNING, "nothing on record about where the skill comes from"),
    "provenance-unreadable": Kind(ERROR, "the provenance file can't be read"),
    "provenance-unknown-key": Kind(WARNING, "a key in the provenance file that has no meaning"),
    "provenance-hash-differs": Kind(ERROR, "the folder is not the one that the provenance file describes"),
    # the bytes
    "byte-order-mark": Kind(WARNING, "a byte order mark at the start; it was taken off", "takes it off"),
    "utf16": Kind(WARNING, "the file is UTF-16; it was decoded", "saves as UTF-8"),
    "not-utf8": Kind(
        WARNING,
        "bytes that are not UTF-8; they were decoded as a legacy encoding, with loss",
        "saves as UTF-8 where nothing was lost",
    ),
    "nul-byte": Kind(WARNING, "NUL bytes; they were dropped", "drops them"),
    "control-character": Kind(WARNING, "control characters; they were dropped", "drops them"),
    "binary-file": Kind(ERROR, "the file is not text"),
    "crlf": Kind(ADVICE, "lines end in CR LF", "writes LF"),
    "mixed-line-endings": Kind(WARNING, "some lines end in CR LF or CR, others in LF", "writes LF"),
    # the frontmatter's fences
    "blank-before-frontmatter": Kind(WARNING, "blank lines before the opening fence", "takes them away"),
    "comment-before-frontmatter": Kind(WARNING, "a comment before the opening fence", "moves it below"),
    "text-before-frontmatter": Kind(WARNING, "other text before the opening fence", "moves it below"),
    "fence-not-exact": Kind(
        WARNING, "a fence with spaces around it, or longer than three hyphens", "writes `---`"
    ),
    "fence-wrong-character": Kind(WARNING, "a fence made of other characters than hyphens", "writes `---`"),
    "fence-glued": Kind(WARNING, "text on the same line as a fence", "moves the text to its own line"),
    "frontmatter-unclosed": Kind(
        WARNING, "no closing fence; the frontmatter was ended where the keys end", "adds the fence"
    ),
    "frontmatter-unopened": Kind(
        WARNING, "keys at the top of the file without an opening fence", "adds the fence"
    ),
    "frontmatter-in-code": Kind(
        WARNING, "the file or its frontmatter is wrapped in a code fence", "takes the code fence away"
    ),
    "frontmatter-doubled": Kind(
        WARNING,
        "two blocks of frontmatter; the second completes the first",
        "merges them where they do not contradict",
    ),
    "frontmatter-xml": Kind(
        WARNING, "XML elements in place of frontmatter", "adds frontmatter with the values of the XML"
    ),
    "frontmatter-missing": Kind(WARNING, "no frontmatter at all"),
    "frontmatter-too-large": Kind(ERROR, "more frontmatter than a YAML reader is given"),
    "frontmatter-too-deep": Kind(ERROR, "values nested deeper than a YAML reader is given"),
    # the frontmatter's YAML
    "yaml-syntax": Kind(
        WARNING, "the frontmatter is not valid YAML; it was read key by key", "writes the keys anew"
    ),
    "yaml-anchor": Kind(WARNING, "an anchor, alias or merge key; it was read as text and never expanded"),
    "yaml-tag": Kind(
        WARNING,
        "a YAML tag; it was read as text and never applied",
        "quotes the value, if the tag is not one of YAML's own",
    ),
    "yaml-not-a-mapping": Kind(WARNING, "the frontmatter is not a list of keys and values"),
    "quoted-value": Kind(WARNING, "a value that needs quotes; it was read as if it had them", "quotes it"),
    "value-kept-as-text": Kind(
        WARNING, "a nested value that can't be read; it was kept as text", "quotes it"
    ),
    "stray-text": Kind(WARNING, "a line of the frontmatter that belongs to no key", "moves it below"),
    "duplicate-key": Kind(WARNING, "a key given twice; the last one counts"),
    "key-spelling": Kind(
        WARNING,
        "a key in another spelling, letter case or language than the specification's",
        "writes the specification's",
    ),
    "reads-as-other-type": Kind(
        ADVICE, "an unquoted value that many readers take for a number, date or truth value", "quotes it"
    ),
    # the specification
    "name-missing": Kind(
        WARNING,
        "no usable name; the folder's name is used",
        "adds the folder's name, if it is of the right shape",
    ),
    "name-too-long": Kind(WARNING, "a name of more than 64 characters"),
    "name-shape": Kind(
        WARNING,
        "a name that is not lower-case letters, digits and single inner hyphens",
        "writes the folder's name where only case, blanks or `_` differ, and keeps the old one as a comment",
    ),
    "name-leading-hyphen": Kind(WARNING, "a name that programs take for an option"),
    "name-not-directory": Kind(
        WARNING,
        "the name differs from the folder's",
        "writes the folder's name where only case, blanks or `_` differ, and keeps the old one as a comment",
    ),
    "description-missing": Kind(WARNING, "no usable description; the text's first paragraph is used"),
    "description-not-text": Kind(
        WARNING, "a description that is a list or a mapping; its text is used", "writes it as text"
    ),
    "description-too-long": Kind(WARNING, "a description of more than 1,024 characters"),
    "description-placeholder": Kind(WARNING, "a description that was never filled in"),
    "description-html-entity": Kind(
        ADVICE, "HTML entities in the description, which nothing decodes", "writes the characters"
    ),
    "description-xml-tag": Kind(ADVICE, "an XML tag in the description, which one platform refuses"),
    "licence-not-text": Kind(WARNING, "a license that is a list or a mapping", "writes it as text"),
    "compatibility-not-text": Kind(
        WARNING, "a compatibility that is a list or a mapping", "writes it as text"
    ),
    "compatibility-too-long": Kind(WARNING, "a compatibility of more than 500 characters"),
    "metadata-not-a-mapping": Kind(WARNING, "metadata that is not a mapping"),
    "metadata-nested": Kind(ADVICE, "metadata values that are not strings; they were flattened"),
    "allowed-tools-form": Kind(
        WARNING,
        "allowed-tools that is not one space-separated string; it was normalised",
        "writes one string with spaces",
    ),
    "unknown-key": Kind(WARNING, "a key outside the specification"),
    # the text
    "body-empty": Kind(WARNING, "nothing after the frontmatter"),
    "body-too-long": Kind(ADVICE, "more than 500 lines of text"),
    "code-fence-unclosed": Kind(
        WARNING, "a code fence that is never closed", "adds the fence, where the block clearly ends"
    ),
    "code-fence-nested": Kind(
        WARNING, "a code fence inside one of the same length, so that the outer ends early"
    ),
    "code-fence-indented": Kind(
        WARNING,
        "an opening code fence indented deeper than its text; it was read at the margin",
        "moves it to the margin",
    ),
    "info-string-is-text": Kind(WARNING, "prose on the line of the opening code fence"),
    "info-string-is-code": Kind(
        WARNING, "code on the line of the opening code fence", "moves the code one line down"
    ),
    "paragraph-too-long": Kind(ADVICE, "a paragraph too long to be searched for links"),
    "bang-command": Kind(ADVICE, "a command that some clients run while loading; it is never run here"),
    "missing-bundled-file": Kind(WARNING, "a file is named that the folder does not hold"),
    "link-out-of-folder": Kind(ADVICE, "a relative link that leads out of the folder"),
}


class Findings:
    """The findings of one item; each (code, file, line, message) once, and of a code at most some."""

    def __init__(self, file: str = "", *, most: int = MAX_PER_CODE) -> None:
        self.file, self._most = file, most
        self._seen: dict[tuple[str, str, int, str], Finding] = {}
        self._counts: dict[str, int] = {}

    def add(
        self,
        code: str,
        message: str,
        line: int = 0,
        file: str | None = None,
        *,
        column: int = 0,
    ) -> None:
        """Record one finding.

        Args:
            code: a key of `KINDS`.
            message: one sentence that says what is wrong and what to do.
            line: from 1, in the file as decoded; 0 where none is meant.
            file: defaults to the collector's own.
            column: from 1, in characters; 0 where the whole line is meant.
        """
        place = self.file if file is None else file
        key = (code, place, line, message)
        if key in self._seen:
            return
        self._counts[code] = self._counts.get(code, 0) + 1
        if self._counts[code] <= self._most:
            shown = message if len(message) <= MAX_MESSAGE_CHARS else message[: MAX_MESSAGE_CHARS - 1] + "…"
            self._seen[key] = Finding(
                code=code,
                severity=KINDS[code].severity,
                message=shown,
                file=place,
                line=line,
                column=column,
            )

    def has(self, *codes: str) -> bool:
        """Return whether any of the codes was found."""
        return any(code in self._counts for code in codes)

    def all(self) -> tuple[Finding, ...]:
        """Return the findings by file and line, with one more per code for those left out."""
        more = tuple(
            Finding(
                code=code,
                severity=KINDS[code].severity,
                message=f"And {count - self._most} more of the same kind: {KINDS[code].about}.",
                file=self.file,
            )
            for code, count in self._counts.items()
            if count > self._most
        )
        return tuple(sorted(self._seen.values(), key=lambda item: (item.file, item.line, item.column))) + more


def shown(text: str, limit: int = 60) -> str:
    """Return a text shortened and on one line, to be quoted in a message."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
