"""Knows the text of a licence file, also where a name, a year or a little else was changed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import groupby

from identify.identify import license_id
from identify.vendor.licenses import LICENSES

from skill2env.intake.licences.spdx import NARROWING, expression, joined, names_of

FILE_NAME = re.compile(r"(?:un)?licen[cs]e(?:[-_.].{1,40})?|copying(?:\..{1,10}|\.lesser)?", re.IGNORECASE)
NOT_TEXT = re.compile(r"\.(?:py|js|ts|json|ya?ml|sh|html?|css|csv|tsv|png|svg|pdf|docx|xlsx)$", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:[Uu]n)?[Ll]icen[cs]e[-_](?!(?i:mit|apache|[al]?gpl|0?bsd|cc|ccby|mpl|isc|epl|eupl|ofl|bsl|zlib|wtfpl|commercial|"
    r"proprietary|dual|third|terms|agreement|eula|notice|text)(?:v?\d|[^A-Za-z0-9]|$)|\d)"
)
"""How the name of a file begins that speaks of licences, like `license-server.md`; those that hold one shout, or name it."""
MAX_BYTES = 200_000
"""The longest licence that is known (GPL-3.0) has 35,000."""
_TAG = re.compile(r"^[\W_]{0,20}SPDX-License-Identifier:(.+)$", re.MULTILINE)
_TAG_ENDS = " \t\r*/>-"
_TERMS_END = "END OF TERMS AND CONDITIONS"
_NOTICE = re.compile(
    r"^[^\w\n]{0,20}(?:copyright|\(c\)|©).*(?:\n[^\w\n]*all rights reserved[^\w\n]*$)?",
    re.MULTILINE | re.IGNORECASE,
)
_RESERVED = "all rights reserved"
_WORD = re.compile(r"[a-z]+|[^\W\d_a-z]+")
_NARROWS = re.compile(rf"{NARROWING}|\b(?:unless|provided)\b")
_ROW = 3
"""Words in a row that are a known text's own where it has them too."""
_MAX_FILLED_IN = 3
"""Words at one place of an appendix that may be others, as an address that changed."""
_TEXTS: dict[str, str] = dict(LICENSES)


def is_licence_file(name: str) -> bool:
    """Return whether a file of this name is meant to hold a licence."""
    return bool(FILE_NAME.fullmatch(name)) and not NOT_TEXT.search(name) and not _ABOUT.match(name)


@lru_cache(maxsize=4096)
def text_licence(text: str) -> str | None:
    """Return the licence that a file holds as an SPDX expression, or None where it is no known one.

    The file must say so in an SPDX tag, or be within 5% of a text of choosealicense.com (by `identify`, of pre-commit). What it
    has beyond the text of that licence must not narrow it, and what follows its terms must be their appendix.
    """
    tags = [expression(tag.strip(_TAG_ENDS)) for tag in _TAG.findall(text)]
    if tags:
        known = [tag for tag in tags if tag]
        return _tagged(_TAG.sub("", text), joined(known)) if len(known) == len(tags) else None
    if _TERMS_END in text:
        return _by_terms(*text.split(_TERMS_END, maxsplit=1))
    return _known(text)


def _tagged(rest: str, spdx: str) -> str | None:
    """Return what a tag says where the rest of its file takes nothing back."""
    names = names_of(spdx) & set(_TEXTS)
    reserved = any(_RESERVED in added for added in _added(_NOTICE.sub("", rest), names))
    return None if reserved or _narrows(rest, names) else spdx


def _by_terms(terms: str, appendix: str) -> str | None:
    """Return the licence of a text whose advice on how to apply it, after its terms, may be left out, cut or filled in."""
    for name, known in _TEXTS.items():
        known_terms, end, known_appendix = known.partition(_TERMS_END)
        if not end or abs(len(known_terms) - len(terms)) >= len(terms) / 20:
            continue
        found = _known(terms + end + known_appendix)
        if found == expression(name) and _is_appendix(appendix, name):
            return found
    return None


def _is_appendix(text: str, name: str) -> bool:
    added = _added(_NOTICE.sub("", text), {name})
    short = all(words.isascii() and words.count(" ") < _MAX_FILLED_IN for words in added)
    return short and not _narrows(text, {name})


def _known(text: str) -> str | None:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt", errors="replace") as file:
        file.write(text)
        file.flush()
        found = license_id(file.name)
    return expression(found) if found and not _narrows(text, {found}) else None


def _narrows(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has, beyond known ones, a word that may change what they allow."""
    return any(_NARROWS.search(added) for added in _added(text, names))


def _added(text: str, names: Iterable[str]) -> list[str]:
    """Return what a text has beyond known ones: runs of words of which no three in a row are theirs."""
    known = frozenset[tuple[str, ...]]().union(*map(_rows, names))
    words = _WORD.findall(text.lower())
    own = [True] * len(words)
    for at, row in enumerate(_in_rows(words)):
        if row in known:
            own[at : at + _ROW] = [False] * _ROW
    runs = groupby(zip(words, own, strict=True), key=lambda pair: pair[1])
    return [" ".join(word for word, _ in run) for is_own, run in runs if is_own]


@cache
def _rows(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_in_rows(_WORD.findall(_TEXTS[name].lower())))


def _in_rows(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _ROW]) for at in range(len(words) - _ROW + 1)]


def decoded(data: bytes) -> str:
    """Return a licence file or README as text."""
    return data.decode("utf-8-sig", "replace")
