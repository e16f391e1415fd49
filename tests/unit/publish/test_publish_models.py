"""Rows of models' attempts: who acted, what it cost, which become conversations, and what they say of a task."""

from __future__ import annotations

from typing import Any

import pytest
from unit.publish import made
from unit.publish.test_atif import SAID, spoken

from skill2env.models.rollout import Rollout, Trajectory
from skill2env.models.trial import CriterionResult, Status, Trial
from skill2env.stages.publish.attempts import sft_row, trajectory_row
from skill2env.stages.publish.card import card
from skill2env.stages.publish.inputs import Published
from skill2env.stages.publish.messages import model_conversation
from skill2env.stages.publish.tasks import task_row

WORLD = made.World()
TASK = made.task("alpha", "easy", 1, WORLD)


def published(*trials: Trial) -> Published:
    trajectories = tuple(Trajectory(trial=trial, rubric=()) for trial in trials)
    rollout = Rollout(
        task_id=TASK.task_id, task_content_id=TASK.content_id, delivered=(), trajectories=trajectories
    )
    return Published(TASK, made.report(TASK, WORLD), rollout, b"", made.tree(TASK.task_id))


def part_changed(trial: Trial, **changes: Any) -> Trial:
    assert trial.model is not None
    return trial.model_copy(update={"model": trial.model.model_copy(update=changes)})


def test_a_row_says_who_acted_and_what_it_cost() -> None:
    row = trajectory_row(TASK, Trajectory(trial=spoken(*SAID), rubric=()), "MIT", 400)
    assert row.trajectory_id == f"{TASK.task_id}/model/e/m/mounted/2"
    assert (row.source, row.model, row.condition, row.attempt, row.finish) == (
        "model",
        "e/m",
        "mounted",
        2,
        "done",
    )
    assert (row.turns, row.input_tokens, row.cached_tokens, row.output_tokens, row.cost_usd) == (
        3,
        30,
        12,
        6,
        1.5,
    )


def test_a_script_is_never_called_a_model() -> None:
    scripted = made.trial(TASK, made.scripts()[0], WORLD)
    row = trajectory_row(TASK, Trajectory(trial=scripted, rubric=()), "MIT", 400)
    assert (row.source, row.model, row.attempt, row.cost_usd) == ("scripted", "", 0, 0.0)
    played = part_changed(spoken(*SAID), scripted=True)
    assert trajectory_row(TASK, Trajectory(trial=played, rubric=()), "MIT", 400).source == "scripted"


def test_an_unknown_price_is_null_and_an_external_trial_has_its_own_id() -> None:
    turns = spoken(*SAID).model.turns  # type: ignore[union-attr]
    unpriced = part_changed(
        spoken(*SAID, role="external"), turns=(turns[0].model_copy(update={"money": None}),), source="an-id"
    )
    row = trajectory_row(TASK, Trajectory(trial=unpriced, rubric=()), "MIT", 400)
    assert (row.cost_usd, row.source) == (None, "external")
    assert row.trajectory_id == f"{TASK.task_id}/external/e/m/an-id"


def test_a_passing_attempt_becomes_a_conversation_as_it_was_held() -> None:
    row = sft_row(published(), Trajectory(trial=spoken(*SAID), rubric=()), "MIT", 400)
    assert row is not None
    assert [message["role"] for message in row.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert row.messages[-1]["content"] == "Done."
    assert row.messages[2]["tool_calls"][0]["function"] == {"name": "bash", "arguments": {"command": "ls"}}
    assert row.messages[3] == {
        "role": "tool",
        "tool_call_id": "call00001",
        "name": "bash",
        "content": "one\n",
    }
    assert row.source == "model"


def test_a_question_in_the_middle_is_kept() -> None:
    nudged = (*SAID[:2], *SAID[5:7], *SAID[2:6])
    said = model_conversation(spoken(*nudged).model)  # type: ignore[arg-type]
    assert [message["role"] for message in said][2:5] == ["assistant", "user", "assistant"]
    assert said[-1]["content"] == "Done."


FAILED = made.verdict(0.0)
LOST = FAILED.model_copy(update={"status": Status.NO_VERDICT})


@pytest.mark.parametrize(
    "trial",
    [
        spoken(*SAID).model_copy(update={"verdict": FAILED}),
        spoken(*SAID).model_copy(update={"verdict": LOST}),
        part_changed(spoken(*SAID), finish="turns"),
        spoken(*SAID, role="external"),
    ],
)
def test_what_failed_was_cut_or_ran_elsewhere_is_no_conversation(trial: Trial) -> None:
    assert sft_row(published(), Trajectory(trial=trial, rubric=()), "MIT", 400) is None


def test_difficulty_counts_attempts_without_the_skill_and_rates_are_by_condition() -> None:
    bare = part_changed(spoken(*SAID), condition="bare")
    failed = bare.model_copy(update={"verdict": FAILED})
    trials = [bare, failed, failed, failed, spoken(*SAID), bare.model_copy(update={"verdict": LOST})]
    row = task_row(published(*trials), made.skill("alpha"))
    assert (row.difficulty, row.difficulty_low, row.difficulty_high) == (0.75, 0.3006, 0.9544)
    assert (row.pass_rate_bare, row.pass_rate_mounted, row.pass_rate_prompt) == (0.25, 1.0, None)
    assert row.model_attempts == 5


def test_without_attempts_nothing_is_said_of_difficulty() -> None:
    row = task_row(published(made.trial(TASK, made.scripts()[0], WORLD)), made.skill("alpha"))
    assert (row.difficulty, row.difficulty_low, row.pass_rate_bare, row.model_attempts) == (
        None,
        None,
        None,
        0,
    )


def test_the_agreement_of_the_judge_is_a_column() -> None:
    def result(by: str, satisfied: bool, yes: int) -> CriterionResult:
        return CriterionResult(
            criterion_id="c",
            kind="must_do",
            weight=1,
            satisfied=satisfied,
            by=by,
            judge_yes=yes,
            judge_no=1,  # type: ignore[arg-type]
        )

    rubric = (result("predicate", True, 2), result("predicate", False, 2), result("judge", True, 2))
    row = trajectory_row(TASK, Trajectory(trial=spoken(*SAID), rubric=rubric), "MIT", 400)
    assert row.judge_agreement == 0.5


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ({"scripted": 3}, "All trajectories are *scripted*"),
        ({"scripted": 3, "model": 2}, "model 2, scripted 3"),
    ],
)
def test_the_card_says_who_acted(sources: dict[str, int], told: str) -> None:
    names = (
        "accepted_tasks",
        "skills_with_tasks",
        "skills",
        "passing_trajectories",
        "failing_trajectories",
        "sft_rows",
        "sft_distinct_assistants",
    )
    kinds = ("level", "toolchain", "archetype", "verifier_pattern")
    figures: dict[str, Any] = dict.fromkeys(names, 1) | {f"tasks_by_{kind}": {} for kind in kinds}
    configs = ("tasks", "sft", "trajectories", "skills", "rejected")
    figures |= {"funnel": {}, "rows": {name: {"train": 1} for name in configs}}
    figures["trajectories_by_source"] = dict(sorted(sources.items()))
    text = card(dict.fromkeys(configs, ("train",)), dict.fromkeys(configs, "0" * 64), figures, ("MIT",))
    assert told in " ".join(text.split())
