"""A corpus of one skill with one good blueprint, and what becomes of both."""

from __future__ import annotations

import shutil
from pathlib import Path

from skill2env.checking import Checked, Target, check
from skill2env.params import Params
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

BASE = Path(__file__).resolve().parents[2] / "cases" / "blueprints" / "base"
SKILL = "till-receipts"


def corpus_in(root: Path) -> Path:
    """Make the corpus in a workspace's folder, and return it."""
    corpus = root / "skills_corpus"
    shutil.copytree(BASE / "skill", corpus / "skills" / SKILL)
    shutil.copytree(BASE / "blueprint", corpus / "blueprints" / SKILL / "takings")
    return corpus


def checked(corpus: Path, target: Target | None = None, execute: bool = False) -> list[Checked]:
    """Return what becomes of a skill and of its blueprints; no task is made where nothing is to be executed."""
    store = ResultStore(corpus.parent / "results.sqlite")
    with Context(Workspace(corpus.parent), Params(), store) as context:
        return list(check([target or Target(corpus, SKILL)], context, execute=execute))
