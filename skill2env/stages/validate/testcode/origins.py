"""What a name or an attribute of a test module stands for: the dotted name of the thing in its library."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TypeVar

from skill2env.stages.validate.testcode.code import FILE, Definition, Function, TestCode, fixture_name
from skill2env.stages.validate.testcode.words import words

FIXTURES = frozenset(
    words(
        "truth workspace output hidden read_bytes read_text read_json read_jsonl read_csv read_yaml read_toml read_ini "
        "read_xml read_archive query digest near run serve repo tmp_path request"
    )
)
"""The fixtures of the verifier, and two of pytest's; see docs/blueprint.md."""
Known = TypeVar("Known")
_BUILTINS = frozenset(dir(builtins)) | {"__builtins__"}

__all__ = ["FILE", "FIXTURES", "Origins"]


class Origins:
    """Resolves expressions to what they name."""

    def __init__(self, code: TestCode) -> None:
        """Prepare for one module."""
        self._code = code
        self._names: dict[ast.expr, str] = {}
        self._fixtures: dict[ast.expr, str] = {}
        self._functions: dict[ast.expr, list[Function]] = {}

    def name(self, node: ast.expr) -> str:
        """Return the dotted origin of an expression, such as `os.system`; empty where it names nothing of a library.

        Aliases are followed, by import or by assignment, and so are `getattr` with a constant, `__import__` and
        `importlib.import_module`. A built-in is its bare name.
        """
        return _once(self._names, node, "", self._name)

    def _name(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self._plain(node, name)
            case ast.Attribute(value=base, attr=attr):
                origin = self.name(base)
                return f"{origin}.{attr}" if origin else ""
            case ast.Call(func=function, args=[ast.Constant(value=str() as text), *_]):
                imports = self.name(function) in ("__import__", "importlib.import_module")
                return text if imports else ""
            case ast.Call(func=function, args=[base, ast.Constant(value=str() as text), *_]):
                origin = self.name(base)
                return f"{origin}.{text}" if origin and self.name(function) == "getattr" else ""
            case _:
                return ""

    def _plain(self, node: ast.Name, name: str) -> str:
        scope = self._code.scopes[node].holding(name)
        if scope is None:
            return name if name in _BUILTINS else ""
        if name in scope.imports:
            return scope.imports[name]
        for made in scope.names.get(name, ()):
            if not made.taken and not made.under and (origin := self.name(made.value)):
                return origin
        return ""

    def fixture(self, node: ast.expr) -> str:
        """Return which of the verifier's fixtures a name is; empty where it is none of them."""
        return _once(self._fixtures, node, "", self._fixture)

    def _fixture(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            return ""
        scope = self._code.scopes[node].holding(node.id)
        if scope is None:
            return ""
        if node.id in scope.parameters and self._code.takes_fixtures(scope.node):
            own = self._code.fixtures.get(node.id)
            if own is None or own is scope.node:
                return node.id if node.id in FIXTURES else ""
            return self._one(_returned(own))
        if node.id in scope.parameters:
            return node.id if node.id in FIXTURES else ""
        return self._one([made.value for made in scope.names.get(node.id, ()) if whole(made)])

    def _one(self, values: list[ast.expr]) -> str:
        found = {self.fixture(value) for value in values}
        return found.pop() if len(found) == 1 else ""

    def functions(self, node: ast.expr) -> list[Function]:
        """Return the functions of the module that a called expression may be; methods are found by name alone."""
        return _once(self._functions, node, [], self._called)

    def _called(self, node: ast.expr) -> list[Function]:
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Attribute(attr=attr) if not self.name(node):
                return self._code.methods(attr)
            case _:
                return []

    def _named(self, node: ast.Name, name: str) -> list[Function]:
        scope = self._code.scopes[node].holding(name)
        if scope is None:
            return []
        found = list(scope.functions.get(name, ()))
        if name in scope.classes:
            found += self._code.own[scope.classes[name]].functions.get("__init__", [])
        values = [made.value for made in scope.names.get(name, ()) if whole(made)]
        if (
            name in scope.parameters
            and self._code.takes_fixtures(scope.node)
            and (own := self._code.fixtures.get(name))
        ):
            values += _returned(own)
        for value in values:
            found += self.functions(value)
        fixtures = self._code.fixtures.values()
        return list(dict.fromkeys(function for function in found if function not in fixtures))

    def class_of(self, node: ast.expr) -> ast.ClassDef | None:
        """Return the module's class that a called name is."""
        if not isinstance(node, ast.Name):
            return None
        scope = self._code.scopes[node].holding(node.id)
        return scope.classes.get(node.id) if scope else None


def _once(
    known: dict[ast.expr, Known], node: ast.expr, at_first: Known, find: Callable[[ast.expr], Known]
) -> Known:
    """Return what is known of an expression, or find it; what refers to itself is taken as it is at first."""
    if node not in known:
        known[node] = at_first
        known[node] = find(node)
    return known[node]


def whole(made: Definition) -> bool:
    """Return whether a definition gives a name all of a value."""
    return not made.taken and not made.under


def _returned(function: Function) -> list[ast.expr]:
    return [value for value, _ in returned(function)]


def returned(function: Function) -> list[tuple[ast.expr, bool]]:
    """Return what a function returns or yields, and whether it is yielded; functions inside of it are others."""
    if isinstance(function, ast.Lambda):
        return [(function.body, False)]
    found: list[tuple[ast.expr, bool]] = []
    fixture = bool(fixture_name(function))
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop(0)
        match node:
            case ast.Return(value=ast.expr() as value):
                found.append((value, False))
            case ast.Yield(value=ast.expr() as value):
                found.append((value, not fixture))
            case ast.YieldFrom(value=value):
                found.append((value, False))
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)
    return found
