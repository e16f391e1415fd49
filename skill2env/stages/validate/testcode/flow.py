"""Where the values of a test module come from: which fixtures they were made with, and which literals are in them.

One reading of the text: what a name may hold is the union of all that is assigned to it, helpers are followed through
their calls, fixtures through their names, and parametrised arguments to their values. No branch is weighed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from skill2env.stages.validate.testcode.arguments import fixture_parameter_atoms, parameter_atoms
from skill2env.stages.validate.testcode.calls import BY_NAME, call_atoms
from skill2env.stages.validate.testcode.code import GET, ITER, KEYS, Definition, Function, Path, TestCode, key
from skill2env.stages.validate.testcode.origins import Origins, returned
from skill2env.stages.validate.testcode.texts import NONE, Atoms, Leaf, combined

_Place = tuple[ast.expr, Path]
_DEEP = 4
"""Selectors that are told apart."""
_LEVELS = 60
"""Nested steps after which the rest is followed on its own, so that Python's stack suffices."""
_STEPS = 200_000
_PASSES = 8


class Tangled(ValueError):
    """A module whose values can't be followed within bounds."""


class Flow:
    """Answers where values come from, for one module."""

    def __init__(self, code: TestCode) -> None:
        """Prepare; nothing is followed yet."""
        self.code = code
        self.origins = Origins(code)
        self._known: dict[_Place, Atoms] = {}
        self._final: set[_Place] = set()
        self._seen: set[_Place] = set()
        self._later: list[_Place] = []
        self._grown = False
        self._steps = self._level = 0
        self.calls = self._call_sites()

    def kinds(self, node: ast.expr, path: Path = ()) -> frozenset[str]:
        """Return what an expression, or a part of it, was made with: the constants of this module such as CONTENT."""
        return frozenset(atom for atom in self.atoms(node, path) if isinstance(atom, str))

    def leaves(self, node: ast.expr, path: Path = ()) -> list[Leaf]:
        """Return the literals that an expression, or a part of it, may hold, in the order of the text."""
        return sorted(atom for atom in self.atoms(node, path) if isinstance(atom, Leaf))

    def atoms(self, node: ast.expr, path: Path = ()) -> Atoms:
        """Return kinds and literals of a part of an expression's value.

        Raises:
            Tangled: the module's values can't be followed within bounds.
        """
        place = (node, path[:_DEEP])
        if place in self._final or place in self._seen:
            return self._known.get(place, NONE)
        if self._level >= _LEVELS:
            self._later.append(place)
            return self._known.get(place, NONE)
        if self._level:
            return self._followed(*place)
        for _ in range(_PASSES):  # names that refer to each other: again, until nothing is added
            self._grown = False
            self._seen.clear()
            self._later = [place]
            while self._later:
                if (later := self._later.pop()) not in self._seen:
                    self._followed(*later)
            if not self._grown:
                break
        self._final |= self._seen
        self._seen.clear()
        return self._known[place]

    def _followed(self, node: ast.expr, path: Path) -> Atoms:
        self._seen.add((node, path))
        self._steps += 1
        if self._steps > _STEPS:
            raise Tangled("its values refer to each other too often to be followed; write the tests plainer")
        before = self._known.get((node, path), NONE)
        self._level += 1
        found = before | self._atoms(node, path)
        self._level -= 1
        if found != before:
            self._grown = True
        self._known[node, path] = found
        return found

    def every(self, nodes: Iterable[ast.expr | None], path: Path = ()) -> Atoms:
        """Return the atoms of a part of several expressions."""
        return NONE.union(*(self.atoms(node, path) for node in nodes if node is not None))

    def _atoms(self, node: ast.expr, path: Path) -> Atoms:  # one case for each kind of expression
        match node:
            case ast.Constant():
                return frozenset({Leaf.of(node)} if Leaf.fits(node) else ())
            case ast.Name(id=name):
                return self._name(node, name, path)
            case ast.Attribute(value=base, attr=attr):
                return self._attribute(node, base, attr, path)
            case ast.Subscript(value=base, slice=index):
                return self._subscript(base, index, path)
            case ast.Call():
                return call_atoms(self, node, path)
            case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
                return self._elements(elts, path)
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values, path)
            case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
                return self.atoms(element, path[1:])
            case ast.DictComp(key=index, value=value):
                return self._dict([index], [value], path)
            case ast.BoolOp(values=values):
                return self.every(values, path)
            case ast.IfExp(body=one, orelse=other):
                return self.every((one, other), path)
            case ast.NamedExpr(value=value) | ast.Await(value=value) | ast.YieldFrom(value=value):
                return self.atoms(value, path)
            case ast.Starred(value=value):
                return self.atoms(value, (ITER, *path))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return frozenset({Leaf(node.lineno, str(-number), number=True)})
            case ast.BinOp(left=left, op=operator, right=right):
                passed = path if isinstance(operator, (ast.Add, ast.BitOr)) else path[:0]
                return combined(operator, self.atoms(left, passed), self.atoms(right, passed))
            case ast.JoinedStr(values=values):
                return frozenset(
                    atom.part() if isinstance(atom, Leaf) else atom for atom in self.every(values)
                )
            case ast.FormattedValue(value=value):
                return self.atoms(value)
            case ast.Compare(left=left, comparators=others):
                return frozenset(kind for kind in self.every((left, *others)) if isinstance(kind, str))
            case ast.UnaryOp(operand=operand):
                return self.atoms(operand)
            case _:
                return NONE

    def _name(self, node: ast.Name, name: str, path: Path) -> Atoms:
        if fixture := self.origins.fixture(node):
            return frozenset({BY_NAME[fixture]} if fixture in BY_NAME else ())
        scope = self.code.scopes[node].holding(name)
        if scope is None:
            return NONE
        found = self.defined(scope.names.get(name, ()), path)
        if name in scope.parameters and isinstance(
            scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        ):
            found |= parameter_atoms(self, scope.node, name, path)
        return found

    def defined(self, definitions: Iterable[Definition], path: Path) -> Atoms:
        """Return the atoms of a part of what definitions give."""
        found = NONE
        for made in definitions:
            rest = _below(path, made.under)
            if rest is not None:
                found |= self.atoms(made.value, (*made.taken, *rest))
        return found

    def results(self, function: Function, path: Path) -> Atoms:
        """Return the atoms of a part of what a function returns or yields."""
        found = NONE
        for value, yielded in returned(function):
            found |= self.atoms(value, path[1:] if yielded else path)
        return found

    def _attribute(self, node: ast.Attribute, base: ast.expr, attr: str, path: Path) -> Atoms:
        if self.origins.name(node):
            return NONE
        if attr == "param" and self.origins.fixture(base) == "request":
            return fixture_parameter_atoms(self, node, path)
        kinds = frozenset(atom for atom in self.atoms(base) if isinstance(atom, str))
        return kinds | self.defined(self.code.attributes.get(attr, ()), path)

    def _subscript(self, base: ast.expr, index: ast.expr, path: Path) -> Atoms:
        if isinstance(index, ast.Slice):
            return self.atoms(base, path)
        selector = key(index)
        return self.atoms(base, (GET if selector is None else selector, *path))

    def _elements(self, elts: list[ast.expr], path: Path) -> Atoms:
        if not path:
            return self.every(elts)
        first, rest = path[0], path[1:]
        spread = any(isinstance(element, ast.Starred) for element in elts)
        if isinstance(first, int) and -len(elts) <= first < len(elts) and not spread:
            return self.atoms(elts[first], rest)
        return self.every(elts, rest)

    def _dict(
        self, keys: list[ast.expr | None] | list[ast.expr], values: list[ast.expr], path: Path
    ) -> Atoms:
        spread = [value for index, value in zip(keys, values, strict=True) if index is None]
        if not path:
            return self.every((*keys, *values))
        first, rest = path[0], path[1:]
        pairs = [(index, value) for index, value in zip(keys, values, strict=True) if index is not None]
        if first in (ITER, KEYS):
            return self.every([index for index, _ in pairs], rest) | self.every(spread, path)
        exact = [value for index, value in pairs if key(index) == first]
        chosen = exact or [value for _, value in pairs]
        return self.every(chosen, rest) | self.every(spread, path)

    def _call_sites(self) -> dict[ast.AST, list[tuple[ast.Call, int]]]:
        """Return the calls of each function, and how many of its first parameters they do not give."""
        found: dict[ast.AST, list[tuple[ast.Call, int]]] = {}
        for node in ast.walk(self.code.tree):
            if isinstance(node, ast.Call):
                for function in self.origins.functions(node.func):
                    inside = self.code.scopes[function].node
                    found.setdefault(function, []).append((node, int(isinstance(inside, ast.ClassDef))))
        return found


def _below(path: Path, under: Path) -> Path | None:
    """Return what of a path lies below the part that a definition gives; None where the two are apart."""
    for wanted, given in zip(path, under, strict=False):
        same = wanted == given or (given == ITER and (wanted == GET or isinstance(wanted, int)))
        known = given != KEYS and wanted not in (ITER, KEYS)
        keyed = given == KEYS and wanted == ITER
        unclear = (given == GET or wanted == GET) and known
        if not (same or keyed or unclear):
            return None
    return path[len(under) :]
