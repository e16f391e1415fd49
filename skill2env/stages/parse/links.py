"""Finds links and the bundled files that a skill names, and checks that the folder holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath
from typing import Literal
from urllib.parse import unquote

from markdown_it.token import Token

from skill2env.models.skill import Link, Reference
from skill2env.stages.parse.body import Body, Paragraph
from skill2env.stages.parse.codes import Findings, shown
from skill2env.stages.parse.markdown import MARKDOWN
from skill2env.stages.parse.words import containing, words

MAX_PARAGRAPH_CHARS = 8_000
"""Inline parsing of hostile brackets takes time that grows with the square of the length."""
MAYBE_LINK = re.compile(r"\]\(|\]\[|\]:|<\w+[:@]|https?://|\[[^\]]+\]")
BARE_URL = re.compile(r"https?://[^\s<>()\[\]\"'`*，。）]+")
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
OWN_FOLDER = (
    r"\{\{?\s*(?:base_?dir|skill_?(?:dir|path|root|folder)?)\s*\}?\}"
    r"|<(?:path[-_ ]to[-_ ])?(?:this[-_ ])?skill(?:[-_ ](?:dir|directory|path|root|folder|base))?>"
    r"|\$\{?(?:CLAUDE_)?SKILL_(?:DIR|PATH|ROOT)\}?"
)
"""How texts write the folder that they stand in."""
FOLDERS = ("scripts/", "references/", "reference/", "assets/", "templates/", "examples/", "resources/")
BUNDLED = re.compile(
    rf"(?:(?i:{OWN_FOLDER})/|(?<![\w./~$}}-])(?:\./)?)((?:{'|'.join(FOLDERS)})"
    r"[\w./-]{0,120}?[\w-]\.[A-Za-z]\w{0,7})(?![\w/*])"
)

OF_ANY_PROJECT = words(
    "skill.md readme.md changelog.md license.txt license.md package.json requirements.txt pyproject.toml setup.py cargo.toml "
    "go.mod .gitignore .env .env.example tsconfig.json docker-compose.yml index.html main.py"
)
"""Names that a text may mean in somebody's project rather than in its own folder."""

Target = Literal["url", "file", "anchor", "mail"]


def find_links(body: Body, lines: list[str], paths: frozenset[str], findings: Findings) -> tuple[Link, ...]:
    """Return the links, images and bare addresses of a text; links to absent files become findings."""
    links = tuple(link for paragraph in body.paragraphs for link in _links(paragraph, body, paths, findings))
    for link in links:
        if link.kind == "file" and not link.exists:
            at = lines[link.line - 1].find(link.target) + 1 if 0 < link.line <= len(lines) else 0
            _report_missing(link.target, link.line, findings, at)
    return links


def find_bundled(
    lines: list[str], links: tuple[Link, ...], paths: frozenset[str], findings: Findings
) -> tuple[Reference, ...]:
    """Return the bundled files that links or plain words name; absent ones of the usual folders become findings."""
    found: dict[str, Reference] = {}
    for link in links:
        path = normpath(link.target.split("#", maxsplit=1)[0])
        if link.kind == "file":
            found.setdefault(path, Reference(path=path, line=link.line, exists=link.exists))
    reported: set[str] = set()
    for index in sorted(containing(lines, FOLDERS)):
        for match in BUNDLED.finditer(lines[index]):
            path = normpath(match[1])
            found.setdefault(path, Reference(path=path, line=index + 1, exists=path in paths))
            if path not in paths and path not in reported:
                reported.add(path)
                _report_missing(path, index + 1, findings, match.start(1) + 1)
    for path, first in _named(lines, paths - found.keys()):
        found[path] = Reference(path=path, line=first, exists=True)
    return tuple(sorted(found.values(), key=lambda item: item.line))


def _named(lines: list[str], paths: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the files of the folder that stand as words in the text wherever they lie, with the line of the first time."""
    text = "\n".join(lines)
    for path in sorted(paths):
        if path in text and ("." in path or "/" in path) and path.lower() not in OF_ANY_PROJECT:
            match = re.search(rf"(?<![\w./-])(?:\./)?{re.escape(path)}(?![\w/-]|\.\w)", text)
            if match:
                yield path, text.count("\n", 0, match.start()) + 1


def _report_missing(target: str, line: int, findings: Findings, column: int = 0) -> None:
    path = normpath(target.split("#", maxsplit=1)[0])
    if path.startswith(("..", "/")):
        message = f"`{shown(target)}` leads out of the skill's folder; bundle the file."
        findings.add("link-out-of-folder", message, line, column=column)
    else:
        message = f"`{shown(path)}` is named but not in the folder; add it or take the name away."
        findings.add("missing-bundled-file", message, line, column=column)


def _links(paragraph: Paragraph, body: Body, paths: frozenset[str], findings: Findings) -> Iterator[Link]:
    text = paragraph.text
    if not MAYBE_LINK.search(text[:MAX_PARAGRAPH_CHARS]):
        return
    if len(text) > MAX_PARAGRAPH_CHARS:
        message = f"The paragraph has {len(text):,} characters; links were looked for in its beginning only."
        findings.add("paragraph-too-long", message, paragraph.line)
        text = text[:MAX_PARAGRAPH_CHARS]
    tokens: list[Token] = []
    MARKDOWN.inline.parse(text, MARKDOWN, body.references, tokens)
    line = paragraph.line
    for index, token in enumerate(tokens):
        if token.type in ("softbreak", "hardbreak"):
            line += 1
        elif token.type == "link_open":
            shown_text = _link_text(tokens, index)
            yield _link(shown_text, str(token.attrs.get("href", "")), line, paths)
        elif token.type == "image":
            yield _link(token.content, str(token.attrs.get("src", "")), line, paths)
        elif token.type == "text" and "://" in token.content and not _inside_link(tokens, index):
            for match in BARE_URL.finditer(token.content):
                address = match[0].rstrip(".,;:!?")
                yield Link(text=address, target=address, kind="url", line=line, exists=True)


def _inside_link(tokens: list[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].type == "link_open"


def _link_text(tokens: list[Token], start: int) -> str:
    parts = []
    for token in tokens[start + 1 :]:
        if token.type == "link_close":
            break
        parts.append(token.content or " ")
    return " ".join("".join(parts).split())


def _link(text: str, target: str, line: int, paths: frozenset[str]) -> Link:
    target = unquote(target, errors="replace")
    kind = _kind(target)
    exists = kind != "file" or _exists(normpath(target.split("#")[0]), paths)
    return Link(text=text, target=target, kind=kind, line=line, exists=exists)


def _kind(target: str) -> Target:
    if target.startswith("#") or not target:
        return "anchor"
    if target.lower().startswith("mailto:"):
        return "mail"
    if SCHEME.match(target) or target.startswith("//"):
        return "url"
    return "file"


def _exists(path: str, paths: frozenset[str]) -> bool:
    return path in paths or path == "." or any(item.startswith(path + "/") for item in paths)
