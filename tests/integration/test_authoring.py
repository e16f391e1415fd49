"""Whole authoring sessions from scripts, over HTTP and through the real gates."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from authoring.drafting import drafted
from authoring.script import CORPUS, script, sessions
from llm.clients import MODEL, Scripted, scripted
from llm.server import ENVIRON

from skill2env.llm.keys import Keys
from skill2env.llm.recorder import kept
from skill2env.llm.records import write_lines
from skill2env.models.blueprint import Blueprint
from skill2env.params import LlmParams
from skill2env.pipeline import Answer, accepted_record
from skill2env.store.results import ResultStore

pytestmark = pytest.mark.docker

OURS = {name: session for name, session in sessions().items() if not session.wild}
SKILLS = tuple(session.skill for session in OURS.values())
PARAMS = {
    "draft": {"authors": ["model"], "author": {"model": MODEL}},
    "build": {"levels": ["medium"], "max_seeds": 1},
    "validate": {"attacks_per_task": 0, "max_mutants": 12, "oracle_runs": 2},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authoring")


@pytest.fixture(scope="module")
def made(folder: Path) -> Iterator[Scripted]:
    with scripted(script, folder, endpoint={"idle_sec": 30, "total_sec": 60}) as made:
        yield made


def written_for(
    store: ResultStore, llm: LlmParams, folder: Path, wanted: tuple[str, ...] = SKILLS, corpus: Path = CORPUS
) -> dict[str, Answer]:
    """Return what the draft stage says of everything that the author is to write for skills."""
    return drafted(store, PARAMS | {"llm": llm}, folder, corpus, wanted)[0]


@pytest.fixture(scope="module")
def written(made: Scripted, folder: Path) -> dict[str, Blueprint]:
    found, ledger = drafted(made.store, PARAMS | {"llm": made.client.params}, folder, CORPUS, SKILLS)
    assert {row.purpose for row in ledger} == {"plan", "write", "blind", "blind-judge"}
    assert [(name, answer.outcome) for name, answer in found.items() if answer.kind != "accepted"] == []
    return {name.split("--")[1]: accepted_record("draft", answer.outcome) for name, answer in found.items()}


def test_every_session_ends_in_a_blueprint_that_all_gates_accept(written: dict[str, Blueprint]) -> None:
    assert set(written) == set(OURS)
    for name, blueprint in written.items():
        _as_scripted(name, blueprint)


def _as_scripted(name: str, blueprint: Blueprint) -> None:
    assert blueprint.made
    assert (blueprint.spec.author.kind, blueprint.spec.author.name) == ("model", MODEL)
    faults = [fault for fault in sessions()[name].faults if not fault.early]
    assert blueprint.made.rounds == 1 + len(faults)
    assert len(blueprint.made.reopened) == sum(bool(fault.error) for fault in faults)
    unseen = [fault for fault in faults if fault.gate == "blind_check"]
    looks = [fault.ruling and fault.ruling["verdict"] for fault in unseen] + ["passed"]
    assert [look.verdict for look in blueprint.made.blind] == looks
    solved = 3 * len(looks) + len(unseen)
    assert blueprint.made.input_tokens == 100 * (blueprint.made.turns + 1 + solved)


def test_a_second_run_asks_nothing(written: dict[str, Blueprint], made: Scripted, folder: Path) -> None:
    asked = made.server.count
    assert asked > 3 * len(written)
    again = written_for(made.store, made.client.params, folder)
    assert made.server.count == asked
    assert not any(answer.fresh for answer in again.values())


def test_the_records_alone_give_the_same_blueprints(
    written: dict[str, Blueprint], made: Scripted, folder: Path, tmp_path: Path
) -> None:
    """Offline, and elsewhere: everything but what the gates have executed is done again, for one of them."""
    records = tmp_path / "records.jsonl"
    count, held = write_lines(records, kept(made.store), Keys(made.client.params, ENVIRON))
    assert (count > 3 * len(written), held) == (True, [])
    shutil.copy(folder / "results.sqlite", tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("DELETE FROM results WHERE kind IN ('draft', 'completion')")
    store = ResultStore(tmp_path / "results.sqlite")
    asked = made.server.count
    try:
        again = written_for(store, LlmParams(records=(str(records),), replay_only=True), tmp_path, SKILLS[:1])
    finally:
        store.close()
    assert all(answer.fresh for answer in again.values())
    found = {name.split("--")[1]: accepted_record("draft", answer.outcome) for name, answer in again.items()}
    assert len(found) == 1
    assert found.items() <= written.items()
    assert made.server.count == asked


def test_a_wild_skill_gets_a_blueprint_that_all_gates_accept(
    made: Scripted, shared: Path, tmp_path: Path
) -> None:
    (name, session), *others = ((name, session) for name, session in sessions().items() if session.wild)
    assert not others
    assert session.wild
    with gzip.open(shared / "wild" / "skills.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = (json.loads(line) for line in file)
        text = next(
            row["skill_md"]
            for row in rows
            if (row["repo"], row["path"]) == (session.wild.repo, session.wild.path)
        )
    folder = tmp_path / "skills" / session.skill
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, "utf-8")
    found = written_for(made.store, made.client.params, tmp_path, (session.skill,), tmp_path)
    assert [answer.outcome for answer in found.values() if answer.kind != "accepted"] == []
    (answer,) = found.values()
    _as_scripted(name, accepted_record("draft", answer.outcome))
