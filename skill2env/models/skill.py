"""What is known about a skill after it was read: text, structure, files, origin and findings."""

from __future__ import annotations

from typing import Literal

from skill2env.models.base import Record
from skill2env.models.outcome import Finding

NeedKind = Literal["program", "package", "service", "variable", "format", "host"]
Role = Literal["run", "file", "output", "template", "anti", "figure"]
Pairs = tuple[tuple[str, str], ...]
"""Ordered (key, value) pairs; nested keys are joined by dots and lists are canonical JSON."""


class BundledFile(Record):
    """One file of the skill's folder, SKILL.md included."""

    path: str
    """Path relative to the skill's folder, with forward slashes."""
    size: int
    """Bytes."""
    mode: int
    """File mode as git would keep it: 0o100644, 0o100755, or 0o120000 for a link inside the folder."""
    sha256: str
    """Hash of the bytes; of the target's text where the file is a link."""


class Provenance(Record):
    """Where a skill was taken from, as written in `skills_corpus/provenance/<skill>.yaml`."""

    origin: str = ""
    """Repository or author that the skill comes from."""
    commit: str = ""
    """Commit of the origin; empty where the skill was written for this corpus."""
    path: str = ""
    """Path of the skill's folder in the origin."""
    licence: str = ""
    """SPDX name of the licence under which the skill may be used."""
    sha256: str = ""
    """Content id of the skill's tree when it was taken; it must still match."""


class Section(Record):
    """One heading with the lines below it; sections form a tree by level."""

    title: str
    """Text of the heading, as written."""
    level: int
    """1 to 6."""
    start_line: int
    """Line of the heading, from 1."""
    end_line: int
    """Last line before the next heading of the same or a higher level."""
    parent: int
    """Index of the enclosing section, -1 for none."""


class CodeBlock(Record):
    """One fenced or indented code block."""

    language: str
    """First word of the info string in lower case; empty where there is none."""
    info: str
    """The info string as written."""
    text: str
    """The code, without fences and without the block's own indentation."""
    start_line: int
    """First line of the block, an opening fence included."""
    end_line: int
    """Last line of the block, a closing fence included."""
    kind: Literal["fenced", "indented"]
    """How the block is marked."""
    closed: bool
    """False for a fence that is never closed."""
    section: int
    """Index of the section that holds it, -1 for none."""
    guess: str = ""
    """The language: `language` in one spelling, or what the text looks like where it names none or a vague one."""
    confidence: float = 0.0
    """How sure the guess is, from 0 to 1; 1 where the block names its language."""
    role: Role = "run"
    """What the block is for: `run` is an example to run or to imitate, `file` the content of a file, `output` what a
    program prints or answers, `template` a form with blanks, `anti` an example of what not to do, `figure` a drawing,
    tree, formula or notation."""


class Command(Record):
    """One shell command of a shell block: prompt stripped, comments dropped, continuation lines joined."""

    text: str
    """The command; more than one line only for quotes, here-documents and compound commands."""
    program: str
    """The first program that it runs, past assignments, `sudo` and the like; empty where there is none."""
    programs: tuple[str, ...]
    """All programs that it runs, in pipes, lists and substitutions too, in order."""
    reads: tuple[str, ...]
    """Variables that it reads."""
    sets: tuple[str, ...]
    """Variables that it sets or exports."""
    line: int
    """First line."""
    end_line: int
    """Last line."""
    block: int
    """Index of the code block."""
    placeholder: bool
    """True where the command holds a blank to fill in, such as `<file>`, `YOUR_KEY` or `...`."""


class Link(Record):
    """One link, image or bare address of the text."""

    text: str
    """What the reader sees."""
    target: str
    """Where it points, as written."""
    kind: Literal["url", "file", "anchor", "mail"]
    """What sort of target it is."""
    line: int
    """Line from 1."""
    exists: bool
    """For kind `file`: whether the folder holds it; true for all others."""


class ChecklistItem(Record):
    """One list item with a check box."""

    text: str
    """The item without its box."""
    checked: bool
    """Whether the box is ticked."""
    line: int
    """Line from 1."""
    section: int
    """Index of the section that holds it, -1 for none."""


