"""What a module's expressions only leave out, and where one of several literals is enough: neither demands a literal."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Roles:
    """Answers what a condition is for."""

    def __init__(self, tree: ast.Module) -> None:
        """Prepare for one module."""
        self._tree = tree
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._excluded = {node for condition in self._leaving_out() for node in ast.walk(condition)}
        self._excluded |= {node for value in self._skipped() for node in ast.walk(value)}
        self._optional = set(self._gone_through())

    def left_out(self, node: ast.AST) -> bool:
        """Return whether an expression only says what is not looked at: `x for x in outputs if x != "log"`."""
        return node in self._excluded

    def optional(self, node: ast.AST) -> bool:
        """Return whether a lookup is gone through and defaults to nothing: what is not there is not missed."""
        return node in self._optional

    def one_is_enough(self, node: ast.AST) -> bool:
        """Return whether a membership is asserted, or sorts what is there: one of its members will do."""
        while (parent := self._parents.get(node)) is not None:
            match parent:
                case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Call(func=ast.Name(id="all" | "any")):
                    pass
                case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element) if element is node:
                    pass
                case ast.Assert() | ast.If() | ast.While() | ast.IfExp():
                    return True
                case _:
                    return False
            node = parent
        return False

    def _leaving_out(self) -> Iterator[ast.expr]:
        """Yield the conditions of comprehensions that must not hold, where what is left is not asserted to be nothing."""
        for node in ast.walk(self._tree):
            if isinstance(node, _COMPREHENSIONS) and not self._emptied(node):
                for generator in node.generators:
                    for condition in generator.ifs:
                        yield from _negative(condition)

    def _emptied(self, node: ast.AST, seen: set[ast.AST] | None = None) -> bool:
        """Return whether a collection is asserted to be empty, itself or under the name that it is given."""
        seen = set() if seen is None else seen
        if node in seen:
            return False
        seen.add(node)
        parent = self._parents.get(node)
        match parent:
            case ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Compare(left=left, comparators=others):
                return any(_empty(side) for side in (left, *others))
            case ast.Assign(targets=[ast.Name(id=name)]):
                return any(self._emptied(use, seen) for use in self._uses(parent, name))
            case ast.Call() | ast.BinOp() | ast.BoolOp():
                return self._emptied(parent, seen)
            case _:
                return False

    def _skipped(self) -> Iterator[ast.expr]:
        """Yield the values of names that are used for nothing but to leave things out."""
        for node in ast.walk(self._tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    uses = list(self._uses(node, name))
                    if uses and all(use in self._excluded for use in uses):
                        yield value

    def _uses(self, node: ast.AST, name: str) -> Iterator[ast.AST]:
        """Yield where a name is read in the function, or the module, in which it is assigned."""
        while not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            node = self._parents[node]
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Load):
                yield inner

    def _gone_through(self) -> Iterator[ast.AST]:
        for node in ast.walk(self._tree):
            match node:
                case ast.For(iter=looked) | ast.comprehension(iter=looked):
                    match looked:
                        case ast.Call(
                            func=ast.Attribute(attr="get"), args=[_, ast.List(elts=[]) | ast.Tuple(elts=[])]
                        ):
                            yield looked


def _negative(condition: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a condition that hold where something is not so."""
    match condition:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _negative(value)
        case ast.Compare(ops=[ast.NotEq() | ast.NotIn() | ast.IsNot()]):
            yield condition
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand


def _empty(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Constant(value=0 | "") | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id="set" | "list" | "dict"), args=[]):
            return True
        case _:
            return False
