"""The package has no names that nothing uses: whoever looks for the place of a change reads none for nothing."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "skill2env"
TREES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
FOR_TESTS = {"FakeEngine"}
FOR_WORLDS = {"knob", "symlink"}
"""What a blueprint's `world.py` calls (docs/blueprint.md)."""


def _uses() -> Counter[str]:
    """Return how often each name is read, as a name or as an attribute; an import alone is no use."""
    return Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    )


def _names(tree: ast.Module) -> list[str]:
    """Return the names that a module defines; what a decorator hands on has its use there."""
    names = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names += [] if node.decorator_list else [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if not name.startswith(("__", "pytest_"))]


def test_every_name_of_a_module_is_used() -> None:
    uses = _uses()
    unused = {name for tree in TREES.values() for name in _names(tree) if not uses[name]}
    assert unused - FOR_TESTS == set()


def _parameters(function: ast.FunctionDef) -> list[str]:
    """Return the parameters that a function never reads."""
    read = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    given = (*function.args.args, *function.args.kwonlyargs)
    return [one.arg for one in given if one.arg not in read and one.arg not in ("self", "cls")]


def test_every_method_is_used() -> None:
    """As an attribute, or by its name in a text, as the tools of a model are."""
    texts = {
        node.value
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    methods = {
        node.name
        for tree in TREES.values()
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith(("__", "pytest_"))
        if not {"field_validator", "model_validator"} & set(map(_called, node.decorator_list))
    }
    assert methods - _uses().keys() - texts - FOR_WORLDS == set()


def _called(decorator: ast.expr) -> str:
    return (
        decorator.func.id if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) else ""
    )


def test_every_parameter_of_a_private_function_is_used() -> None:
    """What others call may have to take more than it needs; parse is measured as it stands."""
    unused = [
        f"{path.relative_to(PACKAGE)}: {node.name}({name})"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__")
        for name in _parameters(node)
        if path.parent.name != "parse"
    ]
    assert unused == []
