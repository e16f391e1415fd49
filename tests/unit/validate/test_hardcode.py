"""The other seed's answers are judged in this task's surroundings: a guard of inputs must not be all that tells seeds apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skill2env.models.tree import Tree, text_file
from skill2env.models.trial import Status, Verdict
from skill2env.stages.validate.gates import hardcode_fails

FEED, REPORT = "workspace/feed/1.csv", "workspace/report.json"
MINE: Tree = {FEED: text_file("mine"), REPORT: text_file("7")}
THEIRS: Tree = {
    FEED: text_file("theirs"),
    "workspace/feed/2.csv": text_file("theirs"),
    REPORT: text_file("8"),
}


def checked(world: Tree, asks_for_report: bool) -> Any:
    """Return what the gate says of tests that guard the feed, and may look into the report."""

    def judged(outputs: Tree, fail_fast: bool) -> Verdict:
        guarded = {path: node for path, node in outputs.items() if "/feed/" in path} == {FEED: MINE[FEED]}
        right = guarded and (not asks_for_report or outputs[REPORT] == MINE[REPORT])
        return Verdict(
            status=Status.PASS if right else Status.FAIL, reward=float(right), partial_reward=float(right)
        )

    spec = SimpleNamespace(seed_independent=False, outputs=("/workspace/feed", f"/{REPORT}"))
    other = SimpleNamespace(task=SimpleNamespace(truth={"total": 8}, seed=2), outputs=THEIRS)
    subject = SimpleNamespace(
        blueprint=SimpleNamespace(spec=spec),
        task=SimpleNamespace(truth={"total": 7}),
        other=other,
        right=MINE,
        world=world,
        trials=SimpleNamespace(judged=judged),
    )
    return hardcode_fails.check(subject)  # type: ignore[arg-type]


def test_a_guard_of_untouched_inputs_does_not_hide_that_nobody_looks_at_the_answer() -> None:
    result = checked({FEED: MINE[FEED]}, asks_for_report=False)
    assert not result.passed
    assert "earn 1 here too" in result.message


def test_who_looks_at_the_answer_is_believed() -> None:
    assert checked({FEED: MINE[FEED]}, asks_for_report=True).passed


@pytest.mark.parametrize("world", [{}, {FEED: text_file("before")}])
def test_what_the_work_makes_or_changes_comes_from_the_other_seed(world: Tree) -> None:
    assert checked(world, asks_for_report=False).passed
