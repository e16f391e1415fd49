"""The scopes of a test module: what each name is defined by, and which function is a fixture or a test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from skill2env.models.python_source import parse_python

FILE = "tests/test_outputs.py"
ITER = "*"
"""Selects what iterating gives."""
GET = "?"
"""Selects what an index gives that is not known."""
KEYS = "#"
"""Where the keys are that assignments add; iterating gives them too."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Path = tuple[int | str, ...]
"""Selectors, outermost first: an index, `=key`, ITER, GET or KEYS."""
_ADDING = {"append": 0, "add": 0, "extend": 0, "update": 0, "insert": 1, "setdefault": 1, "appendleft": 0}
_ONE = ("append", "add", "insert", "setdefault", "appendleft")
"""Methods that add one element; the others add many."""


@dataclass(frozen=True)
class Definition:
    """What gives a name its value, or a part of it."""

    value: ast.expr
    taken: Path = ()
    """Which part of `value` the name gets."""
    under: Path = ()
    """Which part of the name's value this is; all of it where empty."""


@dataclass
class Scope:
    """One module, class, function or comprehension."""

    node: ast.AST
    parent: Scope | None = None
    names: dict[str, list[Definition]] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """Local name to dotted origin."""
    parameters: tuple[str, ...] = ()

    def holding(self, name: str) -> Scope | None:
        """Return the nearest scope that defines a name; classes are seen from their own body only."""
        scope: Scope | None = self
        while scope is not None:
            hidden = scope is not self and isinstance(scope.node, ast.ClassDef)
            if not hidden and scope.has(name):
                return scope
            scope = scope.parent
        return None

    def has(self, name: str) -> bool:
        """Return whether the scope itself defines a name."""
        tables = (self.names, self.functions, self.classes, self.imports, self.parameters)
        return any(name in table for table in tables)


@dataclass
class TestCode:
    """A test module, taken apart."""

    __test__ = False

    tree: ast.Module
    module: Scope
    scopes: dict[ast.AST, Scope]
    """The scope in which each node stands."""
    own: dict[ast.AST, Scope]
    """The scope that a function, class or comprehension opens."""
    attributes: dict[str, list[Definition]]
    """What is assigned to an attribute of that name, whosever it is."""
    fixtures: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]
    """The module's own fixtures."""

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield every function and method, in the order of the text."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node

    def tests(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield the tests."""
        for node in self.functions():
            if is_test(node) and isinstance(self.scopes[node].node, (ast.Module, ast.ClassDef)):
                yield node

    def takes_fixtures(self, node: ast.AST) -> bool:
        """Return whether pytest gives a function its arguments."""
        return node in self.fixtures.values() or is_test(node)

    def methods(self, name: str) -> list[Function]:
        """Return the methods of that name of all classes."""
        return self._methods.get(name, [])

    @cached_property
    def _methods(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for node, scope in self.own.items():
            if isinstance(node, ast.ClassDef):
                for name, functions in scope.functions.items():
                    found.setdefault(name, []).extend(functions)
        return found


def read_code(text: str) -> TestCode:
    """Return a test module taken apart.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    tree = parse_python(text)
    reader = _Reader(tree)
    reader.visit(tree)
    fixtures = {
        name: node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (name := fixture_name(node))
    }
    return TestCode(tree, reader.module, reader.scopes, reader.own, reader.attributes, fixtures)


def is_test(node: ast.AST) -> bool:
    """Return whether a function is collected by pytest."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")


def fixture_name(node: ast.AST) -> str:
    """Return the name of a fixture; empty where the function is none."""
    for decorator in getattr(node, "decorator_list", ()):
        call = decorator if isinstance(decorator, ast.Call) else None
        if ast.unparse(call.func if call else decorator).rpartition(".")[2] == "fixture":
            given = {keyword.arg: keyword.value for keyword in call.keywords} if call else {}
            name = given.get("name")
            return str(name.value) if isinstance(name, ast.Constant) else str(getattr(node, "name", ""))
    return ""


def marks(node: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yield the decorators `@pytest.mark.<name>(...)` of a function or class."""
    for decorator in getattr(node, "decorator_list", ()):
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(f"mark.{name}"):
            yield decorator


def key(node: ast.expr) -> int | str | None:
    """Return the selector of a constant index, or None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return f"={node.value}"
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    return None


class _Reader(ast.NodeVisitor):
    """Walks the tree once and notes scopes and definitions."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = self._scope = Scope(tree)
        self.scopes: dict[ast.AST, Scope] = {}
        self.own: dict[ast.AST, Scope] = {tree: self.module}
        self.attributes: dict[str, list[Definition]] = {}

    def visit(self, node: ast.AST) -> None:
        self.scopes[node] = self._scope
        opens = isinstance(node, (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef))
        self._note(node)
        outer = self._scope
        if opens:
            self._scope = self.own[node] = Scope(node, outer, parameters=_parameters(node))
        if isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                self._bind(generator.target, Definition(generator.iter, (ITER,)))
        self.generic_visit(node)
        self._scope = outer

    def _note(self, node: ast.AST) -> None:
        """Note what one statement or expression defines in the scope at hand."""
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._scope.functions.setdefault(name, []).append(node)
            case ast.ClassDef(name=name):
                self._scope.classes[name] = node
            case ast.Import(names=names):
                for alias in names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self._scope.imports[bound] = alias.name if alias.asname else bound
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self._scope.imports[alias.asname or alias.name] = f"{module or ''}.{alias.name}"
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, Definition(value))
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
            ):
                self._bind(target, Definition(value))
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._bind(target, Definition(value, (ITER,)))
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                self._bind(target, Definition(value))
            case ast.Call(func=ast.Attribute(value=base, attr=attr), args=args) if attr in _ADDING:
                if len(args) > _ADDING[attr]:
                    self._bind(base, Definition(args[_ADDING[attr]], under=(ITER,) if attr in _ONE else ()))

    def _bind(self, target: ast.expr, made: Definition) -> None:
        match target:
            case ast.Name(id=name):
                self._scope_for(name, made).names.setdefault(name, []).append(made)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for index, element in enumerate(elts):
                    if isinstance(element, ast.Starred):
                        self._bind(element.value, Definition(made.value, made.taken))
                    else:
                        self._bind(element, Definition(made.value, (*made.taken, index)))
            case ast.Attribute(attr=attr):
                self.attributes.setdefault(attr, []).append(made)
            case ast.Subscript(value=base, slice=index):
                selector = key(index)
                under = (GET if selector is None else selector, *made.under)
                self._bind(base, Definition(made.value, made.taken, under))
                if isinstance(base, ast.Name):
                    self._bind(base, Definition(index, under=(KEYS,)))

    def _scope_for(self, name: str, made: Definition) -> Scope:
        """What adds to a value adds to it where the name was defined; what assigns, defines it here."""
        return (self._scope.holding(name) or self._scope) if made.under else self._scope


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _parameters(node: ast.AST) -> tuple[str, ...]:
    """Return the parameters of a function, the starred ones last."""
    if not isinstance(node, _FUNCTIONS):
        return ()
    given = node.args
    starred = [argument for argument in (given.vararg, given.kwarg) if argument]
    return tuple(a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, *starred))
