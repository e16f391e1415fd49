"""Records of a scripted session, kept in the repository so that anybody can replay it: `make records` makes them anew.

A request holds all that its answer may depend on, so the records are out of date as soon as one word changes of what the author
is told: the prompts, the guide, docs/blueprint.md, the table of toolchains, the tools, the skill, or a gate's evidence.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from llm.clients import MODEL
from llm.server import ENVIRON, Server

from authoring.script import CORPUS, script, sessions
from skill2env.authoring.author import ModelAuthor
from skill2env.llm.keys import Keys
from skill2env.llm.recorder import kept
from skill2env.llm.records import write_lines
from skill2env.params import Params
from skill2env.pipeline import run_stage
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

SESSION = sessions()["prices-by-script"]
AUTHORED = "dependency-pinning/policy-lock"
FILE = Path(__file__).parent / "records" / f"{SESSION.name}.jsonl.xz"
STALE = "the records in tests/authoring/records are out of date; run make records"
PARAMS: dict[str, Any] = {
    "corpus": "skills_corpus",
    "draft": {"authors": ["authored", "model"], "author": {"model": MODEL}},
    "build": {"levels": ["medium"], "max_seeds": 1},
    "validate": {"attacks_per_task": 0, "max_mutants": 6, "oracle_runs": 2},
}
"""What the records are made with; other levels or gates would show the author something else."""


def lay_out(root: Path) -> None:
    """Make a corpus of two skills: one with a blueprint, and one that the author is to write for."""
    corpus, authored = root / "skills_corpus", AUTHORED.split("/", maxsplit=1)[0]
    for skill in (authored, SESSION.skill):
        shutil.copytree(CORPUS / "skills" / skill, corpus / "skills" / skill)
        (corpus / "provenance").mkdir(exist_ok=True)
        shutil.copy(CORPUS / "provenance" / f"{skill}.yaml", corpus / "provenance")
    shutil.copytree(
        CORPUS / "blueprints" / AUTHORED,
        corpus / "blueprints" / AUTHORED,
        ignore=shutil.ignore_patterns("__pycache__"),
    )


def make(root: Path) -> int:
    """Hold the session over HTTP in a workspace, keep its records in `FILE`, and return how many there are."""
    lay_out(root)
    with Server(script) as server, patch.dict(os.environ, ENVIRON):
        endpoint = server.params("openai", idle_sec=30, total_sec=60)
        params = Params.model_validate(PARAMS | {"llm": {"endpoints": {"scripted": endpoint}}})
        store = ResultStore(root / "results.sqlite")
        try:
            with Context(Workspace(root), params, store) as context:
                context.author = ModelAuthor(context)
                run_stage("parse", context)
                drafted = run_stage("draft", context)
            if drafted.accepted != 2:
                raise SystemExit(f"the session ends in no blueprint: {drafted}")
            FILE.parent.mkdir(exist_ok=True)
            count, _ = write_lines(FILE, kept(store), Keys(params.llm, ENVIRON))
        finally:
            store.close()
    return count


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = make(Path(folder))
    print(f"{made} records of {SESSION.name}, {FILE.stat().st_size} bytes")
