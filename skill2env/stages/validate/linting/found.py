"""What the rules are given, and what they find."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from skill2env.stages.validate.testcode import FILE, Flow, Origins, TestCode, read_code


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that tests must not do."""

    line: int
    message: str
    """What is wrong and what to use instead."""

    def __str__(self) -> str:
        """Return the fault with its file and line."""
        return f"{FILE}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Source:
    """A test module with what is known about its names and values."""

    code: TestCode
    flow: Flow
    origins: Origins

    def calls(self) -> Iterator[ast.Call]:
        """Yield every call."""
        return (node for node in ast.walk(self.code.tree) if isinstance(node, ast.Call))

    def loads(self) -> Iterator[ast.AST]:
        """Yield every node that is executed while the module is loaded: all but the bodies of functions."""
        todo: list[ast.AST] = [self.code.tree]
        while todo:
            node = todo.pop()
            yield node
            match node:
                case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
                    todo += [*node.decorator_list, *args.defaults, *(d for d in args.kw_defaults if d)]
                case ast.Lambda():
                    pass
                case _:
                    todo += ast.iter_child_nodes(node)


def source_of(text: str) -> Source:
    """Return what is known about a test module; raises as `read_code` does."""
    code = read_code(text)
    flow = Flow(code)
    return Source(code, flow, flow.origins)
