"""SPDX expressions: what a person wrote, as one; and what one permits."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

_NAMES = (
    (r"mit[- ]0", "MIT-0"),
    (r"mit", "MIT"),
    (r"apache(?: software)?(?: license|-license)?,?[- ]?(?:version |v)?2(?:\.0)?", "Apache-2.0"),
    (r"cc[- ]?by[- ]nc[- ]sa(?:[- ](?P<v1>[1-4]\.\d))?", "CC-BY-NC-SA-"),
    (r"cc[- ]?by[- ]nc[- ]nd(?:[- ](?P<v2>[1-4]\.\d))?", "CC-BY-NC-ND-"),
    (r"cc[- ]?by[- ]nc(?:[- ](?P<v3>[1-4]\.\d))?", "CC-BY-NC-"),
    (r"cc[- ]?by[- ]nd(?:[- ](?P<v4>[1-4]\.\d))?", "CC-BY-ND-"),
    (r"cc[- ]?by[- ]sa(?:[- ](?P<v5>[1-4]\.\d))?", "CC-BY-SA-"),
    (r"cc[- ]?by(?:[- ](?P<v6>[1-4]\.\d))?", "CC-BY-"),
    (r"cc0(?:[- ]1\.0)?", "CC0-1.0"),
    (r"(?:0bsd|bsd[- ]0-clause)", "0BSD"),
    (r"(?:(?:new|modified)[- ]bsd|bsd[- ]3(?:[- ]clause)?|3[- ]clause[- ]bsd)", "BSD-3-Clause"),
    (r"(?:simplified[- ]bsd|bsd[- ]2(?:[- ]clause)?|2[- ]clause[- ]bsd)", "BSD-2-Clause"),
    (r"(?:(?:gnu )?agpl|gnu affero general public license),?[- ]?(?:version |v)?3(?:\.0)?", "AGPL-3.0-only"),
    (r"(?:(?:gnu )?lgpl|gnu lesser general public license),?[- ]?(?:version |v)?3(?:\.0)?", "LGPL-3.0-only"),
    (r"(?:(?:gnu )?lgpl|gnu lesser general public license),?[- ]?(?:version |v)?2\.1", "LGPL-2.1-only"),
    (r"(?:(?:gnu )?gpl|gnu general public license),?[- ]?(?:version |v)?3(?:\.0)?", "GPL-3.0-only"),
    (r"(?:(?:gnu )?gpl|gnu general public license),?[- ]?(?:version |v)?2(?:\.0)?", "GPL-2.0-only"),
    (r"(?:mpl|mozilla public license)[- ,]*(?:version |v)?2(?:\.0)?", "MPL-2.0"),
    (r"isc", "ISC"),
    (r"unlicense", "Unlicense"),
)
"""How people write the names of licences, the narrower first; a version that is left out is 4.0 for Creative Commons."""

_NAME = re.compile("|".join(f"(?P<n{at}>{name})" for at, (name, _) in enumerate(_NAMES)), re.IGNORECASE)
_WHOLE = re.compile(r"(?:the )?(?P<name>.+?)(?:(?<!un)[- ]?licen[cs]ed?)?", re.IGNORECASE)
_CC_PAGE = r"(?:/(?:legalcode|deed)(?:\.\w+)?)?"
_ADDRESSES = (
    (rf"creativecommons\.org/licenses/(by(?:-nc)?(?:-(?:sa|nd))?)/([1-4]\.\d){_CC_PAGE}", "CC-{}-{}"),
    (rf"creativecommons\.org/publicdomain/zero/(1\.0){_CC_PAGE}", "CC0-{}"),
    (r"(?:opensource|spdx)\.org/licenses?/([a-z\d.-]+?)(?:-license)?(?:\.html|\.php)?", "{}"),
    (r"apache\.org/licenses/license-(2\.0)(?:\.txt|\.html)?", "Apache-{}"),
    (r"gnu\.org/licenses/(?:old-licenses/)?([al]?gpl-\d\.\d)(?:\.\w\w)?(?:\.html|\.txt)?", "{}"),
)
"""Where the texts of well-known licences are, in lower case, and the names that follow from that."""
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`,;]+", re.IGNORECASE)
_FILE = r"licen[cs]e(?:\.txt|\.md)?(?: file)?"
_LEAD = r"(?:see|at|in|see licen[cs]e in|(?:complete |full )?terms(?: are)? in):?(?: the)? [`'\"]?"
_POINTER = re.compile(
    rf"(?<![\w./-])(?:(?:{_LEAD})?(?:{_ADDRESS.pattern}|licen[cs]e\.(?:txt|md))|{_LEAD}(?:[\w./-]{{0,60}}/)?{_FILE})"
    r"(?: has (?:complete|full) terms)?(?: for (?:complete |full |more )?(?:details|terms))?(?![\w-])",
    re.IGNORECASE,
)
"""Says where terms are, and nothing about them."""
_SILENT = re.compile(rf"(?:unknown|none|n/?a|tbd|(?:the )?(?:\.{{0,2}}/){{0,9}}{_FILE})?", re.IGNORECASE)
_AROUND = " .,:;()[]<>`'\"–—-"
_CLOSED = re.compile(
    r"proprietary|all rights reserved|non-?commercial|commons clause|source[- ]available|internal use|confidential|unlicensed",
    re.IGNORECASE,
)
NARROWING = (
    r"\b(?:non|no|not|never|cannot|(?:do|ca|must|may)n['’ ]t|only|except|solely|commercial|noncommercial|noderivatives|"
    r"derivatives|nonprofit|personal|academic|educational|evaluation|internal|prohibit(?:s|ed)?|forbid(?:s|den)?|"
    r"restrict(?:s|ed|ions?)?|proprietary|confidential|unlicensed|commons clause|source available|requires?|pay|paid|payment|"
    r"fees?|buy|purchase|subscription)\b|禁止|不得|不可|仅限|仅供|未经|非商业"
)
"""Words, in lower case, that may change what a licence allows where they stand beside it."""
_BOTH = re.compile(r"personal,?(?: and | or | & |/)commercial|commercial,?(?: and | or | & |/)personal")
"""Takes in everybody, so that neither word narrows."""
CLOSED = "LicenseRef-Proprietary"
"""Stands for every statement that reserves rights in prose."""
MAX_CHARS = 300


@cache
def _licensing() -> Any:
    return get_spdx_licensing()


def _parsed(text: str) -> str | None:
    try:
        parsed = _licensing().parse(text, validate=True)
    except ExpressionError:
        return None
    return str(parsed) if parsed is not None else None


def is_silent(text: str) -> bool:
    """Return whether a short text says nothing of a licence: it is empty, a placeholder, or the name of the file that does."""
    text = " ".join(text.split())
    return not _ADDRESS.search(text) and bool(_SILENT.fullmatch(_POINTER.sub("", text).strip(_AROUND)))


def expression(text: str) -> str | None:
    """Return the SPDX expression that a short text is or names, in words or by the address of a well-known text.

    `CLOSED` where it reserves rights; None where it is neither, says anything more than where the terms are, or gives an address
    of another licence than the one that it names.
    """
    text = " ".join(text.split())
    parsed = _parsed(text) if len(text) <= MAX_CHARS else None
    if parsed or _CLOSED.search(text):
        return parsed or CLOSED
    if len(text) > MAX_CHARS:
        return None
    linked = {_linked(address) for address in _ADDRESS.findall(text)}
    name = _POINTER.sub("", text).strip(_AROUND)
    if not name:
        return linked.pop() if len(linked) == 1 else None
    named = _named(name)
    agree = named and all(names_of(one) <= names_of(named) for one in linked if one)
    return named if agree else None


def _linked(address: str) -> str | None:
    """Return the licence whose text is at an address."""
    place = re.sub(r"^https?://(?:www\.)?", "", address.lower()).rstrip("./")
    place = re.sub(r"-(\d)-(\d)$", r"-\1.\2", place)
    for pattern, name in _ADDRESSES:
        match = re.fullmatch(pattern, place)
        if match:
            return _parsed(name.format(*match.groups()))
    return None


def _named(text: str) -> str | None:
    """Return the licence that a text names, or those between strokes, of which one may be chosen."""
    parts = [_one(text)] if _one(text) else [_one(part.strip()) for part in text.split("/")]
    return _parsed(" OR ".join(f"({part})" for part in parts)) if all(parts) else None


def _one(text: str) -> str | None:
    whole = _WHOLE.fullmatch(text)
    match = _NAME.fullmatch(whole["name"]) if whole else None
    return _spdx(match) if match else _parsed(text)


def named_in(text: str) -> str | None:
    """Return the licences that prose names, all of them joined by AND; `CLOSED` where it reserves rights."""
    if _CLOSED.search(text):
        return CLOSED
    words = re.compile(rf"(?<![\w.-])(?:{_NAME.pattern})(?![\w-])", re.IGNORECASE)
    found = dict.fromkeys(_spdx(match) for match in words.finditer(text))
    return joined(list(found)) if found else None


def narrows(text: str) -> bool:
    """Return whether prose has a word that may change what a licence allows."""
    return bool(re.search(NARROWING, _BOTH.sub("", text.lower())))


def _spdx(match: re.Match[str]) -> str:
    at = next(at for at in range(len(_NAMES)) if match[f"n{at}"] is not None)
    name = _NAMES[at][1]
    if not name.endswith("-"):
        return name
    return name + next((value for key, value in match.groupdict().items() if key[0] == "v" and value), "4.0")


def joined(expressions: list[str]) -> str:
    """Return several expressions that all hold as one, simplified."""
    if CLOSED in expressions:
        return CLOSED
    both = " AND ".join(f"({one})" for one in dict.fromkeys(expressions))
    return str(_licensing().parse(both).simplify())


def names_of(spdx: str) -> set[str]:
    """Return the names in an expression, without what says whether later versions count."""
    keys = _licensing().license_keys(_licensing().parse(spdx))
    return {key.removesuffix("-only").removesuffix("-or-later") for key in keys}


def permits(spdx: str, allowed: Collection[str]) -> bool:
    """Return whether a licence, or one that may be chosen, is among those allowed; of joined ones each must be."""
    if spdx == CLOSED:
        return False
    licensing = _licensing()

    def permitted(node: Any) -> bool:
        if isinstance(node, licensing.OR):
            return any(permitted(part) for part in node.args)
        if isinstance(node, licensing.AND):
            return all(permitted(part) for part in node.args)
        return getattr(node, "license_symbol", node).key in allowed

    return permitted(licensing.parse(spdx))
