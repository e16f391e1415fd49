"""Knows the text of a licence file, also where a name, a year or a little else was changed."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from functools import lru_cache

from identify.identify import license_id
from identify.vendor.licenses import LICENSES

from skill2env.intake.licences.spdx import expression, joined

FILE_NAME = re.compile(r"(?:un)?licen[cs]e(?:[-_.].{1,40})?|copying(?:\..{1,10}|\.lesser)?", re.IGNORECASE)
NOT_TEXT = re.compile(r"\.(?:py|js|ts|json|ya?ml|sh|html?|css|png|svg|pdf|docx)$", re.IGNORECASE)
MAX_BYTES = 200_000
"""The longest licence that is known (GPL-3.0) has 35,000."""
_TAG = re.compile(r"^[\W_]{0,20}SPDX-License-Identifier:[ \t]*(.+?)[ \t*/>-]*$", re.MULTILINE)
_TERMS_END = "END OF TERMS AND CONDITIONS"
_COPYRIGHT = re.compile(r"^.*copyright.*$", re.MULTILINE | re.IGNORECASE)
_NARROWING_WORDS = (
    "non no not only except solely commercial noncommercial noderivatives derivatives nonprofit academic educational "
    "evaluation prohibited forbidden restricted restriction restrictions personal internal clause unless provided "
)
_NARROWING = frozenset(_NARROWING_WORDS.split())
"""Words that may change what a licence allows: where the file has more of them than the known text, it is not that text."""
_TEXTS: dict[str, str] = dict(LICENSES)


def is_licence_file(name: str) -> bool:
    """Return whether a file of this name is meant to hold a licence."""
    return bool(FILE_NAME.fullmatch(name)) and not NOT_TEXT.search(name)


@lru_cache(maxsize=4096)
def text_licence(text: str) -> str | None:
    """Return the licence that a file holds as an SPDX expression, or None where it is no known one.

    The file must say so in an SPDX tag, or be within 5% of a text of choosealicense.com (by `identify`, of pre-commit) and have
    no further word that narrows it.
    """
    tags = [expression(tag) for tag in _TAG.findall(text)]
    if tags:
        return joined([tag for tag in tags if tag]) if all(tags) else None
    if _TERMS_END in text:
        return _by_terms(text)
    return _known(text, text)


def _by_terms(text: str) -> str | None:
    """Return the licence of a text whose advice on how to apply it, after its terms, may be left out or filled in."""
    terms = text.split(_TERMS_END, maxsplit=1)[0]
    for known in _TEXTS.values():
        if _TERMS_END in known and abs(len(known.split(_TERMS_END)[0]) - len(terms)) < len(terms) / 20:
            found = _known(terms + _TERMS_END + known.split(_TERMS_END, 1)[1], text)
            if found:
                return found
    return None


def _known(text: str, whole: str) -> str | None:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt", errors="replace") as file:
        file.write(text)
        file.flush()
        found = license_id(file.name)
    if found is None or (_narrowing(whole) - _narrowing(_TEXTS[found])):
        return None
    return expression(found)


def _narrowing(text: str) -> Counter[str]:
    words = re.findall(r"[a-z]+", _COPYRIGHT.sub("", text).lower())
    return Counter(word for word in words if word in _NARROWING)


def decoded(data: bytes) -> str:
    """Return a licence file or README as text."""
    return data.decode("utf-8-sig", "replace")
