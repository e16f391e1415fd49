"""Mutants of git repositories: their references; what a repository holds is otherwise too entangled to be changed by one byte."""

from __future__ import annotations

import random
from collections.abc import Iterator

from skill2env.models.tree import Tree
from skill2env.mutation.mutant import Change, Mutant


def repositories(outputs: Tree) -> tuple[tuple[str, str], ...]:
    """Return the folder of each repository, and the folder in which its files lie (the same where it has no work tree)."""
    heads = [path.removesuffix("HEAD") for path in outputs if path.rpartition("/")[2] == "HEAD"]
    roots = [root for root in heads if any(path.startswith(f"{root}objects/") for path in outputs)]
    return tuple((root, root.removesuffix(".git/") if root.endswith("/.git/") else root) for root in roots)


def mutate_repository(outputs: Tree, root: str, rng: random.Random) -> Iterator[Mutant]:
    """Yield repositories in which a branch or tag is gone, or points to where another one does."""
    references = sorted(
        path for path, node in outputs.items() if path.startswith(f"{root}refs/") and node.kind == "file"
    )
    for path in rng.sample(references, min(len(references), 3)):
        yield Mutant(path, Change("drop", "the reference is gone", None))
        others = sorted({outputs[other].data for other in references} - {outputs[path].data})
        if others:
            yield Mutant(path, Change("perturb", "it points to where another one does", rng.choice(others)))
