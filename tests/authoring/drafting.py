"""The real draft stage with the model author, over a corpus that a test has made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from llm.server import KEY, VARIABLE

from skill2env.authoring.author import ModelAuthor
from skill2env.models.chat import LedgerRow
from skill2env.models.outcome import Accepted
from skill2env.params import Params
from skill2env.pipeline import STAGES, Answer, answers
from skill2env.stages import draft, parse
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace


def drafted(
    store: ResultStore, params: dict[str, Any], folder: Path, corpus: Path, wanted: tuple[str, ...] = ()
) -> tuple[dict[str, Answer], tuple[LedgerRow, ...]]:
    """Return what the stage says of everything that the author is to write, and what models were asked for it.

    Args:
        store: where results and completions are.
        params: sections of the parameters.
        folder: the workspace.
        corpus: where skills/ and blueprints/ are.
        wanted: the skills; none means all.
    """
    made = Params.model_validate({**params, "corpus": str(corpus)})
    with pytest.MonkeyPatch.context() as patch, Context(Workspace(folder), made, store) as context:
        patch.setenv(VARIABLE, KEY)
        context.author = ModelAuthor(context)
        sources = [s for s in parse.discover(corpus) if not wanted or s.skill_id in wanted]
        read = [parse.apply(parse.item_of(corpus, source), context) for source in sources]
        skills = [done.outcome.record for done in read if isinstance(done.outcome, Accepted)]
        items = context.author.items(skills, corpus)
        found = {item.item_id: answer for item, answer in answers(STAGES[draft.NAME], items, context)}
        return found, context.spent()
