"""Scripted policies: what they choose is fixed beforehand, and what they play is what the script says."""

from __future__ import annotations

import pytest
from policies.__main__ import falling
from policies.playing import Playing
from policies.policy import POLICIES, chosen
from policies.runner import BOUNDS
from unit.publish import made

from skill2env.models.blueprint import Limits
from skill2env.models.task import Task
from skill2env.models.tree import Tree
from skill2env.models.trial import Status, Verdict
from skill2env.sandbox.fake import FakeEngine
from skill2env.trial.agent import Shelled, Told
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Place, Thinks, run_trial
from skill2env.trial.telling import opening

WORLD = made.World()
WEAK, MIDDLING, STRONG = POLICIES


def task(level: str, seed: int) -> Task:
    return made.task("alpha", "easy", seed, WORLD).model_copy(update={"level": level})


def right(policy: object, level: str) -> set[tuple[int, int]]:
    """Return seed and attempt of all that a policy does right."""
    found = set()
    for seed in range(100):
        for attempt in range(1, 5):
            script = chosen(policy, task(level, seed), attempt)  # type: ignore[arg-type]
            if script is not None and script.role != "mistake":
                found.add((seed, attempt))
    return found


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_what_is_right_at_a_harder_level_is_right_at_an_easier_one(policy: object) -> None:
    easy, medium, hard = (right(policy, level) for level in ("easy", "medium", "hard"))
    assert hard <= medium <= easy
    assert len(easy) / 400 == pytest.approx(policy.right["easy"], abs=0.07)  # type: ignore[attr-defined]


def test_the_strong_do_right_whatever_the_weak_do() -> None:
    assert right(WEAK, "medium") < right(MIDDLING, "medium") < right(STRONG, "medium")


def test_only_mistakes_of_the_level_are_played_and_without_any_nothing_is() -> None:
    roles = {(s and s.role) for seed in range(60) if (s := chosen(WEAK, task("easy", seed), 1)) or True}
    assert roles == {"reference", "alternative", "mistake"}
    assert None in {chosen(WEAK, task("medium", seed), 1) for seed in range(60)}


class Judging:
    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        return Verdict(status=Status.PASS, reward=1, partial_reward=1), 0.0


def test_a_script_is_played_step_by_step_through_the_agent_loop() -> None:
    script = made.scripts()[0]
    told = Told(WEAK.model, "bare", 1, opening("Do it.", "bare", None), scripted=True)
    thinks = Thinks(lambda: Shelled(Playing(WEAK.model, script), told, BOUNDS), "x", BOUNDS.container_sec)
    limits = Limits(agent_sec=9, verifier_sec=5, memory_mb=64, cpus=1)
    place = Place("t", "id", "image", ("/workspace/a",), limits, record_changes=False)
    trial = run_trial(
        FakeEngine(), place, Judging(), Attempt(WEAK.model, "model", (), PLAIN, thinks=thinks)
    ).trial
    assert [(step.why, step.command) for step in trial.steps] == [(s.why, s.command) for s in script.steps]
    assert trial.model is not None
    assert (trial.model.scripted, trial.model.finish, trial.model.model) == (True, "done", "scripted-weak")


def test_a_policy_that_passes_more_at_a_harder_level_is_told() -> None:
    def row(model: str, level: str, mean: float) -> dict[str, object]:
        return {"model": model, "level": level, "pass_at": {"1": {"mean": mean}}}

    rows = [
        row(policy.model, level, mean)
        for policy in POLICIES
        for level, mean in (("easy", 0.5), ("hard", 0.5))
    ]
    assert set(falling({"passes": rows}).values()) == {True}
    rows.append(row(WEAK.model, "medium", 0.6))
    assert falling({"passes": rows})[WEAK.model] is False
