"""Publishes two hidden handbooks with the delivered program and reads the pages back."""

import json
import re
from html.parser import HTMLParser

import pytest

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """What a reader and a browser find on a page."""

    def __init__(self, text, missing):
        super().__init__()
        self.title, self.blocks, self.links, self.gone, self.stray = "", [], [], [], ""
        self._open, self._catch, self._missing = [], [], missing
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag in VOID:
            return
        self._open.append(tag)
        if tag == "title":
            self._begin(tag, None)
        elif re.fullmatch("h[1-6]", tag):
            self._begin(tag, [tag, a.get("id")])
        elif tag in ("p", "li", "td", "th"):
            self._begin(tag, [tag])
        elif tag == "tr":
            self.blocks.append(["tr", []])
        elif tag == "pre":
            self._begin(tag, ["code", ""])
        elif tag == "code" and self._catch and self._catch[-1][0] == "pre":
            self._catch[-1][1][1] = (re.findall(r"language-(\S+)", a.get("class") or "") or [""])[0]
        elif tag == "a":
            self._begin(tag, [a.get("href"), a.get("rel") or ""])
        elif tag == "span" and self._missing in (a.get("class") or "").split():
            self._begin("span!", None)
            self._open[-1] = "span!"

    def _begin(self, tag, about):
        self._catch.append((tag, about, []))

    def handle_data(self, data):
        for _, _, pieces in self._catch:
            pieces.append(data)
        if not self._catch and "body" in self._open:
            self.stray += data.strip()

    def handle_endtag(self, tag):
        if tag not in {o.rstrip("!") for o in self._open}:
            return
        while self._open:
            last = self._open.pop()
            if self._catch and self._catch[-1][0] == last:
                self._end(*self._catch.pop())
            if last.rstrip("!") == tag:
                return

    def _end(self, tag, about, pieces):
        raw = "".join(pieces)
        text = re.sub(r"\s+", " ", raw).strip()
        if tag == "title":
            self.title = text
        elif tag == "a":
            self.links.append([text, *about])
        elif tag == "span!":
            self.gone.append(text)
        elif tag in ("td", "th"):
            self.blocks[-1][1].append(text)
        elif tag == "pre":
            self.blocks.append([*about, raw.strip("\n")])
        elif tag == "p" and self._catch and self._catch[-1][0] == "li":
            pass
        else:
            self.blocks.append([*about, text])


@pytest.fixture(scope="module")
def published(workspace, hidden, run, truth):
    books = []
    for files in json.loads(hidden("handbooks.json").read_text(encoding="utf-8")):
        result = run(["python3", workspace / "publish.py"], files=files, timeout=10)
        assert result.code == 0 and not result.timed_out, result.err[-500:]
        pages = {name: data.decode("utf-8") for name, data in result.files.items() if name.endswith(".html")}
        books.append((files, result.files, {name: Page(text, truth["missing_class"]) for name, text in pages.items()}))
    return books


def pairs(published, truth):
    for (_, _, pages), expected in zip(published, truth["books"]):
        for name, page in expected.items():
            assert name in pages, f"{name} was not published"
            yield name, pages[name], page


@pytest.mark.check(group="pages")
def test_exactly_the_published_pages_are_written(published, truth):
    for (files, after, pages), expected in zip(published, truth["books"]):
        assert sorted(pages) == sorted(expected)
        assert sorted(after) == sorted([*files, *expected])
        assert all(after[name].decode("utf-8") == text for name, text in files.items())


@pytest.mark.check(group="pages")
def test_titles(published, truth):
    for name, found, page in pairs(published, truth):
        assert found.title == page["title"], name


@pytest.mark.check(weight=2, group="content")
def test_pages_read_the_same(published, truth):
    for name, found, page in pairs(published, truth):
        assert [b for b in found.blocks if b[0][0] != "h"] == [b for b in page["blocks"] if b[0][0] != "h"], name
        assert not found.stray, f"{name} holds text outside of any block: {found.stray[:80]}"


@pytest.mark.check(group="content")
def test_headings_have_their_ids(published, truth):
    for name, found, page in pairs(published, truth):
        assert [b for b in found.blocks if b[0][0] == "h"] == [b for b in page["blocks"] if b[0][0] == "h"], name


@pytest.mark.check(weight=2, group="links")
def test_links_lead_where_they_should(published, truth):
    for name, found, page in pairs(published, truth):
        assert [link[:2] for link in found.links] == [link[:2] for link in page["links"]], name


@pytest.mark.check(group="links")
def test_only_external_links_have_a_rel(published, truth):
    for name, found, page in pairs(published, truth):
        assert [[t, sorted(rel.split())] for t, _, rel in found.links] == [[t, sorted(rel.split())] for t, _, rel in page["links"]], name


@pytest.mark.check(group="links")
def test_links_to_unpublished_pages_are_marked_text(published, truth):
    for name, found, page in pairs(published, truth):
        assert found.gone == page["missing"], name


@pytest.mark.guard
def test_rules_and_sample_are_untouched(output, truth, digest):
    for path, expected in truth["inputs"].items():
        assert digest(output(path)) == expected, path
