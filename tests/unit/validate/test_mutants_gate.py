"""What the gate says of mutants that were judged: too wide, too narrow, or neither."""

from __future__ import annotations

from typing import Any

import pytest

from skill2env.models.tree import Node, Tree, tree_id
from skill2env.models.trial import Status, Verdict
from skill2env.mutation.mutant import Change, Mutant, Operator
from skill2env.params import ValidateParams
from skill2env.stages.validate.gates import mutants_fail as gate

PASS = Verdict(status=Status.PASS, reward=1, partial_reward=1)
FAIL = Verdict(status=Status.FAIL, reward=0, partial_reward=0)
RIGHT: Tree = {"workspace/a.json": Node("file", b'{"total": 1250, "day": "2026-03-01"}\n')}
PARAMS = ValidateParams()


class Trials:
    """Tests that see every change, or none."""

    def __init__(self, sees: bool) -> None:
        self._sees = sees

    def judged(self, outputs: Tree) -> Verdict:
        return FAIL if self._sees and tree_id(outputs) != tree_id(RIGHT) else PASS


class Subject:
    def __init__(self, sees: bool) -> None:
        self.trials = Trials(sees)
        self.right, self.world = RIGHT, dict[str, Node]()
        self.task = type("Task", (), {"instruction": ""})


def mutant(operator: Operator, field: str = "total") -> Mutant:
    return Mutant(
        "workspace/a.json", Change(operator, "changed", b'{"total": 7, "day": "2026-03-01"}\n', field)
    )


def told(
    wrong: list[tuple[Operator, Verdict]],
    programs: list[Verdict] | None = None,
    same: list[Verdict] | None = None,
    sees: bool = True,
) -> str:
    subject: Any = Subject(sees)
    judged = gate._Judged(
        subject,
        tuple((mutant(operator), verdict) for operator, verdict in wrong),
        tuple((mutant("program"), verdict) for verdict in programs or ()),
        tuple((mutant("same"), verdict) for verdict in same or ()),
    )
    return "; ".join(gate._faults(judged, PARAMS))


KILLED: list[tuple[Operator, Verdict]] = [("perturb", FAIL)] * 30


def test_all_killed_and_all_equivalents_accepted_is_well() -> None:
    assert told(KILLED, [FAIL] * 4, [PASS]) == ""


@pytest.mark.parametrize("operator", ["empty", "null", "nan", "zero", "swap", "retype"])
def test_one_fatal_survivor_is_enough(operator: Operator) -> None:
    assert "survive that never may" in told([*KILLED, (operator, PASS)])


def test_a_survivor_counts_alone_only_if_those_like_it_survive() -> None:
    assert told([*KILLED, ("perturb", PASS)], sees=True) == ""
    assert "nobody looks where" in told([*KILLED, ("perturb", PASS)], sees=False)


def test_too_many_survivors_are_refused_even_if_each_stands_alone() -> None:
    assert "3 of 33 changed outputs" in told([*KILLED, *[("perturb", PASS)] * 3], sees=True)


@pytest.mark.parametrize(("living", "refused"), [(2, False), (3, True)])
def test_programs_have_a_rate_of_their_own(living: int, refused: bool) -> None:
    programs = [PASS] * living + [FAIL] * (5 - living)
    assert ("changed programs still earn 1" in told(KILLED, programs)) is refused


def test_an_equivalent_that_is_refused_means_too_narrow() -> None:
    assert "too narrow" in told(KILLED, same=[PASS, FAIL])


def test_nothing_to_change_is_no_success() -> None:
    assert "nothing that could be changed" in told([])
