"""The rows of a task's attempts: every trial as a trajectory, the passing ones as conversations to train on."""

from __future__ import annotations

from typing import Any

from skill2env.interop.atif import document, source_of
from skill2env.models.base import canonical_json
from skill2env.models.chat import Tokens
from skill2env.models.rollout import Trajectory
from skill2env.models.rows import CheckOutcome, SftRow, TrajectoryRow
from skill2env.models.task import Task
from skill2env.models.trial import ModelPart, Status, Trial
from skill2env.stages.publish.inputs import Published
from skill2env.stages.publish.messages import TOOLS, assistant_sha256, conversation, model_conversation
from skill2env.trial.opinion import agreement

_PLAIN = "plain"


def trajectory_row(task: Task, trajectory: Trajectory, licence: str, limit: int) -> TrajectoryRow:
    """Return the row of one trial.

    Args:
        task: what was attempted.
        trajectory: the attempt.
        licence: licence of the row.
        limit: characters of each step's output that are shown.
    """
    trial, verdict = trajectory.trial, trajectory.trial.verdict
    name = _trajectory_id(trial)
    slips = {script.name: script.slip for script in task.blueprint.scripts if script.role == trial.role}
    return TrajectoryRow(
        **_common(task, trajectory, licence),
        status=str(verdict.status),
        slip=slips.get(trial.agent, ""),
        perturbation=trial.perturbation,
        network=trial.network,
        checks=tuple(CheckOutcome(**result.model_dump(exclude={"message"})) for result in verdict.checks),
        checks_passed=sum(result.passed for result in verdict.checks if result.kind == "check"),
        commands=tuple(step.command for step in trial.steps),
        exit_codes=tuple(step.exit_code for step in trial.steps),
        trajectory=canonical_json(document(trial, name, task.instruction, limit)),
        check_messages=canonical_json(
            {result.name: result.message for result in verdict.checks if result.message}
        ),
        reason=verdict.reason,
        outputs_sha256=trial.outputs_sha256,
        output_bytes=sum(step.output_bytes for step in trial.steps),
        agent_sec=trial.timing.agent,
        tests_sec=trial.timing.tests,
        judge_sec=trial.timing.judge,
        container_sec=trial.timing.container,
    )


def sft_row(published: Published, trajectory: Trajectory, licence: str, limit: int) -> SftRow | None:
    """Return a passing trial of a correct solution, or of a model that said that it is done, as a conversation; or None.

    An agent that ran elsewhere gives none: which tools it had is not known.

    Args:
        published: what was attempted.
        trajectory: the attempt.
        licence: licence of the row.
        limit: characters of each step's output that are shown.
    """
    task, trial = published.task, trajectory.trial
    if trial.verdict.status is not Status.PASS or trial.verdict.reward < 1:
        return None
    if trial.role == "model" and trial.model and trial.model.finish == "done":
        messages = model_conversation(trial.model)
    elif trial.role in ("reference", "alternative"):
        outputs = published.rollout.delivered if published.rollout else ()
        messages = conversation(task.instruction, trial.steps, outputs, limit)
    else:
        return None
    return SftRow(
        **_common(task, trajectory, licence),
        assistant_sha256=assistant_sha256(messages),
        messages=messages,
        tools=TOOLS,
    )


def _common(task: Task, trajectory: Trajectory, licence: str) -> dict[str, Any]:
    trial, verdict = trajectory.trial, trajectory.trial.verdict
    judged = verdict.status is not Status.NO_VERDICT
    same, both = agreement(trajectory.rubric)
    return {
        "trajectory_id": _trajectory_id(trial),
        "task_id": task.task_id,
        "content_id": task.content_id,
        "skill": task.blueprint.skill_id,
        "skill_tree_sha256": task.blueprint.skill_tree_sha256,
        "blueprint": task.blueprint.name,
        "level": task.level,
        "seed": task.seed,
        "agent": trial.agent,
        "role": trial.role,
        "source": source_of(trial),
        **_model(trial.model),
        "reward": verdict.reward if judged else None,
        "partial_reward": verdict.partial_reward if judged else None,
        "rubric": trajectory.rubric,
        "rubric_satisfied": sum(result.satisfied is True for result in trajectory.rubric),
        "rubric_violated": sum(result.satisfied is False for result in trajectory.rubric),
        "judge_agreement": round(same / both, 4) if both else None,
        "steps": len(trial.steps),
        "licence": licence,
    }


def _model(part: ModelPart | None) -> dict[str, Any]:
    tokens = part.tokens if part else Tokens()
    return {
        "model": part.model if part else "",
        "condition": part.condition if part else "",
        "attempt": part.attempt if part else 0,
        "finish": part.finish if part else "",
        "turns": len(part.turns) if part else 0,
        "input_tokens": tokens.input,
        "cached_tokens": tokens.cached,
        "output_tokens": tokens.output,
        "cost_usd": part.money if part else 0.0,
    }


def _trajectory_id(trial: Trial) -> str:
    name = f"{trial.task_id}/{trial.role}/{trial.agent}"
    if trial.model is not None:
        return f"{name}/{trial.model.source or f'{trial.model.condition}/{trial.model.attempt}'}"
    return name if trial.perturbation == _PLAIN else f"{name}/{trial.perturbation}"
