"""Predicates over a trajectory."""

from __future__ import annotations

import time
from typing import Any

import pytest

from skill2env.models.rubric import AtMost, Criterion, Evidence, Order
from skill2env.models.trial import Status, StepRecord, Timing, Trial, Verdict
from skill2env.trial import rubric
from skill2env.trial.rubric import SlowPattern, evaluate


def trial(*commands: str, changed: tuple[str, ...] | None = None) -> Trial:
    steps = tuple(
        StepRecord(why="", command=command, output="", output_bytes=0, exit_code=0, seconds=0.1)
        for command in commands
    )
    verdict = Verdict(status=Status.FAIL, reward=0, partial_reward=0)
    return Trial(
        task_id="t",
        task_content_id="c",
        agent="a",
        role="mistake",
        perturbation="plain",
        steps=steps,
        changed_paths=changed,
        outputs_sha256="0",
        network="lo",
        verdict=verdict,
        timing=Timing(),
    )


def holds(evidence: dict[str, Any], attempt: Trial) -> bool | None:
    criterion = Criterion(
        id="c", kind="must_do", text="t", source="SKILL.md:1", evidence=Evidence(**evidence)
    )
    (result,) = evaluate((criterion,), attempt)
    assert (result.criterion_id, result.kind, result.weight) == ("c", "must_do", 1.0)
    return result.satisfied


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"used": r"\bsort\b"}, True),
        ({"used": r"\bawk\b"}, False),
        ({"never": r"\brm\b"}, True),
        ({"never": r"^uniq"}, False),
        ({"before": Order(first="head", then="sort")}, True),
        ({"before": Order(first="sort", then="head")}, False),
        ({"before": Order(first="head", then="absent")}, True),
        ({"before": Order(first="absent", then="head")}, False),
        ({"before": Order(first="sort", then="uniq")}, True),
        ({"at_most": AtMost(pattern="data.csv", times=2)}, True),
        ({"at_most": AtMost(pattern="data.csv", times=1)}, False),
        ({"at_most": AtMost(pattern="absent", times=0)}, True),
        ({"never_writes": "/etc/*"}, True),
        ({"never_writes": "/workspace/*"}, False),
        ({"judge": "Was it done with care?"}, None),
    ],
)
def test_predicates(evidence: dict[str, Any], expected: bool | None) -> None:
    attempt = trial("head data.csv", "sort data.csv |\nuniq -c", changed=("/workspace/out", "/var/log/x"))
    assert holds(evidence, attempt) is expected


def test_the_order_counts_within_one_command() -> None:
    assert holds({"before": Order(first="cp", then="sed")}, trial("cp a b; sed -i x b")) is True
    assert holds({"before": Order(first="cp", then="sed")}, trial("sed -i x b; cp a b")) is False


def test_a_slow_pattern_is_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rubric, "SEARCH_SEC", 0.3)
    began = time.thread_time()
    for evidence in (
        {"used": r"(a|a)+b"},
        {"never": r"^(a|aa)+$"},
        {"at_most": AtMost(pattern=r"^(([a-z])+.)+[A-Z]([a-z])+$", times=1)},
        {"before": Order(first=r"(a|a)+b", then="x")},
    ):
        with pytest.raises(SlowPattern, match="takes too long"):
            holds(evidence, trial("a" * 5000 + "!"))
    assert time.thread_time() - began < 10


def test_the_time_is_for_all_steps_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rubric, "SEARCH_SEC", 0.5)
    began = time.thread_time()
    with pytest.raises(SlowPattern):
        holds({"used": r"(a|a)+b"}, trial(*["a" * 20] * 100_000))
    assert time.thread_time() - began < 10


def test_of_a_trial_that_ran_elsewhere_only_what_is_on_record_is_told() -> None:
    def told(*commands: str) -> list[bool | None]:
        outside = trial(*commands).model_copy(update={"role": "external"})
        return [result.satisfied for result in evaluate((*RULES,), outside)]

    RULES = [
        Criterion(id=f"c{n}", kind="must_do", text="t", source="SKILL.md:1", evidence=evidence)
        for n, evidence in enumerate(
            (Evidence(used="sort"), Evidence(never="rm"), Evidence(never_writes="/x"))
        )
    ]
    assert told("sort a") == [True, True, None]
    assert told() == [None, None, None]
