"""The table of what models achieved."""

from __future__ import annotations

import pytest

from skill2env.attempted import Outcome, figures, judge_figures, lines_of
from skill2env.models.chat import Tokens
from skill2env.models.trial import CriterionResult


def tries(task: str, level: str, condition: str, passed: str, model: str = "m") -> list[Outcome]:
    """Return an outcome for each letter: + passed, - failed, ? has no verdict."""
    words = {"+": True, "-": False, "?": None}
    return [
        Outcome(
            f"{task}--b--{level}-s1",
            task,
            level,
            model,
            condition,
            words[letter],
            "done",
            Tokens(input=10),
            0.5,
        )
        for letter in passed
    ]


def row(outcomes: list[Outcome], level: str = "all", condition: str = "bare") -> dict[str, object]:
    (found,) = (r for r in figures(outcomes)["passes"] if (r["level"], r["condition"]) == (level, condition))
    return found  # type: ignore[no-any-return]


def test_pass_at_k_is_a_mean_over_tasks_by_level_and_in_all() -> None:
    outcomes = (
        tries("a", "easy", "bare", "++++")
        + tries("b", "easy", "bare", "+---")
        + tries("c", "hard", "bare", "----")
    )
    means = {k: value["mean"] for k, value in row(outcomes)["pass_at"].items()}  # type: ignore[attr-defined]
    assert means == {"1": pytest.approx(0.4167), "2": 0.5, "4": pytest.approx(0.6667)}
    assert [r["level"] for r in figures(outcomes)["passes"]] == ["all", "easy", "hard"]
    assert row(outcomes, "easy")["tasks"] == 2
    hard = row(outcomes, "hard")["pass_at"]["1"]  # type: ignore[index]
    assert (hard["mean"], hard["low"]) == (0, 0) and hard["high"] > 0.5


def test_an_attempt_without_a_verdict_counts_nowhere_but_is_told() -> None:
    found = figures(tries("a", "easy", "bare", "++??"))
    assert (found["attempts"], found["no_verdict"]) == (4, 2)
    assert found["passes"][0]["attempts"] == 2
    assert found["passes"][0]["pass_at"]["1"]["mean"] == 1
    assert "4" not in found["passes"][0]["pass_at"]


def test_a_task_with_too_few_attempts_is_left_out_of_higher_k() -> None:
    pass_at = row(tries("a", "easy", "bare", "----") + tries("b", "easy", "bare", "+"))["pass_at"]
    assert (pass_at["1"]["tasks"], pass_at["4"]["tasks"]) == (2, 1)  # type: ignore[index]


def test_lifts_pair_the_tasks_that_were_attempted_both_ways() -> None:
    outcomes = []
    for name in ("u", "v"):
        outcomes += tries(name, "easy", "bare", "----") + tries(name, "easy", "mounted", "++++")
    outcomes += tries("w", "easy", "mounted", "----")
    lifts = {row["skill"]: row for row in figures(outcomes)["lifts"] if row["level"] == "all"}
    assert set(lifts) == {"all", "u", "v"}
    assert (lifts["all"]["mean"], lifts["all"]["tasks"], lifts["all"]["alarm"]) == (1, 2, False)


def test_a_skill_that_hurts_raises_an_alarm() -> None:
    outcomes = []
    for number in range(12):
        task = f"s--b{number}"
        for condition, passed in (("bare", "++++"), ("prompt", "---+")):
            outcomes += [
                Outcome(f"{task}--easy-s1", "s", "easy", "m", condition, letter == "+") for letter in passed
            ]
    found = figures(outcomes)
    (alarm,) = (row for row in found["lifts"] if row["skill"] == "s")
    assert alarm["alarm"] is True
    assert alarm["mean"] == -0.75
    assert any("the skill hurts" in line for line in lines_of(found))


def test_cost_is_unknown_where_one_price_is() -> None:
    outcomes = tries("a", "easy", "bare", "++")
    assert (figures(outcomes)["cost_usd"], figures(outcomes)["tokens"]["input"]) == (1.0, 20)
    unpriced = [*outcomes, Outcome("a--b--easy-s1", "a", "easy", "m", "bare", True, money=None)]
    assert figures(unpriced)["cost_usd"] is None
    assert "at a price that is not known" in "\n".join(lines_of(figures(unpriced)))


def test_models_and_conditions_do_not_mix() -> None:
    outcomes = (
        tries("a", "easy", "bare", "++")
        + tries("a", "easy", "bare", "--", "other")
        + tries("a", "easy", "prompt", "--")
    )
    found = {
        (r["model"], r["condition"]): r["pass_at"]["1"]["mean"]
        for r in figures(outcomes)["passes"]
        if r["level"] == "all"
    }
    assert found == {("m", "bare"): 1, ("m", "prompt"): 0, ("other", "bare"): 0}


def test_without_attempts_there_is_no_table() -> None:
    assert "No model has attempted" in lines_of(figures([]))[0]
    assert judge_figures([]) is None


def judged(satisfied: bool, yes: int, no: int, by: str = "predicate", void: int = 0) -> CriterionResult:
    return CriterionResult(
        criterion_id="c",
        kind="must_do",
        weight=1,
        satisfied=satisfied,
        by=by,
        judge_yes=yes,
        judge_no=no,
        judge_void=void,  # type: ignore[arg-type]
    )


def test_the_judge_is_measured_against_predicates_and_against_itself() -> None:
    results = [
        judged(True, 3, 0),
        judged(True, 1, 2),
        judged(False, 0, 2, void=1),
        judged(True, 2, 1, "judge"),
        judged(True, 0, 0),
    ]
    assert judge_figures(results) == {
        "asked": 4,
        "answered": 4,
        "answers": 11,
        "void": 1,
        "agrees_with_predicates": 2,
        "compared_with_predicates": 3,
        "agreement": 0.6667,
        "agreement_over_repeats": 0.8182,
    }
