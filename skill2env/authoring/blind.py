"""The blind check: a task that all gates accept is solved from its request alone, and a failure must be somebody's fault."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from skill2env.authoring.desk import Seen
from skill2env.authoring.ruling import rule, said
from skill2env.models.chat import Spent
from skill2env.models.making import Look
from skill2env.models.task import Task
from skill2env.models.tree import Tree, unpack
from skill2env.models.trial import Trial
from skill2env.params import Params
from skill2env.stages.context import Context
from skill2env.stages.rollout.attempts import bounds, thinking
from skill2env.stages.task_images import TaskImages
from skill2env.trial import agent
from skill2env.trial.trials import trials_of

RULE = "blind_check"
SOLVING, RULING = "blind", "blind-judge"
"""What the ledger calls the attempts, and what is said of those that failed."""
_NUMBER = 1001
"""Number of the attempt: none of a rollout's, so that what lets a task in is not what measures it later."""
_MESSAGES_CHARS = 1500
_ADVICE = {
    "tests_too_narrow": "reopen the file that refuses what the request allows, and accept every right result",
    "instruction_incomplete": "reopen instruction.md, or the world, and say or show what the tests demand",
    "undecided": "make the request and the tests agree beyond doubt, or give up",
}


class Blind:
    """Has tasks of one blueprint solved by somebody who knows neither skill nor tests, and keeps what came of it."""

    def __init__(self, context: Context, model: str) -> None:
        """Take the workspace, and the name of the model that solves and that rules."""
        self._context, self._model = context, model
        self.looks: list[Look] = []
        """Every attempt so far, in order."""

    def check(self, tasks: Iterable[tuple[Task, bytes]]) -> Seen:
        """Have each task solved, with its packed directory, and return what speaks against them all.

        Raises:
            EngineError: the infrastructure failed.
            ModelError: the endpoint failed.
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        against, spent = [], Spent()
        for task, archive in tasks:
            trial, outputs = self._solve(task, archive)
            spent += _spent(trial)
            look = Look(level=task.level, verdict="passed")
            if trial.verdict.reward != 1:
                tests = unpack(archive)["tests/test_outputs.py"].data.decode("utf-8", "replace")
                ruler = self._context.model(RULING)
                look, cost = rule(ruler, self._model, task, tests, trial, outputs)
                spent += cost
            self.looks.append(look)
            if look.against:
                against.append(_told(look, trial))
        return Seen(not against, "\n\n".join(against), RULE, spent)

    def _solve(self, task: Task, archive: bytes) -> tuple[Trial, Tree]:
        thinks = thinking(task, self._context, SOLVING, self._model, "bare", _NUMBER, None)
        kept = dataclasses.replace(thinks, keep_outputs=True)
        context = self._context
        images = TaskImages(task, archive, context)
        with trials_of(context.engine, context.store, task, images) as trials:
            trial = trials.model(self._model, kept, _NUMBER)
            return trial, trials.outputs(trial.outputs_sha256)


def settings(params: Params) -> Any:
    """Return what of the parameters a blind check depends on besides the author's own, JSON-able; None where there is none."""
    return [agent.VERSION, bounds(params.rollout).model_dump()] if params.draft.author.blind else None


def _spent(trial: Trial) -> Spent:
    """Return what an attempt cost when it was made."""
    assert trial.model is not None
    turns = trial.model.turns
    return Spent(
        completions=len(turns),
        tokens=trial.model.tokens,
        money=sum(turn.money or 0.0 for turn in turns),
        unpriced=sum(turn.money is None for turn in turns),
        seconds=sum(turn.seconds for turn in turns),
    )


def _told(look: Look, trial: Trial) -> str:
    quotes = [f"  {quote.source}: {quote.text}" for quote in look.quotes]
    failed = [f"  the tests said: {line}" for line in said(trial.verdict)[:_MESSAGES_CHARS].splitlines()]
    first = f"{look.level}: {RULE} refuses: somebody who had the request alone failed ({look.verdict}); {_ADVICE[look.verdict]}"
    return "\n".join([first, f"  {look.explanation}", *quotes, *failed])
