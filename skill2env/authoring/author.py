"""The model author: plans what of a skill can be practised, and writes a blueprint for each workflow, through the gates."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.authoring import knowledge
from skill2env.authoring.bench import GateBench, model_author
from skill2env.authoring.desk import Desk
from skill2env.authoring.plan import plan_ask
from skill2env.authoring.session import Bounds, hold
from skill2env.llm.ledger import spent_on
from skill2env.llm.quoted import quoted
from skill2env.meter import charge
from skill2env.models.base import content_id
from skill2env.models.blueprint import Blueprint
from skill2env.models.chat import Message, Sampling, Spent, Tokens
from skill2env.models.making import Making
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.models.workflow import Plan, Workflow
from skill2env.stages import validate
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.draft import skill_text
from skill2env.store.folders import read_folder

VERSION = "1"
_SKILL_FILE_BYTES = 200_000


@dataclass(frozen=True)
class Commission:
    """One workflow of one skill that a blueprint is to be written for."""

    skill: Skill
    folder: Path
    workflow: Workflow
    planned: Spent
    """This workflow's share of what planning cost."""
    date: datetime.date


@dataclass(frozen=True)
class Nothing:
    """A skill of which nothing can be practised, by the plan."""

    plan: Plan
    planned: Spent


class ModelAuthor:
    """Gives the draft stage its items, and writes what they ask for."""

    def __init__(self, context: Context) -> None:
        """Take the models and the parameters of a run."""
        params = context.params.draft.author
        self._planner, self._writer = context.model("plan"), context.model("write")
        self._params = params
        self._sampling = Sampling(temperature=params.temperature, max_tokens=params.max_tokens)

    def items(self, skills: Iterable[Skill], corpus: Path) -> Iterator[Item]:
        """Yield a commission for each workflow that can be practised; one item says so where there is none.

        Raises:
            ModelError: the endpoint failed, or no plan came of it.
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        for skill in skills:
            plan, spent, date = self._plan(skill)
            shared = _shared(spent, len(plan.workflows) or 1)
            if not plan.workflows:
                item_id = f"{skill.skill_id}--(none)"
                yield Item(item_id, content_id([skill.tree_sha256, plan.record_id()]), Nothing(plan, spent))
            folder = corpus / "skills" / skill.skill_id
            taken = corpus / "blueprints" / skill.skill_id
            for workflow in plan.workflows:
                name = f"{workflow.name}-by-model" if (taken / workflow.name).exists() else workflow.name
                named = workflow.model_copy(update={"name": name})
                value = Commission(skill, folder, named, shared, date)
                yield Item(
                    f"{skill.skill_id}--{name}", content_id([skill.tree_sha256, named.record_id()]), value
                )

    def settings(self) -> Any:
        """Return what of parameters and prompts a blueprint depends on, JSON-able."""
        return [VERSION, knowledge.knowledge_id(), self._params.model_dump(mode="json", exclude={"skills"})]

    def apply(self, item: Item, context: Context) -> Done:
        """Return the blueprint that a commission asks for, or why there is none, with what it cost.

        Raises:
            EngineError: the infrastructure failed.
            ModelError: the endpoint failed, or no plan came of it.
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        charge(purpose="plan", spent=item.value.planned)
        if isinstance(item.value, Nothing):
            return _nothing(item.value)
        commission: Commission = item.value
        bench = GateBench(
            context,
            skill_text(commission.skill, commission.folder),
            validate.shell_examples(commission.skill),
            commission.workflow.name,
            model_author(self._params.model, commission.date),
        )
        params = self._params
        desk = Desk(bench, _readable(commission.skill, commission.folder), params.rounds)
        bounds = Bounds(params.turns, params.tokens)
        held = hold(desk, self._writer, params.model, self._opening(commission), bounds, self._sampling)
        making = self._making(desk, held.spent, commission.planned)
        if held.reason:
            return Done(_given_up(held.reason, desk, making))
        outcome, static, _ = bench.read(desk.files)
        assert isinstance(outcome, Accepted), outcome
        return Done(Accepted[Blueprint](record=outcome.record.model_copy(update={"made": making})), static)

    def _plan(self, skill: Skill) -> tuple[Plan, Spent, datetime.date]:
        ask = plan_ask(skill, self._params.model, self._params.workflows, self._sampling)
        plan, completions = self._planner.structured(ask, Plan)
        spent = sum((spent_on(completion) for completion in completions), Spent())
        date = completions[-1].made_on or datetime.datetime.now(datetime.UTC).date()
        return plan.model_copy(update={"workflows": plan.workflows[: self._params.workflows]}), spent, date

    def _opening(self, commission: Commission) -> tuple[Message, ...]:
        system = knowledge.prompt(
            "write", rounds=self._params.rounds, guide=knowledge.guide(), format=knowledge.format_text()
        )
        skill = quoted("skill", commission.skill.text, numbered=True)
        wanted = quoted(
            "workflow", json.dumps(commission.workflow.model_dump(mode="json"), indent=1, ensure_ascii=False)
        )
        asked = f"{skill}\n\n{wanted}\n\nWrite the blueprint `{commission.workflow.name}` of this skill for this workflow."
        return Message(role="system", text=system), Message(role="user", text=asked)

    def _making(self, desk: Desk, spent: Spent, planned: Spent) -> Making:
        whole = spent + planned
        return Making(
            model=self._params.model,
            rounds=desk.submissions,
            turns=spent.completions,
            reopened=tuple(desk.reopened),
            input_tokens=whole.tokens.input,
            output_tokens=whole.tokens.output,
            money=None if whole.unpriced else whole.money,
            seconds=whole.seconds,
        )


def _nothing(nothing: Nothing) -> Done:
    plan, spent = nothing.plan, nothing.planned
    told = f"{plan.none_reason}: {plan.explanation}"
    cost = {
        "input_tokens": spent.tokens.input,
        "output_tokens": spent.tokens.output,
        "money": None if spent.unpriced else spent.money,
    }
    return Done(Rejected(rule="nothing_to_practise", message=told, evidence=json.dumps(cost)))


def _given_up(reason: str, desk: Desk, making: Making) -> Rejected:
    evidence = json.dumps(making.model_dump(mode="json")) + f"\nlast submission: {desk.last_told or 'none'}"
    return Rejected(rule="given_up", message=reason, evidence=evidence[:8000])


def _shared(spent: Spent, among: int) -> Spent:
    """Return one of several equal shares; tokens are rounded down."""
    tokens = Tokens(**{name: count // among for name, count in spent.tokens.model_dump().items()})
    return spent.model_copy(
        update={"tokens": tokens, "money": spent.money / among, "seconds": spent.seconds / among}
    )


def _readable(skill: Skill, folder: Path) -> dict[str, str]:
    """Return the text of each file of a skill that is text; SKILL.md as it was decoded."""
    texts = {"SKILL.md": skill.text}
    for path, node in read_folder(folder).items():
        if path == skill.skill_file or node.kind != "file" or len(node.data) > _SKILL_FILE_BYTES:
            continue
        try:
            texts[path] = node.data.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return texts
