"""What parameters hold: of fixtures and tests what pytest gives them, of helpers what their calls do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from skill2env.stages.validate.testcode.code import GET, ITER, Function, Path, marks
from skill2env.stages.validate.testcode.kinds import UNKNOWN
from skill2env.stages.validate.testcode.texts import NONE, Atoms

if TYPE_CHECKING:
    from skill2env.stages.validate.testcode.flow import Flow


def parameter_atoms(flow: Flow, function: Function, name: str, path: Path) -> Atoms:
    """Return kinds and literals of a part of what a parameter is given."""
    if flow.code.takes_fixtures(function):
        return _given_by_pytest(flow, function, name, path)
    given = flow.calls.get(function)
    if not given:
        return frozenset({UNKNOWN})
    found = NONE
    for call, shift in given:
        found |= _argument(flow, function, call, name, shift, path)
    return found


def _given_by_pytest(flow: Flow, function: Function, name: str, path: Path) -> Atoms:
    found = NONE
    owners = [function, flow.code.scopes[function].node]
    for mark in (mark for owner in owners for mark in marks(owner, "parametrize")):
        every = _names(mark.args[0]) if len(mark.args) > 1 else []
        if name in every:
            place: Path = (every.index(name),) if len(every) > 1 else ()
            found |= flow.atoms(mark.args[1], (ITER, *place, *path))
    own = flow.code.fixtures.get(name)
    if own is not None and own is not function:
        found |= flow.results(own, path)
    return found


def _names(node: ast.expr) -> list[str]:
    """Return the names that a parametrisation gives."""
    match node:
        case ast.Constant(value=str() as text):
            return [part.strip() for part in text.split(",")]
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return [str(element.value) for element in elts if isinstance(element, ast.Constant)]
        case _:
            return []


def _argument(flow: Flow, function: Function, call: ast.Call, name: str, shift: int, path: Path) -> Atoms:
    plain = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)][shift:]
    if function.args.vararg and name == function.args.vararg.arg:
        rest = path[1:] if path and path[0] in (ITER, GET) else path
        return flow.every(call.args[len(plain) :], rest)
    for keyword in call.keywords:
        if keyword.arg == name:
            return flow.atoms(keyword.value, path)
    if name in plain and plain.index(name) < len(call.args):
        return flow.atoms(call.args[plain.index(name)], path)
    defaults = dict(zip(reversed(plain), reversed(function.args.defaults), strict=False))
    return flow.atoms(defaults[name], path) if name in defaults else NONE


def fixture_parameter_atoms(flow: Flow, node: ast.Attribute, path: Path) -> Atoms:
    """Return kinds and literals of a part of `request.param`."""
    scope = flow.code.scopes[node].holding("request")
    decorators = getattr(scope.node, "decorator_list", ()) if scope else ()
    given = [k.value for d in decorators if isinstance(d, ast.Call) for k in d.keywords if k.arg == "params"]
    return flow.every(given, (ITER, *path))
