"""Plans are made several at a time, and what goes wrong with one skill is that skill's outcome and nobody else's."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from authoring.drafting import drafted
from llm.clients import MODEL, Scripted, scripted
from llm.server import Answer, Cut, Reply, Request, Reset, Status

from skill2env.errors import BudgetSpent, EndpointUnusable
from skill2env.models.outcome import Errored, Rejected

NONE = json.dumps({"workflows": [], "none_reason": "taste", "explanation": "Only an opinion could grade it."})
_NAME = re.compile(r"^ +\d+ name: *(\S+)$", re.MULTILINE)


class Planning:
    """A server that plans nothing, and does as it is told for one of the skills."""

    def __init__(self, oddly: Answer | None = None) -> None:
        self.oddly = oddly
        self.open = self.most = 0
        self.together: threading.Barrier | None = None
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        with self._lock:
            self.open += 1
            self.most = max(self.most, self.open)
        try:
            if self.together:
                self.together.wait(5)
            named = _NAME.search(request.messages[1].text)
            assert named
            return self.oddly if self.oddly and named[1] == "skill-2" else Reply(NONE)
        finally:
            with self._lock:
                self.open -= 1


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for number in range(6):
        folder = tmp_path / "corpus" / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        text = f"---\nname: skill-{number}\ndescription: Writes poems about {number}.\n---\n\n# Poems\n\nWrite one.\n"
        (folder / "SKILL.md").write_text(text)
    return tmp_path / "corpus"


def run(made: Scripted, corpus: Path, **llm: object) -> dict[str, Rejected | Errored]:
    params = {
        "draft": {"authors": ["model"], "author": {"model": MODEL}},
        "llm": made.client.params.model_copy(update=llm),
    }
    found, _ = drafted(made.store, params, corpus.parent, corpus)
    kinds = {"errored": Errored, "rejected": Rejected}
    return {name: kinds[one.kind].model_validate_json(one.outcome) for name, one in found.items()}


@pytest.mark.parametrize(
    ("oddly", "told"),
    [
        (Status(500), "the endpoint failed (HTTP 500)"),
        (Status(400), "the endpoint refuses the request (HTTP 400)"),
        (Status(429), "the endpoint limits the rate"),
        (Reset(), "3 tries"),
        (Cut(), "3 tries"),
    ],
)
def test_an_endpoint_that_fails_at_one_skill_costs_the_others_nothing(
    corpus: Path, tmp_path: Path, oddly: Answer, told: str
) -> None:
    planning = Planning(oddly)
    with scripted(planning, tmp_path, endpoint={"concurrency": 2}) as made:
        found = run(made, corpus)
        assert list(found) == [f"skill-{n}--({'unplanned' if n == 2 else 'none'})" for n in range(6)]
        errored = found.pop("skill-2--(unplanned)")
        assert isinstance(errored, Errored)
        assert told in errored.message
        assert all(isinstance(one, Rejected) and one.rule == "nothing_to_practise" for one in found.values())
        asked, planning.oddly = made.server.count, None
        again = run(made, corpus)
        assert isinstance(again["skill-2--(none)"], Rejected)
        assert made.server.count == asked + 1


def test_plans_are_made_together_within_the_limit_of_the_endpoint(corpus: Path, tmp_path: Path) -> None:
    planning = Planning()
    planning.together = threading.Barrier(3)
    with scripted(planning, tmp_path, endpoint={"concurrency": 3}) as made:
        assert len(run(made, corpus)) == 6
        assert (planning.most, made.server.count) == (3, 6)


def test_a_model_that_gives_no_plan_refuses_the_skill_with_its_reason_and_cost(
    corpus: Path, tmp_path: Path
) -> None:
    for oddly, told, completions in (
        (Reply('{"workflows": []}'), "the model gives no valid Plan in 3 answers", 3),
        (Reply("I won't.", finish="refused"), "declines: I won't", 1),
    ):
        folder = tmp_path / str(completions)
        folder.mkdir()
        with scripted(Planning(oddly), folder) as made:
            found = run(made, corpus)
            refused = found["skill-2--(unplanned)"]
            assert isinstance(refused, Rejected)
            assert (refused.rule, told in refused.message) == ("no_plan", True)
            assert json.loads(refused.evidence)["input_tokens"] == 100 * completions
            asked = made.server.count
            assert run(made, corpus) == found
            assert made.server.count == asked


def test_a_key_that_is_refused_ends_the_run(corpus: Path, tmp_path: Path) -> None:
    with (
        scripted(Planning(Status(401)), tmp_path) as made,
        pytest.raises(EndpointUnusable, match="refuses the key"),
    ):
        run(made, corpus)


def test_a_budget_that_is_spent_ends_the_run_and_loses_nothing(corpus: Path, tmp_path: Path) -> None:
    with scripted(Planning(), tmp_path, endpoint={"concurrency": 1}) as made:
        spare = made.client.params.budget.model_copy(update={"tokens": 300})
        with pytest.raises(BudgetSpent):
            run(made, corpus, budget=spare)
        asked = made.server.count
        assert asked == 3
        assert len(run(made, corpus)) == 6
        assert made.server.count == 6
