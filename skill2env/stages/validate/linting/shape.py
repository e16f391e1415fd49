"""Tests that can't fail, or whose failure is lost: no assertion, no weight, no case, swallowed errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skill2env.stages.validate.linting.found import Fault, Source
from skill2env.stages.validate.testcode.code import Function, fixture_name, marks

_BROAD = ("Exception", "BaseException", "AssertionError")
_FAILING = ("pytest.fail", "pytest.raises", "pytest.fail.Exception")
_SWALLOWED = "it swallows a failed assertion; catch the one exception that is meant"


def faults(source: Source) -> Iterator[Fault]:
    """Yield tests that can't fail, and what makes failures disappear."""
    for test in source.code.tests():
        if not _asserts(source, test, set()):
            yield Fault(test.lineno, f"{test.name} asserts nothing; assert what must hold of the outputs")
    for function in source.code.functions():
        yield from _weights(source, function)
        yield from _cases(source, function)
    for node in ast.walk(source.code.tree):
        yield from _lost(source, node)


def _asserts(source: Source, function: Function, seen: set[ast.AST]) -> bool:
    """Return whether a function can fail a test, itself or through a helper or a reader; `seen` have been looked at."""
    seen.add(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and not _empty(node):
            return True
        if isinstance(node, (ast.Call, ast.Raise)) and _calls_failure(source, node, seen):
            return True
    return False


def _calls_failure(source: Source, node: ast.Call | ast.Raise, seen: set[ast.AST]) -> bool:
    if isinstance(node, ast.Raise):
        return bool(node.exc) and "AssertionError" in ast.unparse(node)
    if source.origins.name(node.func) in _FAILING:
        return True
    if source.origins.fixture(node.func).startswith(("read_", "query")):
        return True
    return any(
        _asserts(source, inner, seen) for inner in source.origins.functions(node.func) if inner not in seen
    )


def _empty(node: ast.Assert) -> bool:
    """Return whether an assertion holds whatever the outputs are."""
    return _certain(node.test)


def _certain(node: ast.expr) -> bool:
    """Return whether an expression is true whatever the outputs are."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return bool(elts) and not any(isinstance(element, ast.Starred) for element in elts)
        case ast.GeneratorExp() | ast.Lambda():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(_certain, values))
        case ast.BoolOp(op=ast.And(), values=values):
            return all(map(_certain, values))
        case _:
            return False


def _weights(source: Source, function: ast.AST) -> Iterator[Fault]:
    for mark in marks(function, "check"):
        for keyword in mark.keywords:
            if keyword.arg != "weight":
                continue
            for leaf in source.flow.leaves(keyword.value):
                if not _positive(leaf.value):
                    yield Fault(
                        mark.lineno, f"the weight {leaf.value} adds nothing; give a check a weight above 0"
                    )


def _positive(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def _cases(source: Source, function: ast.AST) -> Iterator[Fault]:
    """Yield parametrisations without a case, whose tests are never run."""
    for mark in marks(function, "parametrize"):
        values = mark.args[1] if len(mark.args) > 1 else None
        if values is not None and _none(source, values, 0):
            yield Fault(
                mark.lineno, "it is parametrised over nothing, so the test is never run; name the cases"
            )


def _none(source: Source, node: ast.expr, depth: int) -> bool:
    """Return whether an expression is an empty collection."""
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return not elts
        case ast.Dict(keys=keys):
            return not keys
        case ast.Constant(value=str() as text):
            return not text
        case ast.Name(id=name) if depth < 4:
            scope = source.code.scopes[node].holding(name)
            made = scope.names.get(name, []) if scope else []
            return bool(made) and all(_none(source, one.value, depth + 1) for one in made)
        case ast.Call(func=function, args=args):
            known = source.origins.name(function)
            if known == "range":
                return not _ranges(args)
            copies = known in ("list", "tuple", "set", "dict", "sorted")
            return copies and (not args or _none(source, args[0], depth + 1))
        case _:
            return False


def _ranges(args: list[ast.expr]) -> bool:
    """Return whether `range` of these arguments has an element; what is not constant may have."""
    whole = [argument.value for argument in args if isinstance(argument, ast.Constant)]
    numbers = [value for value in whole if isinstance(value, int)]
    try:
        return bool(range(*numbers)) if len(numbers) == len(args) else True
    except (TypeError, ValueError):
        return True


def _lost(source: Source, node: ast.AST) -> Iterator[Fault]:
    match node:
        case ast.ExceptHandler(type=caught, body=body) if not _raises(source, body):
            if name := _broad(source, caught):
                yield Fault(node.lineno, f"{name}: {_SWALLOWED}")
        case ast.Call(func=function, args=args) if source.origins.name(function) == "contextlib.suppress":
            for argument in args:
                if name := _broad(source, argument):
                    yield Fault(node.lineno, f"{name.replace('except', 'suppress')}: {_SWALLOWED}")
        case ast.Try(finalbody=body):
            for statement in body:
                if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                    yield Fault(statement.lineno, f"leaving from finally: {_SWALLOWED}")
        case ast.FunctionDef(name=name) if fixture_name(node) and name.startswith("test"):
            yield Fault(
                node.lineno, f"{name} is a fixture with the name of a test, which is never run; rename it"
            )


def _broad(source: Source, caught: ast.expr | None) -> str:
    """Return what catches failed assertions too, as it is written; empty where nothing does."""
    if caught is None:
        return "a bare except"
    parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return next((f"except {name}" for part in parts if (name := source.origins.name(part)) in _BROAD), "")


def _raises(source: Source, body: list[ast.stmt]) -> bool:
    """Return whether a handler fails in its turn."""
    for statement in body:
        match statement:
            case ast.Raise() | ast.Assert(test=ast.Constant(value=False)):
                return True
            case ast.Expr(value=ast.Call(func=function)) if source.origins.name(function) == "pytest.fail":
                return True
    return False
