"""Reads the Markdown back, block by block, and compares with what is on the wiki's pages."""

import hashlib
import html
import re
from urllib.parse import unquote

import pytest

LINK = re.compile(r"(!?)\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*|[^<>\n]*)>?(?:\s+\"[^\"]*\")?\s*\)")


def visible(text):
    """The text that a reader sees: no markup, escapes and entities resolved, white space collapsed."""
    kept = []

    def keep(value):
        kept.append(value)
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"(`+)(.+?)(?<!`)\1(?!`)", lambda m: keep(m[2].strip().replace("\\|", "|")), text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", lambda m: keep(m[1]), text)
    text = re.sub(r"<br\s*/?>", " ", text)
    text = re.sub(r"</?[A-Za-z][^>]*>", "", text)  # raw HTML is not shown
    text = LINK.sub(lambda m: "" if m[1] else m[2], text)
    for mark in (r"\*\*", "__", r"\*", "_"):
        text = re.sub(rf"(?<!\w){mark}(?=\S)(.+?)(?<=\S){mark}(?!\w)", r"\1", text)
    text = html.unescape(text)
    while re.search(r"\0\d+\0", text):
        text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], text)
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ")).strip()


def cells(line):
    return [visible(c) for c in re.split(r"(?<!\\)\|", line.strip().removeprefix("|"))[: -1 if line.rstrip().endswith("|") else None]]


def blocks(text):
    """Headings, paragraphs, lists, tables and code of a Markdown text, with the prose that may hold links."""
    found, prose, lines, at = [], [], text.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        fence = re.fullmatch(r" {0,3}(`{3,}|~{3,})\s*(.*)", line)
        head = re.fullmatch(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*", line)
        item = re.fullmatch(r" {0,3}([-*+]|\d+[.)])\s+(.*)", line)
        if fence:
            end = next((k for k in range(at + 1, len(lines)) if re.fullmatch(rf" {{0,3}}{fence[1][0]}{{{len(fence[1])},}}\s*", lines[k])), len(lines))
            found.append(["code", fence[2].strip(), "\n".join(lines[at + 1:end])])
            at = end + 1
            continue
        if head:
            found.append(["heading", len(head[1]), visible(head[2])])
        elif at + 1 < len(lines) and "|" in line and re.fullmatch(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*", lines[at + 1]):
            rows = [cells(line)]
            at += 2
            while at < len(lines) and "|" in lines[at]:
                rows.append(cells(lines[at]))
                prose.append(lines[at])
                at += 1
            found.append(["table", rows])
            continue
        elif item:
            kind = "ol" if item[1][0].isdigit() else "ul"
            if not (found and found[-1][:2] == ["list", kind]):
                found.append(["list", kind, []])
            raw = item[2]
            while at + 1 < len(lines) and re.match(r"\s+\S", lines[at + 1]) and not re.match(r" {0,3}([-*+]|\d+[.)])\s", lines[at + 1]):
                at += 1
                raw += " " + lines[at].strip()
            found[-1][2].append(visible(raw))
            prose.append(raw)
        elif line.strip():
            raw = line.strip()
            while at + 1 < len(lines) and lines[at + 1].strip() and not re.match(r" {0,3}(#{1,6}\s|```|~~~|[-*+]\s|\d+[.)]\s|\|)", lines[at + 1]):
                at += 1
                raw += " " + lines[at].strip()
            prose.append(raw)
            if visible(raw):
                found.append(["text", visible(raw)])
        at += 1
    return found, prose


@pytest.fixture
def docs(workspace, read_text, truth):
    pages = {}
    for name in truth["pages"]:
        text = read_text(workspace / "docs" / name).replace("\r\n", "\n")
        matter = re.match(r"---\n(.*?)\n---\s*\n", text, re.S)
        assert matter, f"{name} has no front matter"
        pages[name] = (matter[1], *blocks(text[matter.end():]))
    return pages


def scalar(text):
    text = text.strip()
    if text[:1] == '"' or text[:1] == "'":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"')
    assert ": " not in text and " #" not in text, f"{text!r} is no plain YAML scalar"
    return text


def matter_of(text):
    """The three keys of a front matter in YAML's usual spellings."""
    found, key = {}, None
    for line in text.split("\n"):
        item = re.match(r"\s*-\s+(.*)", line)
        if item and key:
            found.setdefault(key, [])
            found[key].append(scalar(item[1]))
        elif re.match(r"\w+:", line):
            key, _, value = line.partition(":")
            value = value.strip()
            if value.startswith("["):
                found[key] = [scalar(v) for v in value[1:-1].split(",") if v.strip()]
            elif value:
                found[key] = scalar(value)
    return found


@pytest.mark.check(group="pages")
def test_exactly_the_pages_are_there(workspace, docs, truth):
    assert sorted(p.name for p in (workspace / "docs").glob("*.md")) == sorted(truth["pages"])


@pytest.mark.check(group="front-matter")
@pytest.mark.parametrize("key", ["title", "updated", "labels"])
def test_front_matter(docs, truth, key):
    found = {name: matter_of(matter).get(key) for name, (matter, _, _) in docs.items()}
    assert {n: sorted(v) if isinstance(v, list) else v for n, v in found.items()} == {name: page[key] for name, page in truth["pages"].items()}


@pytest.mark.check(weight=2, group="content")
@pytest.mark.parametrize("kind", ["heading", "text", "list", "table", "code"])
def test_content_reads_the_same(docs, truth, kind):
    for name, page in truth["pages"].items():
        expected = [[kind, [[re.sub(r"\s+", " ", c) for c in row] for row in b[1]]] if kind == "table" else b for b in page["blocks"] if b[0] == kind]
        assert [b for b in docs[name][1] if b[0] == kind] == expected, name


@pytest.mark.check(group="content")
def test_blocks_keep_their_order(docs, truth):
    for name, page in truth["pages"].items():
        assert [b[0] for b in docs[name][1]] == [b[0] for b in page["blocks"]], name


@pytest.mark.check(weight=2, group="links")
def test_links_lead_to_the_new_places(docs, truth):
    for name, page in truth["pages"].items():
        found = [[visible(m[2]), m[3].removeprefix("./")] for raw in docs[name][2] for m in LINK.finditer(raw) if not m[1]]
        found = [[text, target.removeprefix(name) if target.startswith(name + "#") else target] for text, target in found]
        assert found == page["links"], name


@pytest.mark.check(group="images")
def test_images_are_the_pages_own(workspace, docs, read_bytes, truth):
    for name, page in truth["pages"].items():
        shown = [(m[2], unquote(m[3])) for raw in docs[name][2] for m in LINK.finditer(raw) if m[1]]
        assert all(".." not in path for _, path in shown)
        assert [[alt, hashlib.sha256(read_bytes(workspace / "docs" / path)).hexdigest()] for alt, path in shown] == page["images"], name


@pytest.mark.guard
def test_the_export_is_untouched(output, truth, digest):
    for path, expected in truth["export"].items():
        assert digest(output(path)) == expected, path
