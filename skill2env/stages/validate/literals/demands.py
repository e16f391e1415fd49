"""Finds the literals that decide the verdict on outputs: keys, paths, texts, numbers, options, columns, patterns."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from skill2env.stages.validate.literals.demand import Demand, Demands, value_of
from skill2env.stages.validate.literals.excluded import Roles
from skill2env.stages.validate.literals.languages import argv_options, pattern_texts, sql_names, terms
from skill2env.stages.validate.testcode import Flow, Leaf, TestCode, read_code
from skill2env.stages.validate.testcode.code import ITER, KEYS, Path
from skill2env.stages.validate.testcode.kinds import CONTENT, DELIVERED, TOLD, UNKNOWN

_JUDGED = frozenset({CONTENT, TOLD, UNKNOWN})
_NAMED = _JUDGED | {DELIVERED}
"""The same, and the names of delivered files."""
_STARTS = (
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "count",
    "find",
    "rfind",
    "index",
    "rindex",
)
_CUTS = ("split", "rsplit", "partition", "rpartition")
_LOOKUPS = ("get", "pop", "setdefault")
_ELEMENTS = ("find", "findall", "findtext", "iterfind", "iter")
_PATHS = ("glob", "rglob", "joinpath", "with_name", "with_suffix", "match", "relative_to")
_PATTERNS = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn")
_SETS = ("issubset", "issuperset", "isdisjoint", "intersection", "difference", "symmetric_difference")
_CASES = ("lower", "upper", "casefold", "title", "capitalize", "swapcase")


def read_demands(text: str) -> Demands:
    """Return the demanded literals of a test module.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or too entangled to be followed.
    """
    code = read_code(text)
    finder = _Finder(code)
    first: dict[tuple[str, str], Demand] = {}
    for demand in sorted(finder.all()):
        first.setdefault((demand.value, demand.noun), demand)
    return Demands(tuple(sorted(first.values())), finder.given, terms(code))


class _Finder:
    """Goes through a module's expressions and yields what each demands."""

    def __init__(self, code: TestCode) -> None:
        self._code = code
        self._flow = Flow(code)
        self.given = self._handed_over()
        self._named_files = self._handed_over(only="files")
        self._roles = Roles(code.tree)

    def all(self) -> Iterator[Demand]:
        """Yield every demand, as often as it is made."""
        for node in ast.walk(self._code.tree):
            if self._roles.left_out(node):
                continue
            match node:
                case ast.Subscript(value=base, slice=index, ctx=ast.Load()) if not isinstance(
                    index, ast.Slice
                ):
                    if self._judged(base, (KEYS,)):
                        yield from self._texts(index, self._key_of(base))
                case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                    yield from self._contained(left, right, self._roles.one_is_enough(node))
                case ast.Compare():
                    yield from self._compared([node.left, *node.comparators])
                case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitXor() | ast.Sub(), right=right):
                    if self._judged(left) or self._judged(right):
                        yield from self._texts(left, "text")
                        yield from self._texts(right, "text")
                case ast.BinOp(left=left, op=ast.Div(), right=right):
                    if DELIVERED in self._flow.kinds(left):
                        yield from self._texts(right, "path")
                case ast.MatchValue(value=value):
                    yield from self._texts(value, "text")
                case ast.Call():
                    yield from self._called(node)

    def _called(self, node: ast.Call) -> Iterator[Demand]:
        fixture = self._flow.origins.fixture(node.func)
        name = self._flow.origins.name(node.func)
        if fixture:
            yield from self._of_fixture(fixture, node)
        elif name.startswith("re.") and name[3:] in _PATTERNS and len(node.args) > 1:
            subject = node.args[2] if name in ("re.sub", "re.subn") and len(node.args) > 2 else node.args[1]
            if self._judged(subject):
                yield from self._pattern(node.args[0])
        elif name in ("operator.itemgetter", "operator.attrgetter"):
            for argument in node.args:
                yield from self._texts(argument, "key")
        elif name in ("datetime.datetime.strptime", "time.strptime") and len(node.args) > 1:
            if self._judged(node.args[0]):
                yield from self._format(node.args[1])
        elif name in ("math.isclose", "cmath.isclose"):
            yield from self._compared(node.args)
        elif isinstance(node.func, ast.Attribute) and not name:
            yield from self._of_method(node, node.func)
        elif isinstance(node.func, ast.Name) and self._judged_call(node.func):
            for argument in node.args[1:]:  # the first is what is asked for: a sub-command of git
                yield from self._made(
                    self._flow.leaves(argument), "name", lambda leaf: not leaf.value.startswith("-")
                )

    def _judged_call(self, node: ast.Name) -> bool:
        """Return whether a called name is a method that a fixture gave, such as `git`."""
        return not self._flow.origins.functions(node) and TOLD in self._flow.kinds(node)

    def _of_fixture(self, fixture: str, node: ast.Call) -> Iterator[Demand]:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "sql")]
        if fixture == "output" and node.args:
            yield from self._texts(node.args[0], "path")
        elif fixture == "near":
            yield from self._compared(node.args[:2])
        elif fixture == "query":
            for argument in arguments[1:2]:
                for leaf in self._flow.leaves(argument):
                    yield from (Demand(leaf.line, name, "column or table") for name in sql_names(leaf.value))
        elif fixture in ("run", "serve") and node.args:
            for leaf in argv_options(self._flow, node):
                if leaf.value not in self._named_files:
                    yield Demand(leaf.line, leaf.value, "option")
            yield from self._statements(node)

    def _statements(self, node: ast.Call) -> Iterator[Demand]:
        """Yield the names in the SQL that the sqlite3 program is given; the texts in it are the tests' own."""
        argv = node.args[0].elts if isinstance(node.args[0], ast.List) else []
        if argv and any(leaf.value == "sqlite3" for leaf in self._flow.leaves(argv[0])):
            for leaf in (leaf for item in argv[1:] for leaf in self._flow.leaves(item)):
                yield from (
                    Demand(leaf.line, name, "column or table") for name in sql_names(leaf.value, quoted=False)
                )

    def _of_method(self, node: ast.Call, called: ast.Attribute) -> Iterator[Demand]:
        name, base = called.attr, called.value
        kinds = self._flow.kinds(base)
        if name in _PATHS and DELIVERED in kinds and node.args:
            for argument in node.args:
                yield from self._parts(argument, "path")
        patterns = [leaf for leaf in self._flow.leaves(base) if name in _PATTERNS and leaf.value]
        if patterns and node.args and self._judged(node.args[-1]) and not kinds & _JUDGED:
            yield from self._pattern(base)
        if not kinds & _NAMED or not node.args:
            return
        if name in (*_STARTS, *_CUTS):
            yield from self._parts(node.args[0], "text", base)
        elif name in _LOOKUPS or name in _ELEMENTS:
            if not self._roles.optional(node) and self._judged(base, (KEYS,)):
                yield from self._texts(node.args[0], self._key_of(base))
        elif name in _SETS:
            yield from self._texts(node.args[0], "text")
        elif name in ("git", "request"):
            for argument in node.args[1:2] if name == "request" else node.args[1:]:
                yield from self._made(
                    self._flow.leaves(argument), "name", lambda leaf: not leaf.value.startswith("-")
                )

    def _key_of(self, node: ast.expr) -> str:
        """Return what an index of something is called."""
        return "key" if self._flow.kinds(node) & {CONTENT, TOLD} else "attribute"

    def _contained(self, left: ast.expr, right: ast.expr, one: bool) -> Iterator[Demand]:
        """Yield what is looked for in something delivered, and the literals among which something delivered is looked for."""
        any_case = self._folds_case(left) or self._folds_case(right)
        if self._judged(right, (ITER,), _NAMED):
            for leaf in self._flow.leaves(left):
                yield value_of(leaf, any_case=any_case)
        if self._judged(left, of=_NAMED):
            leaves = self._flow.leaves(right, (ITER,))
            for leaf in leaves:
                others = tuple(other.value for other in leaves if one and other != leaf)
                yield value_of(leaf, any_case=any_case, others=others)

    def _compared(self, sides: list[ast.expr]) -> Iterator[Demand]:
        if not any(self._judged(side, of=_NAMED) for side in sides):
            return
        any_case = any(self._folds_case(side) for side in sides)
        distance = any(self._is_distance(side) for side in sides)
        for side in sides:
            for leaf in self._flow.leaves(side):
                if not (leaf.number and distance):  # a tolerance
                    yield value_of(leaf, any_case=any_case)

    def _judged(self, node: ast.expr, path: Path = (), of: frozenset[str] = _JUDGED) -> bool:
        """Return whether an expression, or a part of it, holds something of what was delivered."""
        return bool(self._flow.kinds(node, path) & of)

    def _texts(self, node: ast.expr, noun: str) -> Iterator[Demand]:
        yield from self._made(self._flow.leaves(node), noun, lambda leaf: not leaf.number)

    def _made(self, leaves: Iterable[Leaf], noun: str, wanted: Callable[[Leaf], bool]) -> Iterator[Demand]:
        for leaf in leaves:
            if wanted(leaf):
                yield Demand(leaf.line, leaf.value, noun, leaf.number, leaf.fragment)

    def _parts(self, node: ast.expr, noun: str, subject: ast.expr | None = None) -> Iterator[Demand]:
        """Yield texts that are a part of what they are looked for in."""
        any_case = subject is not None and self._folds_case(subject)
        for leaf in self._flow.leaves(node):
            if not leaf.number:
                yield Demand(leaf.line, leaf.value, noun, fragment=True, any_case=any_case)

    def _pattern(self, node: ast.expr) -> Iterator[Demand]:
        for leaf in self._flow.leaves(node):
            for texts, any_case in pattern_texts(leaf.value):
                yield Demand(leaf.line, texts[0], "text", fragment=True, any_case=any_case, others=texts[1:])

    def _format(self, node: ast.expr) -> Iterator[Demand]:
        """Yield the texts between the fields of a date's format."""
        for leaf in self._flow.leaves(node):
            for part in re.split(r"%.", leaf.value):
                yield Demand(leaf.line, part, "text", fragment=True)

    def _folds_case(self, node: ast.expr) -> bool:
        """Return whether an expression, or what its names are assigned, changes the case of letters."""
        for inner in ast.walk(node):
            if (
                isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Attribute)
                and inner.func.attr in _CASES
            ):
                return True
            if isinstance(inner, ast.Name) and any(_plainly_folded(value) for value in self._assigned(inner)):
                return True
        return False

    def _assigned(self, node: ast.Name) -> list[ast.expr]:
        scope = self._code.scopes[node].holding(node.id)
        return [made.value for made in scope.names.get(node.id, ())] if scope else []

    def _is_distance(self, node: ast.expr) -> bool:
        """Return whether an expression is the distance of two values, which is compared with a tolerance."""
        values = [node, *(self._assigned(node) if isinstance(node, ast.Name) else ())]
        for function in self._flow.origins.functions(node.func) if isinstance(node, ast.Call) else ():
            values += [
                value.value for value in ast.walk(function) if isinstance(value, ast.Return) and value.value
            ]
        return any(
            isinstance(value, ast.Call)
            and self._flow.origins.name(value.func) in ("abs", "math.fabs", "math.dist")
            for value in values
        )

    def _handed_over(self, only: str = "") -> frozenset[str]:
        """Return the texts that the tests themselves hand to delivered programs, or those of one argument only."""
        given: set[str] = set()
        for node in ast.walk(self._code.tree):
            if isinstance(node, ast.Call) and self._flow.origins.fixture(node.func) in ("run", "serve"):
                named = [keyword.value for keyword in node.keywords if keyword.arg == (only or keyword.arg)]
                argv = (
                    node.args[0].elts if node.args and isinstance(node.args[0], ast.List) else node.args[:1]
                )
                for value in named if only else (*argv, *node.args[1:], *named):
                    if DELIVERED not in self._flow.kinds(value):
                        given |= {leaf.value for leaf in self._flow.leaves(value) if not leaf.number}
        return frozenset(given)


def _plainly_folded(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASES
