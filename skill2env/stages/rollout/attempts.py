"""The attempts of models at one task: every model, under every condition, as often as wanted."""

from __future__ import annotations

from collections.abc import Iterator

from skill2env.models.task import Task
from skill2env.models.tree import tree_id
from skill2env.models.trial import Condition, Trial
from skill2env.params import RolloutParams
from skill2env.stages.context import Context
from skill2env.stages.rollout.skills import skill_folder
from skill2env.trial.agent import Bounds, Shelled, Told
from skill2env.trial.run import Thinks
from skill2env.trial.telling import SkillFolder, given, opening
from skill2env.trial.trials import TaskTrials

CONDITIONS_WITH_SKILL = frozenset({"mounted", "prompt"})


def model_attempts(task: Task, trials: TaskTrials, context: Context, purpose: str) -> Iterator[Trial]:
    """Yield every attempt in order; each is in the store before the next begins.

    Raises:
        EngineError: the infrastructure failed.
        Skill2EnvError: the model's endpoint failed, or a budget is spent.
        WorkspaceError: the skill's folder is not as it was parsed.
    """
    params = context.params.rollout
    if not params.models:
        return
    skill = skill_folder(task, context) if CONDITIONS_WITH_SKILL & set(params.conditions) else None
    for model in params.models:
        for condition in params.conditions:
            for number in range(1, params.attempts + 1):
                thinks = thinking(task, context, purpose, model, condition, number, skill)
                yield trials.model(model, thinks, number)


def bounds(params: RolloutParams) -> Bounds:
    """Return what one attempt may use up."""
    return Bounds(
        max_turns=params.max_turns,
        max_tokens=params.max_tokens,
        max_turn_tokens=params.max_turn_tokens,
        max_model_sec=params.max_model_sec,
        output_chars=params.output_chars,
        temperature=params.temperature,
    )


def thinking(
    task: Task,
    context: Context,
    purpose: str,
    model: str,
    condition: Condition,
    number: int,
    skill: SkillFolder | None,
) -> Thinks:
    """Return a model's part of one attempt, within the bounds of the parameters; `purpose` is what the ledger calls it."""
    told = Told(model, condition, number, opening(task.instruction, condition, skill))
    files, limits = given(condition, skill), bounds(context.params.rollout)
    return Thinks(
        policy=lambda: Shelled(context.model(purpose), told, limits),
        asked=told.asked(limits, tree_id(files)),
        seconds=limits.container_sec,
        files=files,
    )
