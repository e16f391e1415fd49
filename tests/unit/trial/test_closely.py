"""A trial that is watched closely: outputs after each step, steps without a trace, and what was used."""

from __future__ import annotations

import pytest

from skill2env.models.blueprint import Limits, Step
from skill2env.models.tree import Tree
from skill2env.models.trial import Perturbation, Status, Verdict
from skill2env.sandbox.fake import FakeEngine
from skill2env.trial.perturbation import ELSEWHERE, LATER, PLAIN, parts, perturbations
from skill2env.trial.run import Attempt, Attempted, Place, run_trial

PLACE = Place(
    "task",
    "id",
    "image",
    ("/workspace/a.txt", "/workspace/b.txt"),
    Limits(agent_sec=5, verifier_sec=5, memory_mb=64, cpus=1),
    record_changes=False,
)


class Judging:
    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        return Verdict(status=Status.PASS, reward=1, partial_reward=1), 0.0


def attempt(*commands: str, closely: bool = True) -> Attempted:
    steps = tuple(Step(why="", command=command) for command in commands)
    return run_trial(FakeEngine(), PLACE, Judging(), Attempt("agent", "reference", steps, PLAIN, closely))


def test_outputs_are_kept_after_each_step_but_the_last() -> None:
    done = attempt("echo 1 > a.txt", "echo 2 > b.txt", "echo 3 > a.txt")
    texts = [
        {path: node.data for path, node in (tree or {}).items()} for tree in (*done.prefixes, done.outputs)
    ]
    assert texts == [
        {"workspace/a.txt": b"1\n"},
        {"workspace/a.txt": b"1\n", "workspace/b.txt": b"2\n"},
        {"workspace/a.txt": b"3\n", "workspace/b.txt": b"2\n"},
    ]
    assert len(done.trial.prefixes or ()) == 2


@pytest.mark.parametrize(
    ("command", "idle"),
    [
        ("ls; cat a.txt", True),
        ("(cd ..; found=1)", True),
        ("true > b.txt", False),
        ("found=1", False),
        ("cd ..", False),
        ("shopt -s nullglob", False),
        ("umask 077", False),
        ("f() { true; }", False),
        ("touch a.txt", False),
    ],
)
def test_a_step_is_idle_if_neither_files_nor_the_shell_have_changed(command: str, idle: bool) -> None:
    done = attempt("echo 1 > a.txt", command, "echo 2 > c.txt")
    assert done.trial.idle_steps == ((1,) if idle else ())


def test_nothing_of_that_is_recorded_of_other_trials() -> None:
    trial = attempt("echo 1 > a.txt", "true", closely=False).trial
    assert (trial.prefixes, trial.idle_steps, trial.usage) == (None, None, None)


def test_what_was_used_is_sampled() -> None:
    usage = attempt("head -c 3000000 /dev/zero > a.txt; sleep 0.2", "true").trial.usage
    assert usage is not None
    assert usage.processes >= 1
    assert usage.disk_mb == pytest.approx(3, abs=0.1)


def test_the_first_run_is_plain_and_the_others_take_turns() -> None:
    assert [around.name for around in perturbations(5)] == [
        "plain",
        "elsewhere",
        "later",
        "elsewhere",
        "later",
    ]


@pytest.mark.parametrize("around", [ELSEWHERE, LATER])
def test_each_set_is_the_sum_of_its_parts(around: Perturbation) -> None:
    merged = PLAIN.model_dump()
    for part in parts(around):
        changed = {
            name: value for name, value in part.model_dump().items() if value != PLAIN.model_dump()[name]
        }
        env = (*merged["env"], *changed.pop("env", ()))
        merged = {**merged, **changed, "env": env}
    assert {**merged, "name": around.name} == around.model_dump()
    assert len(parts(around)) >= 3
