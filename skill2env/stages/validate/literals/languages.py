"""Literals that are written in a language of their own: SQL, regular expressions, command lines."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from skill2env.stages.validate.testcode import Flow, Leaf, TestCode
from skill2env.stages.validate.testcode.kinds import DELIVERED
from skill2env.stages.validate.testcode.words import words

_SQL = frozenset(
    words("""
    abs add after all alter analyze and as asc attach autoincrement avg before begin between blob by cascade case cast check
    coalesce collate column commit conflict constraint count create cross current_date current_time current_timestamp
    database date datetime default deferrable deferred delete desc detach distinct drop each else end escape except exclusive
    exists explain fail filter first following for foreign from full glob group group_concat having hex if ifnull ignore iif
    immediate in index indexed initially inner insert instead instr int integer intersect into is isnull join json_each
    json_extract julianday key last lag lead left length like limit lower ltrim max min natural no not notnull null nullif
    nulls numeric of off offset on or order outer over partition plan pragma preceding primary printf quote raise random range
    real recursive references regexp reindex release rename replace restrict returning right rollback round row row_number
    rows rowid rtrim savepoint select set strftime substr sum table tbl_name temp temporary text then time to total
    transaction trigger trim type typeof unbounded union unique unicode update upper using vacuum values view virtual when
    where window with without foreign_key_check foreign_key_list integrity_check user_version table_info index_list index_info
    foreign_keys journal_mode encoding sql name on_delete on_update partial origin seq from to cid pk dflt_value rootpage ok
    sqlite varchar char boolean
    """)
)
_STATEMENT = re.compile(
    r"\s*(select|with|pragma|insert|update|delete|create|explain|values)\b", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ALIAS = re.compile(
    r"\bas\s+\"?(\w+)|\b(?:from|join)\s+\w+\s+(?!on\b|where\b|left\b|join\b|order\b|group\b)(\w+)",
    re.IGNORECASE,
)
_OPTION = re.compile(r"--?[A-Za-z][\w-]*|[a-z][a-z-]*")
_SCRIPTS = ("-c", "-e", "--command", "--eval")
_OWN = re.compile(r"(pragma_|sqlite_)\w+")


_TERMS = {
    "html.parser": words(
        "html head body title meta link style script base h1 h2 h3 h4 h5 h6 p br hr a img ul ol li dl dt dd table caption thead "
        "tbody tfoot tr td th pre code span div em strong b i u s blockquote input form label button select option textarea "
        "section article header footer nav main figure figcaption href src alt rel id class name content lang charset colspan "
        "rowspan scope type value"
    ),
    "query": (
        *words(
            "integer real text blob null ok table index view trigger INTEGER REAL TEXT BLOB NUMERIC CASCADE RESTRICT"
        ),
        "SET NULL",
        "SET DEFAULT",
        "NO ACTION",
    ),
}
"""What a language calls its own things, by the module or fixture that reads it."""


def terms(code: TestCode) -> frozenset[str]:
    """Return the words of the languages that a test module reads outputs in."""
    read = {origin.rpartition(".")[0] for scope in code.own.values() for origin in scope.imports.values()}
    read |= {name for scope in code.own.values() for name in (*scope.imports.values(), *scope.parameters)}
    return frozenset(word for reader, own in _TERMS.items() if reader in read for word in own)


def sql_names(text: str, quoted: bool = True) -> list[str]:
    """Return the names of a statement, and its quoted texts if wanted, that are the schema's or the data's, not SQL's own."""
    if not _STATEMENT.match(text):
        text = text if " " in text else ""
    texts = re.findall(r"'([^']*)'", text)
    plain = re.sub(r"'[^']*'", " ", text)
    aliases = {name for pair in _ALIAS.findall(plain) for name in pair if name}
    bare = [word for word in _WORD.findall(plain) if word not in aliases and len(word) > 1]
    inside = [word for part in texts for word in _WORD.findall(part) if quoted and len(word) > 1]
    return [word for word in (*bare, *inside) if word.lower() not in _SQL and not _OWN.fullmatch(word)]


def pattern_texts(pattern: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the literal parts of a regular expression, alternatives together, and whether they match in any case.

    What may be left out, or must not be there, is no part.
    """
    parser: Any = re._parser  # type: ignore[attr-defined]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return
    any_case = bool(parsed.state.flags & re.IGNORECASE)
    for texts in _runs(parsed):
        yield texts, any_case


def _runs(parsed: Any) -> Iterator[tuple[str, ...]]:
    """Yield the runs of literal characters of a parsed pattern, and the runs of all alternatives as one."""
    run = ""
    for operator, argument in parsed:
        if str(operator) == "LITERAL":
            run += chr(argument)
            continue
        if run:
            yield (run,)
        run = ""
        yield from _inner(str(operator), argument)
    if run:
        yield (run,)


def _inner(operator: str, argument: Any) -> Iterator[tuple[str, ...]]:
    optional = operator.endswith("REPEAT") and argument[0] == 0
    if optional or operator == "ASSERT_NOT":
        return
    if operator == "BRANCH":
        every = tuple(text for branch in argument[1] for texts in _runs(branch) for text in texts)
        if every:
            yield every
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            if type(part).__name__ == "SubPattern":
                yield from _runs(part)


def argv_options(flow: Flow, node: ast.Call) -> list[Leaf]:
    """Return the options and sub-commands that a delivered program is run with: what follows its path."""
    argv = node.args[0]
    if not isinstance(argv, (ast.List, ast.Tuple)):
        return []
    found: list[Leaf] = []
    delivered = script = False
    for item in argv.elts:
        kinds = flow.kinds(item)
        leaves = [leaf for leaf in flow.leaves(item) if not leaf.number]
        if DELIVERED in kinds:
            delivered = True
        elif delivered and not script:
            given = [replace(leaf, value=leaf.value.split("=")[0]) for leaf in leaves]
            found += [leaf for leaf in given if _OPTION.fullmatch(leaf.value)]
        script = script or (not delivered and any(leaf.value in _SCRIPTS for leaf in leaves))
    return found
