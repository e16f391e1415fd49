"""Many skills are read by processes, with the same answers in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.params import Params
from skill2env.pipeline import answers
from skill2env.stages import parse
from skill2env.stages.context import Context
from skill2env.stages.parse import work
from skill2env.stages.parse.many import in_order, reading_pool
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace


def outcomes(root: Path, corpus: Path) -> list[tuple[str, str, str]]:
    workspace = Workspace(root)
    with Context(workspace, Params(corpus=str(corpus)), ResultStore(workspace.results)) as context:
        found = [
            (item.item_id, answer.kind, answer.outcome)
            for item, answer in answers(parse, parse.items(context), context)
        ]
        assert (context.processes is not None) == (work.MIN_ITEMS == 2)
    return found


def test_processes_give_the_same_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        folder = tmp_path / "corpus" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Use for: logs.\n---\nLook.\n")
    (tmp_path / "corpus" / "skills" / "none").mkdir()
    alone = outcomes(tmp_path / "alone", tmp_path / "corpus")
    monkeypatch.setattr(work, "MIN_ITEMS", 2)
    shared = outcomes(tmp_path / "shared", tmp_path / "corpus")
    assert shared == alone
    assert [(name, kind) for name, kind, _ in alone] == [
        ("none", "rejected"),
        ("one", "accepted"),
        ("three", "accepted"),
        ("two", "accepted"),
    ]


def test_answers_come_in_order_whatever_is_left_of_a_batch() -> None:
    with reading_pool(2) as pool:
        assert list(in_order(abs, range(-19, 0), pool, 2)) == list(range(19, 0, -1))
        assert list(in_order(abs, (), pool, 2)) == []
