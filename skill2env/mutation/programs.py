"""Mutants of delivered programs: Python by its syntax tree, shell by its lines."""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Iterator

from skill2env.models.python_source import parse_python
from skill2env.mutation.mutant import Change, Changes

_MOST = 8
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
_TELLS = re.compile(
    r"stderr|add_argument|ArgumentParser|raise |assert |log(ger|ging)?\.|sys\.exit|\busage\b|__main__|\.close\("
)
"""Statements whose only effect may be on what a person reads, or on how the program ends."""

Edit = tuple[str, Callable[[ast.AST], ast.AST | None]]


def mutate_python(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield programs that compute something else, and one that is only written otherwise.

    Raises:
        ValueError: it is no Python.
    """
    try:
        tree = parse_python(data.decode())
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    first = data.split(b"\n", 1)[0] + b"\n" if data.startswith(b"#!") else b""
    edits = [(index, *edit) for index, node in enumerate(ast.walk(tree)) for edit in _edits(node)]
    skipped = _quiet(tree)
    edits = [edit for edit in edits if edit[0] not in skipped]
    for index, what, change in rng.sample(edits, min(len(edits), _MOST)):
        changed = _edited(tree, index, change)
        yield Change("program", what, first + ast.unparse(changed).encode() + b"\n")
    yield Change("same", "written otherwise, without comments", first + ast.unparse(tree).encode() + b"\n")


def _edits(node: ast.AST) -> Iterator[Edit]:
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OPPOSITE:
        yield f"line {line}: the comparison `{ast.unparse(node)}` is turned round", _turned
    elif isinstance(node, ast.BinOp) and type(node.op) in _OTHER and not _is_text(node):
        yield f"line {line}: another operator in `{ast.unparse(node)[:60]}`", _other_operator
    elif isinstance(node, ast.Return) and node.value and not _is_none(node.value):
        yield f"line {line}: returns nothing instead of `{ast.unparse(node.value)[:60]}`", _nothing
    elif isinstance(node, (ast.AugAssign, ast.Delete)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield f"line {line}: `{ast.unparse(node)[:60]}` is gone", _gone


def _turned(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _OPPOSITE[type(node.ops[0])]()
    return node


def _other_operator(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BinOp)
    node.op = _OTHER[type(node.op)]()
    return node


def _nothing(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(None)
    return node


def _gone(node: ast.AST) -> ast.AST:
    return ast.copy_location(ast.Pass(), node)


def _edited(tree: ast.Module, index: int, change: Callable[[ast.AST], ast.AST | None]) -> ast.Module:
    new = copy.deepcopy(tree)
    target = list(ast.walk(new))[index]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | None:
            return change(node) if node is target else self.generic_visit(node)

    Replace().visit(new)
    return ast.fix_missing_locations(new)


def _quiet(tree: ast.Module) -> set[int]:
    """Return the indices (as `ast.walk` counts) of all that stands in a statement that only tells, or handles a failure."""
    numbers = {id(node): index for index, node in enumerate(ast.walk(tree))}
    quiet = set()
    for node in ast.walk(tree):
        simple = isinstance(node, ast.stmt) and not hasattr(node, "body")
        guard = isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)
        if isinstance(node, ast.ExceptHandler) or (simple and _TELLS.search(ast.unparse(node))):
            quiet |= {numbers[id(inner)] for inner in ast.walk(node)}
        elif guard and isinstance(node, ast.If):
            quiet |= {numbers[id(inner)] for inner in ast.walk(node.test)}
    return quiet


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)))
        for side in (node.left, node.right)
    )


_SHELL_TURNS = (
    (re.compile(r"(?<=\s)-eq(?=\s)"), "-ne"),
    (re.compile(r"(?<=\s)-ne(?=\s)"), "-eq"),
    (re.compile(r"(?<=\s)-lt(?=\s)"), "-ge"),
    (re.compile(r"(?<=\s)-gt(?=\s)"), "-le"),
    (re.compile(r"(?<=\[ )-([efdsnz])(?=\s)"), r"! -\1"),
    (re.compile(r"(?<=\s)&&(?=\s)"), "||"),
    (re.compile(r"(?<=\s)\|\|(?=\s)"), "&&"),
)
_STRUCTURE = re.compile(
    r"^\s*(#|$|(if|then|else|elif|fi|for|while|until|do|done|case|esac|function|set|shopt|trap|export|umask|local|readonly|exit|return|usage|say|log|info|warn|note|debug)\b"
    r"|[{}()]|;;|\w+\(\)|.*(\\|\{|\($|<<\S*|;;)$|.*>&2|[^()]*\)$|.*[|&]$)"
)


def mutate_shell(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield scripts in which a command is gone or a condition turned round, and one with a comment more.

    Raises:
        ValueError: it is no text.
    """
    lines = data.decode().splitlines(keepends=True)
    edits: list[tuple[str, list[str]]] = []
    for index, line in enumerate(lines):
        bare = line.rstrip("\n")
        if not _STRUCTURE.match(bare) and not (
            index and lines[index - 1].rstrip("\n").endswith(("\\", "|", "&&", "||"))
        ):
            edits.append(
                (
                    f"line {index + 1}: `{bare.strip()[:60]}` is gone",
                    [*lines[:index], ":\n", *lines[index + 1 :]],
                )
            )
        for pattern, new in _SHELL_TURNS:
            chained = new in ("&&", "||") and len(re.findall(r"&&|\|\|", bare)) > 1
            if not line.lstrip().startswith("#") and not chained and pattern.search(bare):
                turned = pattern.sub(new, bare, count=1) + "\n"
                what = f"line {index + 1}: `{bare.strip()[:40]}` is turned round"
                edits.append((what, [*lines[:index], turned, *lines[index + 1 :]]))
    for what, changed in rng.sample(edits, min(len(edits), _MOST)):
        yield Change("program", what, "".join(changed).encode())
    end = data if data.endswith(b"\n") else data + b"\n"
    yield Change("same", "a comment at the end", end + b"# the end\n")
