"""The report on the attacks: what counts as a fault, and what is counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from attacks.report import MUST_EARN, STANDS, Row, Turn, as_json, defeating, faults, kept, page, totals

from skill2env.attacks import attacks, controls

ZERO, ONE, LOST = Turn(0.0, "fail", 1.0), Turn(1.0, "pass", 2.0), Turn(None, "exception", 3.0, "gone")


def rows(naive: int = MUST_EARN) -> list[Row]:
    """All controls and attacks as they should end, of which some defeat the naive verifier."""
    made = [Row(attack, {stand: [ZERO] for stand in STANDS}) for attack in attacks().values()]
    for row in made[:naive]:
        row.turns["naive"] = [ONE]
    honest = Row(controls()["controls/honest"], {stand: [ONE] for stand in STANDS})
    nop = Row(controls()["controls/nop"], {stand: [ZERO] for stand in STANDS})
    return [honest, nop, *made]


def test_all_is_well() -> None:
    assert faults(rows(), STANDS) == []
    assert len(defeating(rows())) == MUST_EARN


@pytest.mark.parametrize("stand", ["native", "harbor"])
@pytest.mark.parametrize(("turn", "says"), [(ONE, "earns the reward"), (LOST, "ends without a reward")])
def test_an_attack_that_earns_or_is_dropped_is_a_fault(stand: str, turn: Turn, says: str) -> None:
    made = rows()
    made[-1].turns[stand] = [ZERO, turn]
    (fault,) = faults(made, STANDS)
    assert says in fault and stand in fault and made[-1].attack.name in fault


def test_what_harbor_itself_fails_at_is_known_by_its_exception() -> None:
    made = rows()
    deep = next(row for row in made if row.attack.name == "collection/many-levels")
    deep.turns["harbor"] = [Turn(None, "exception", 1.0, "RecursionError: maximum recursion depth exceeded")]
    assert faults(made, STANDS) == []
    deep.turns["harbor"] = [Turn(None, "exception", 1.0, "RewardFileNotFoundError: gone")]
    assert len(faults(made, STANDS)) == 1
    deep.turns = {"harbor": [ZERO], "native": [LOST], "naive": [ONE]}
    assert len(faults(made, STANDS)) == 1


@pytest.mark.parametrize("stand", STANDS)
def test_controls_count_on_every_stand(stand: str) -> None:
    made = rows()
    made[0].turns[stand], made[1].turns[stand] = [ZERO], [ONE]
    assert [fault.split(" (")[0] for fault in faults(made, STANDS)] == [
        "honest work does not earn 1",
        "doing nothing does not earn 0",
    ]


def test_what_was_not_tried_is_a_fault_of_the_controls() -> None:
    assert len(faults([Row(attack) for attack in controls().values()], ["native"])) == 2


def test_a_naive_verifier_that_holds_proves_nothing() -> None:
    assert faults(rows(MUST_EARN - 1), STANDS) == [
        f"only {MUST_EARN - 1} attacks defeat the naive verifier, and {MUST_EARN} must"
    ]
    assert faults(rows(0), ["native"]) == []


def test_totals_by_family() -> None:
    lines = totals(rows())
    family, count, earned = lines[-1]
    assert (family, count, earned["naive"]) == ("all", len(attacks()), f"{MUST_EARN} of {len(attacks())}")
    assert sum(number for _, number, _ in lines[:-1]) == count


def test_a_cell_says_how_many_of_how_many() -> None:
    row = rows()[-1]
    row.turns["native"] = [ONE, ZERO, LOST, ZERO]
    assert row.cell("native", seconds=False) == "0.33 of 4 exception, fail, pass"
    assert row.cell("native").endswith(" 1.8 s")
    row.turns["harbor"] = [LOST]
    assert row.cell("harbor", seconds=False) == "no reward exception"


def test_the_page_and_the_json_have_every_attack() -> None:
    text = page(rows())
    assert all(f"| `{name}` |" in text for name in attacks())
    assert len(as_json(rows())["trials"]) == len(STANDS) * (len(attacks()) + 2)


def test_trials_of_other_stands_are_kept_while_the_suite_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "attacks.json"
    assert kept(path, STANDS) == {}
    written = as_json(rows())
    path.write_text(json.dumps(written))
    found = kept(path, {"naive"})
    assert {name for name, turns in found.items() if turns["naive"] == [ONE]} == {
        "controls/honest",
        *list(attacks())[:MUST_EARN],
    }
    assert all(turns.keys() == {"naive"} for turns in found.values())
    path.write_text(json.dumps({**written, "suite": "another"}))
    assert kept(path, STANDS) == {}


def test_the_page_of_the_docs_has_every_attack() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "attacks.md").read_text()
    named = re.findall(r"^\| `([a-z-]+/[a-z0-9-]+)` \|", text, re.MULTILINE)
    assert set(named) == {*attacks(), *controls()}, "run `make attacks`"