class Step(Record):
    """One item of an ordered list, or a heading that is numbered as a step."""

    number: int
    """The number as written."""
    text: str
    """First paragraph of the item, or the heading."""
    depth: int
    """1 for an outermost ordered list or a heading, 2 for a list inside it, and so on."""
    line: int
    """Line from 1."""
    section: int
    """Index of the section that holds it, -1 for none."""


class Statement(Record):
    """One sentence that demands or forbids something."""

    text: str
    """The sentence without emphasis marks."""
    polarity: Literal["do", "dont"]
    """Whether it demands or forbids."""
    strength: Literal["must", "should"]
    """`must` for must, never, always, do not; `should` for should, avoid, prefer, before ..."""
    cue: str
    """The word that makes it normative."""
    line: int
    """Line from 1."""
    section: int
    """Index of the section that holds it, -1 for none."""


class Need(Record):
    """One thing that a skill depends on, or speaks of as if it did."""

    kind: NeedKind
    """What sort of thing it is."""
    name: str
    """Program, package, service, environment variable, file extension or host name."""
    detail: str
    """For a package the ecosystem; for a service `hosted` (needs an account) or `local` (can be run on one machine); for a
    variable `credential` where it looks like one; for a program `bundled` where it is named by a path,
    `hosted` or `local` where it speaks to such a service and to little else."""
    line: int
    """Line where it is first named, from 1."""
    count: int
    """How often it is named."""


class Pitfall(Record):
    """One mistake that the skill warns of."""

    text: str
    """The warning, shortened."""
    line: int
    """First line, from 1."""
    end_line: int
    """Last line."""
    section: int
    """Index of the section that holds it, -1 for none."""


class Reference(Record):
    """One bundled file that the text names."""

    path: str
    """Path relative to the skill's folder."""
    line: int
    """Line where it is first named, from 1."""
    exists: bool
    """Whether the folder holds it."""


class Skill(Record):
    """One skill that was read: what its author wrote, and what is to be said about it."""

    skill_id: str
    """Name of the skill's folder; the key of everything made from it."""
    name: str
    """`name` of the frontmatter; the folder's name where there is none."""
    description: str
    """`description` of the frontmatter; the first paragraph of the text where there is none."""
    licence: str
    """`license` of the frontmatter as written; empty where there is none."""
    compatibility: str
    """`compatibility` of the frontmatter as text."""
    metadata: Pairs
    """`metadata` of the frontmatter, flattened to (dotted key, text) pairs."""
    allowed_tools: tuple[str, ...]
    """`allowed-tools` of the frontmatter, from a string or a list."""
    extras: Pairs
    """Values of the keys outside the specification, flattened like `metadata`."""
    frontmatter_keys: tuple[str, ...]
    """Top-level keys of the frontmatter as written, in order."""
    skill_file: str
    """Name of the file as found, normally `SKILL.md`."""
    encoding: str
    """Encoding that the file was read with."""
    language: str
    """Guessed language of the text as an ISO 639-1 code; `und` where undecided."""
    text: str
    """The whole file as decoded, with line feeds only; all line numbers count in it."""
    text_lines: int
    """Number of lines of the file."""
    body_line: int
    """First line after the frontmatter, from 1."""
    sections: tuple[Section, ...]
    """Headings in order; a tree through `parent`."""
    code_blocks: tuple[CodeBlock, ...]
    """Code blocks in order."""
    commands: tuple[Command, ...]
    """Shell commands found in the shell blocks, in order."""
    links: tuple[Link, ...]
    """Links, images and bare addresses, in order."""
    checklist: tuple[ChecklistItem, ...]
    """Items with a check box, in order."""
    steps: tuple[Step, ...]
    """Numbered steps, in order."""
    statements: tuple[Statement, ...]
    """Normative statements, in order."""
    needs: tuple[Need, ...]
    """What it depends on: programs, packages, services, environment variables, file formats and hosts."""
    pitfalls: tuple[Pitfall, ...]
    """Mistakes that it warns of, in order."""
    references: tuple[Reference, ...]
    """Bundled files that the text names, in order."""
    files: tuple[BundledFile, ...]
    """Every file of the folder, sorted by path."""
    tree_sha256: str
    """Content id over the sorted relative paths and file hashes."""
    provenance: Provenance | None
    """Where the skill comes from; null where nothing is on record."""
    findings: tuple[Finding, ...]
    """Everything that departs from the specification or was repaired, by line."""
