"""Comparisons that let pass what is not a number: NaN is neither greater nor smaller than anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skill2env.stages.validate.linting.found import Fault, Source
from skill2env.stages.validate.testcode.kinds import CONTENT, TOLD, UNKNOWN
from skill2env.stages.validate.testcode.words import words

_ORDER = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_WHOLE = words("len int set sorted str tuple list frozenset ord hash bool repr")
_COUNTING = ("count", "index", "find", "date", "split")
_MESSAGE = (
    "it fails only where the difference is greater, and NaN is not greater than anything; "
    "write assert abs(actual - expected) <= tolerance, or use near"
)


def faults(source: Source) -> Iterator[Fault]:
    """Yield comparisons that fail if greater, instead of passing if near."""
    parents = {child: node for node in ast.walk(source.code.tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(source.code.tree):
        if not isinstance(node, ast.Compare) or not _ordered(node) or _positive(node, parents):
            continue
        if _far(source, node) or (_negative(node, parents) and _real(source, node)):
            yield Fault(node.lineno, _MESSAGE)


def _ordered(node: ast.Compare) -> bool:
    return all(isinstance(operator, _ORDER) for operator in node.ops)


def _far(source: Source, node: ast.Compare) -> bool:
    """Return whether it asks if a distance is greater than something."""
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        greater = left if isinstance(operator, (ast.Gt, ast.GtE)) else right
        if any(_distance(source, value) for value in _values(source, greater)):
            return True
    return False


def _values(source: Source, node: ast.expr) -> list[ast.expr]:
    """Return an expression, and what a name is assigned."""
    if not isinstance(node, ast.Name):
        return [node]
    scope = source.code.scopes[node].holding(node.id)
    return [made.value for made in scope.names.get(node.id, ()) if not made.taken] if scope else []


def _distance(source: Source, node: ast.expr) -> bool:
    """Return whether an expression is how far apart numbers are, or the greatest or the sum of that."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return _distance(source, node.elt)
    if isinstance(node, ast.Call) and source.origins.name(node.func) in ("max", "sum"):
        return any(_distance(source, argument) for argument in node.args)
    named = isinstance(node, ast.Call) and source.origins.name(node.func) in ("abs", "math.fabs", "math.dist")
    return named and not _whole(source, node.args[0] if isinstance(node, ast.Call) and node.args else node)


def _positive(node: ast.Compare, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether the comparison itself is what is asserted."""
    return _asserted(node, parents) is True


def _negative(node: ast.Compare, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether the opposite of the comparison is what is asserted."""
    return _asserted(node, parents) is False


def _asserted(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool | None:
    """Return whether a truth, or its opposite, is asserted; None where neither can be told."""
    sign = True
    while (parent := parents.get(node)) is not None:
        match parent:
            case ast.UnaryOp(op=ast.Not()):
                sign = not sign
            case ast.BoolOp() | ast.Return():
                pass
            case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element) if element is node:
                pass
            case ast.Call(func=ast.Name(id="all" | "any")):
                pass
            case ast.Assert(test=test) if test is node:
                return sign
            case ast.If(test=test, body=body) if test is node and _fails(body):
                return not sign
            case _:
                return None if sign else False
        node = parent
    return None


def _fails(body: list[ast.stmt]) -> bool:
    """Return whether a branch makes the test fail."""
    for statement in body:
        match statement:
            case ast.Raise() | ast.Assert(test=ast.Constant(value=False)):
                return True
            case ast.Return(value=ast.Constant(value=False)):
                return True
            case ast.Expr(value=ast.Call(func=function)) if ast.unparse(function).endswith("fail"):
                return True
    return False


def _real(source: Source, node: ast.Compare) -> bool:
    """Return whether numbers that may be no whole ones are compared."""
    sides = [node.left, *node.comparators]
    judged = any(source.flow.kinds(side) & {CONTENT, TOLD, UNKNOWN} for side in sides)
    return judged and not any(_whole(source, side) for side in sides)


def _whole(source: Source, node: ast.expr) -> bool:
    """Return whether an expression can't be NaN: lengths, whole numbers, texts, sets, results of the module's own helpers."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _COUNTING:
            return True
        case ast.Call(func=function):
            return source.origins.name(function) in _WHOLE or bool(source.origins.functions(function))
        case ast.BinOp(left=left, right=right):
            return _whole(source, left) and _whole(source, right)
        case ast.Constant(value=value):
            return isinstance(value, str)
        case ast.Tuple() | ast.List() | ast.Set() | ast.SetComp() | ast.ListComp() | ast.JoinedStr():
            return True
        case _:
            return False
