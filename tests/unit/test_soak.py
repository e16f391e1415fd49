"""Judging again and again: what counts as a flake, and what only says the same in other words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from skill2env import soak as module
from skill2env.models.tree import Node, Tree
from skill2env.models.trial import Perturbation, Status, Verdict

PASS = Verdict(status=Status.PASS, reward=1, partial_reward=1)
FAIL = Verdict(status=Status.FAIL, reward=0, partial_reward=0.5)
REWORDED = FAIL.model_copy(update={"reason": "other words"})
LOST = Verdict(status=Status.NO_VERDICT, reward=0, partial_reward=0)
BEFORE = {"reference": PASS, "nop": FAIL, "careless": FAIL}


def soaked(again: dict[str, Verdict], monkeypatch: pytest.MonkeyPatch, times: int = 3) -> module.Soaked:
    """Soak a task whose outputs are judged as `again` says, by what made them."""

    class Judge:
        def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
            return {**BEFORE, **again}[next(iter(outputs))], 0.0

    class Trials:
        surroundings: list[str] = []

        @contextmanager
        def judging(self, around: Perturbation) -> Iterator[Judge]:
            self.surroundings.append(around.name)
            yield Judge()

        def outputs(self, name: str) -> Tree:
            return {name: Node("file")}

        def nop(self) -> Any:
            return SimpleNamespace(agent="nop", outputs_sha256="nop", verdict=FAIL)

        def script(self, script: Any, around: Perturbation | None = None) -> Any:
            return SimpleNamespace(agent=script, outputs_sha256=script.name, verdict=BEFORE[script.name])

    trials = Trials()
    trials.surroundings = []

    @contextmanager
    def trials_of(*_: object) -> Iterator[Trials]:
        yield trials

    monkeypatch.setattr(module, "trials_of", trials_of)
    monkeypatch.setattr(module, "TaskImages", lambda *_: None)
    scripts = [
        SimpleNamespace(name="reference", fails_at=()),
        SimpleNamespace(name="careless", fails_at=("easy",)),
    ]
    blueprint = SimpleNamespace(reference=scripts[0], scripts=scripts)
    task: Any = SimpleNamespace(task_id="t", level="easy", blueprint=blueprint)
    context: Any = SimpleNamespace(engine=None, store=None)
    done = module._soak(task, b"", context, times)
    assert trials.surroundings == ["plain", "elsewhere", "later"][:times]
    return done


def test_what_is_judged_as_before_is_no_flake(monkeypatch: pytest.MonkeyPatch) -> None:
    done = soaked({}, monkeypatch)
    assert (done.runs, done.flakes, done.unsteady) == (9, [], 0)


@pytest.mark.parametrize(("who", "verdict"), [("reference", FAIL), ("careless", PASS), ("nop", LOST)])
def test_another_reward_or_status_is_a_flake(
    who: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = soaked({who: verdict}, monkeypatch)
    assert (done.runs, len(done.flakes)) == (9, 3)


def test_the_same_in_other_words_is_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    done = soaked({"careless": REWORDED}, monkeypatch)
    assert (done.flakes, done.unsteady) == ([], 3)
