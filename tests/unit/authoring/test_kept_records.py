"""The records in the repository fit what the model author asks today; no container is needed to see that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from authoring import kept
from llm.clients import MODEL

from skill2env.authoring import knowledge
from skill2env.authoring.author import ModelAuthor
from skill2env.errors import MissingRecord
from skill2env.models.outcome import Accepted
from skill2env.params import Params
from skill2env.stages import parse
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace


class _Containers(Exception):
    """The session has come to where something is executed."""


class _NoEngine(Context):
    def engine(self) -> NoReturn:
        raise _Containers

    def client(self) -> NoReturn:
        raise _Containers


def _replay(root: Path, records: Path) -> None:
    """Replay the plan and the session up to its first container."""
    llm = {"records": [str(records)], "replay_only": True}
    params = Params.model_validate(kept.PARAMS | {"llm": llm})
    store = ResultStore(root / "results.sqlite")
    try:
        with _NoEngine(Workspace(root), params, store) as context:
            author = ModelAuthor(context)
            (source,) = (each for each in parse.discover(kept.CORPUS) if each.skill_id == kept.SESSION.skill)
            read = parse.apply(parse.item_of(kept.CORPUS, source), context)
            assert isinstance(read.outcome, Accepted)
            (item,) = author.items([read.outcome.record], root / "skills_corpus")
            author.apply(item, context)
    finally:
        store.close()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    kept.lay_out(tmp_path)
    return tmp_path


def test_the_kept_records_are_those_of_what_is_asked_today(corpus: Path) -> None:
    missing = ""
    try:
        with pytest.raises(_Containers):
            _replay(corpus, kept.FILE)
    except MissingRecord as error:
        missing = str(error)
    if missing:
        pytest.fail(f"{kept.STALE}: {missing}", pytrace=False)


@pytest.mark.parametrize("text", ["guide", "format_text", "toolchains"])
def test_one_changed_word_of_what_is_told_makes_them_stale(
    text: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: Callable[[], str] = getattr(knowledge, text)
    changed = told() + "One word more."
    monkeypatch.setattr(knowledge, text, lambda: changed)
    with pytest.raises(MissingRecord, match=MODEL):
        _replay(corpus, kept.FILE)


def test_they_are_small_and_free_of_keys() -> None:
    assert kept.FILE.stat().st_size < 100_000
