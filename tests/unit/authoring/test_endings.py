"""Authors that never get there, through the real draft stage and over HTTP: each ends with its reason and its cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from authoring.drafting import drafted
from authoring.refused import Authors, Refused, endless
from llm.clients import MODEL, Scripted, scripted

from skill2env.errors import BudgetSpent
from skill2env.models.chat import LedgerRow
from skill2env.models.outcome import Errored, Rejected

PRICES = {MODEL: {"input": 10, "output": 0}}
BOUNDS = {"model": MODEL, "turns": 8, "tokens": 10_000}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("poetry", "weapons", "one", "two"):
        folder = tmp_path / "corpus" / "skills" / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: How to do {name}.\n---\n\n# {name}\n\nDo it well.\n"
        (folder / "SKILL.md").write_text(text)
    return tmp_path / "corpus"


def run(
    made: Scripted, corpus: Path, *wanted: str, **changed: Any
) -> tuple[dict[str, Rejected | Errored], tuple[LedgerRow, ...]]:
    llm = made.client.params.model_copy(update=changed)
    params = {"draft": {"authors": ["model"], "author": BOUNDS}, "llm": llm}
    found, ledger = drafted(made.store, params, corpus.parent, corpus, wanted)
    kinds = {"errored": Errored, "rejected": Rejected}
    return {name: kinds[one.kind].model_validate_json(one.outcome) for name, one in found.items()}, ledger


def cost(rejected: Rejected | Errored) -> dict[str, Any]:
    assert isinstance(rejected, Rejected)
    found: dict[str, Any] = json.loads(rejected.evidence.splitlines()[0])
    return found


@pytest.mark.parametrize(
    ("skill", "reason", "why"),
    [
        ("poetry", "taste", "Lines 8-8: whether it was done well is an opinion."),
        ("weapons", "harmful", "Lines 8-8: it would have people hurt."),
    ],
)
def test_what_cannot_be_practised_is_refused_by_the_plan(
    corpus: Path, tmp_path: Path, skill: str, reason: str, why: str
) -> None:
    authors = Authors({skill: Refused(none=reason, why=why)})
    with scripted(authors, tmp_path, prices=PRICES) as made:
        (item,) = run(made, corpus, skill)[0].items()
        assert item[0] == f"{skill}--(none)"
        assert isinstance(item[1], Rejected)
        assert (item[1].rule, item[1].message) == ("nothing_to_practise", f"{reason}: {why}")
        assert cost(item[1]) == {"input_tokens": 100, "output_tokens": 10, "money": pytest.approx(0.001)}
        assert made.server.count == 1
        run(made, corpus, skill)
        assert made.server.count == 1


@pytest.mark.parametrize(
    ("tokens", "reason", "turns"),
    [
        (100, "the session's 8 turns are spent", 8),
        (4000, "the session's 10000 tokens are spent: 12030 were used", 3),
    ],
)
def test_an_author_that_goes_round_in_circles_is_ended(
    corpus: Path, tmp_path: Path, tokens: int, reason: str, turns: int
) -> None:
    authors = Authors({"one": endless(tokens)})
    with scripted(authors, tmp_path, prices=PRICES) as made:
        found, ledger = run(made, corpus, "one")
        rejected = found["one--work-on-one"]
        assert isinstance(rejected, Rejected)
        assert (rejected.rule, rejected.message) == ("given_up", reason)
        spent = cost(rejected)
        assert (spent["model"], spent["turns"], spent["rounds"]) == (MODEL, turns, 0)
        assert spent["input_tokens"] == turns * tokens + 100
        assert spent["money"] == pytest.approx((turns * tokens + 100) * 10 / 1e6)
        assert rejected.evidence.endswith("last submission: none")
        assert {row.purpose: row.spent.completions for row in ledger} == {"plan": 1, "write": turns}
        assert made.server.count == 1 + turns
        run(made, corpus, "one")
        assert made.server.count == 1 + turns


def test_money_that_is_spent_ends_the_run_and_refuses_nobody(corpus: Path, tmp_path: Path) -> None:
    with scripted(Authors({"one": endless()}), tmp_path, endpoint={"concurrency": 1}, prices=PRICES) as made:
        budget = made.client.params.budget.model_copy(update={"money": 0.0045})
        with pytest.raises(BudgetSpent, match=r"llm\.budget\.money: 0\.005 of 0\.0045 US dollars are spent"):
            run(made, corpus, "one", budget=budget)
        assert made.server.count == 5
        found, ledger = run(made, corpus, "one")
        assert isinstance(found["one--work-on-one"], Rejected)
        assert made.server.count == 9, "what was answered is not asked again"
        counted = {(row.purpose, row.outcome): row.spent.completions for row in ledger}
        assert counted == {("plan", "replayed"): 1, ("write", "replayed"): 4, ("write", "answered"): 4}


def test_an_outage_while_one_blueprint_is_written_is_no_rejection(corpus: Path, tmp_path: Path) -> None:
    authors = Authors({"one": endless(), "two": endless()}, down=("one",))
    with scripted(authors, tmp_path, prices=PRICES) as made:
        found, _ = run(made, corpus, "one", "two")
        errored = found["one--work-on-one"]
        assert isinstance(errored, Errored)
        assert "the endpoint failed (HTTP 500)" in errored.message
        assert isinstance(found["two--work-on-two"], Rejected)
        authors.down, asked = (), made.server.count
        found, _ = run(made, corpus, "one", "two")
        assert all(isinstance(one, Rejected) for one in found.values())
        assert made.server.count == asked + 8
