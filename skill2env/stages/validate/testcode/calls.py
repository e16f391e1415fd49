"""What calls give: of fixtures, of the module's own functions, of the library, of methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from skill2env.stages.validate.testcode.code import GET, ITER, KEYS, Path, key
from skill2env.stages.validate.testcode.kinds import (
    CONTENT,
    DELIVERED,
    HIDDEN,
    OWN,
    TOLD,
    TRUTH,
    UNKNOWN,
    WHOLE,
)
from skill2env.stages.validate.testcode.texts import NONE, Atoms, Leaf, method
from skill2env.stages.validate.testcode.words import words

if TYPE_CHECKING:
    from skill2env.stages.validate.testcode.flow import Flow

BY_NAME = {
    "truth": TRUTH,
    "workspace": DELIVERED,
    "output": DELIVERED,
    "hidden": HIDDEN,
    "tmp_path": OWN,
    "run": TOLD,
    "serve": TOLD,
    "repo": TOLD,
}
_READERS = words(
    "read_bytes read_text read_json read_jsonl read_csv read_yaml read_toml read_ini read_xml read_archive query digest"
)
_SAME = words(
    "sorted list tuple set frozenset reversed iter filter copy.copy copy.deepcopy collections.Counter"
)
"""Functions that give the elements of their argument."""
_KEEPING = words(
    "str int float bytes round abs sum min max next re.compile re.escape pytest.approx decimal.Decimal fractions.Fraction "
    "math.isclose pathlib.Path pathlib.PurePosixPath datetime.date datetime.datetime datetime.datetime.fromisoformat "
    "datetime.date.fromisoformat os.path.join os.fspath io.StringIO io.BytesIO "
    "itertools.chain itertools.chain.from_iterable"
)
"""Functions whose literal arguments are literals of their result."""


def call_atoms(flow: Flow, node: ast.Call, path: Path) -> Atoms:
    """Return kinds and literals of a part of what a call gives."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    kinds = frozenset(atom for atom in flow.every(arguments) if isinstance(atom, str))
    if fixture := flow.origins.fixture(node.func):
        return _from_fixture(fixture, kinds)
    functions = flow.origins.functions(node.func)
    if made := flow.origins.class_of(node.func):
        return kinds | _fields(flow, made, node)
    if functions:
        return NONE.union(*(flow.results(function, path) for function in functions))
    origin = flow.origins.name(node.func)
    if origin:
        return _from_library(flow, origin, node, arguments, kinds, path)
    if isinstance(node.func, ast.Attribute):
        return _from_method(flow, node, node.func, kinds, path)
    unknown = frozenset({UNKNOWN} if DELIVERED in kinds else ())  # a reader that was handed on, perhaps
    return kinds | unknown | frozenset(atom for atom in flow.atoms(node.func) if isinstance(atom, str))


def _fields(flow: Flow, made: ast.ClassDef, node: ast.Call) -> Atoms:
    """Literals that a class of the module is given are literals of its instance."""
    dataclass = not flow.code.own[made].functions.get("__init__")
    return flow.every(node.args) if dataclass else NONE


def _from_fixture(fixture: str, kinds: frozenset[str]) -> Atoms:
    if fixture in _READERS:
        own = kinds and kinds <= {HIDDEN, OWN}
        if own:
            return kinds
        return frozenset({CONTENT, WHOLE} if fixture in ("read_text", "read_bytes") else {CONTENT})
    return frozenset({BY_NAME[fixture]} if fixture in BY_NAME else kinds)


def _from_library(
    flow: Flow, origin: str, node: ast.Call, arguments: list[ast.expr], kinds: frozenset[str], path: Path
) -> Atoms:
    if origin == "enumerate" and node.args and len(path) > 1:
        return flow.atoms(node.args[0], (path[0], *path[2:])) if path[1] != 0 else NONE
    if origin == "dict":
        return _dictionary(flow, node, path)
    if origin.startswith("tempfile."):
        return frozenset({OWN})
    if origin in ("zip", "itertools.zip_longest", "itertools.product") and len(path) > 1:
        index = path[1]
        chosen = node.args[index : index + 1] if isinstance(index, int) else node.args
        return flow.every(chosen, (path[0], *path[2:]))
    if origin in _SAME and arguments:
        return flow.atoms(node.args[-1] if origin == "filter" else arguments[0], path) | kinds
    if origin == "pytest.param":
        several = path and isinstance(path[0], int) and path[0] < len(node.args)
        return flow.atoms(node.args[int(path[0])], path[1:]) if several else flow.every(node.args, path)
    if origin in _KEEPING:
        return flow.every(arguments) | kinds
    return kinds


def _dictionary(flow: Flow, node: ast.Call, path: Path) -> Atoms:
    """Return the atoms of a part of what `dict(...)` gives: of pairs that were zipped, of a mapping, of its keywords."""
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    spread = [keyword.value for keyword in node.keywords if not keyword.arg]
    keys = frozenset(Leaf(node.lineno, name) for name in named)
    inside = node.args[:1]
    if inside and path and _zipped(flow, inside[0]):
        pair = inside[0].args if isinstance(inside[0], ast.Call) else []
        return flow.atoms(pair[0 if path[0] in (ITER, KEYS) else 1], (ITER, *path[1:]))
    found = flow.every((*inside, *spread), path)
    if not path:
        return found | keys | flow.every(named.values())
    if path[0] in (ITER, KEYS):
        return found | keys
    exact = [value for name, value in named.items() if f"={name}" == path[0]]
    return found | flow.every(exact or named.values(), path[1:])


def _zipped(flow: Flow, node: ast.expr) -> bool:
    zips = isinstance(node, ast.Call) and flow.origins.name(node.func) == "zip"
    return zips and isinstance(node, ast.Call) and len(node.args) == 2


def _from_method(
    flow: Flow, node: ast.Call, called: ast.Attribute, kinds: frozenset[str], path: Path
) -> Atoms:
    base, name = called.value, called.attr
    if name == "items" and len(path) > 1:
        return flow.atoms(base, ((KEYS if path[1] == 0 else GET), *path[2:]))
    if name == "values" and path:
        return flow.atoms(base, (GET, *path[1:]))
    if name in ("get", "pop") and node.args:
        default = frozenset(atom for atom in flow.every(node.args[1:], path) if isinstance(atom, str))
        return flow.atoms(base, (key(node.args[0]) or GET, *path)) | default
    if name in ("keys", "copy"):
        return flow.atoms(base, path)
    constants = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
    return method(name, flow.atoms(base), constants) | kinds
