"""The model author: plans what of a skill can be practised, and writes a blueprint for each workflow, through the gates."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.authoring import blind, knowledge
from skill2env.authoring.bench import GateBench, model_author
from skill2env.authoring.desk import Desk
from skill2env.authoring.plan import Planned, Planner, Unplanned
from skill2env.authoring.session import Bounds, hold
from skill2env.errors import BadAnswer, ModelError
from skill2env.llm.ledger import spent_on
from skill2env.llm.quoted import quoted
from skill2env.meter import charge
from skill2env.models.base import content_id
from skill2env.models.blueprint import Blueprint
from skill2env.models.chat import Message, Sampling, Spent, Tokens
from skill2env.models.making import Look, Making
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.models.workflow import Workflow
from skill2env.stages import validate
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.draft import skill_text
from skill2env.store.folders import read_bundled

VERSION = "2"
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


class ModelAuthor:
    """Gives the draft stage its items, and writes what they ask for."""

    def __init__(self, context: Context) -> None:
        """Take the models and the parameters of a run."""
        params = context.params.draft.author
        self._sampling = Sampling(temperature=params.temperature, max_tokens=params.max_tokens)
        self._planner = Planner(context.model("plan"), params, self._sampling)
        self._writer = context.model("write")
        self._params = params
        self._blind = blind.settings(context.params)
        endpoint = context.params.llm.endpoints.get(params.model.partition("/")[0])
        self._at_once = endpoint.concurrency if endpoint else 1

    def items(self, skills: Iterable[Skill], corpus: Path) -> Iterator[Item]:
        """Yield a commission for each workflow that can be practised; one item says so where there is none, or no plan.

        Raises:
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        for planned in self._planner.plans(skills, self._at_once):
            yield from _items(planned, corpus)

    def settings(self) -> Any:
        """Return what of parameters and prompts a blueprint depends on, JSON-able."""
        params = self._params.model_dump(mode="json", exclude={"skills"})
        return [VERSION, knowledge.knowledge_id(), params, self._blind]

    def apply(self, item: Item, context: Context) -> Done:
        """Return the blueprint that a commission asks for, or why there is none, with what it cost.

        Raises:
            EngineError: the infrastructure failed.
            ModelError: the endpoint failed, or no plan came of it.
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        if isinstance(item.value, Unplanned):
            return _unplanned(item.value.error)
        if isinstance(item.value, Planned):
            charge(purpose="plan", spent=item.value.spent)
            return _nothing(item.value)
        commission: Commission = item.value
        charge(purpose="plan", spent=commission.planned)
        params = self._params
        looker = blind.Blind(context, params.blind_model or params.model) if params.blind else None
        bench = GateBench(
            context,
            skill_text(commission.skill, commission.folder),
            validate.shell_examples(commission.skill),
            commission.workflow.name,
            model_author(params.model, commission.date),
            looker,
        )
        desk = Desk(bench, _readable(commission.skill, commission.folder), params.rounds)
        bounds = Bounds(params.turns, params.tokens)
        held = hold(desk, self._writer, params.model, self._opening(commission), bounds, self._sampling)
        making = self._making(desk, held.spent, commission.planned, tuple(looker.looks) if looker else ())
        if held.reason:
            return Done(_given_up(held.reason, desk, making))
        outcome, static, _ = bench.read(desk.files)
        assert isinstance(outcome, Accepted), outcome
        return Done(Accepted[Blueprint](record=outcome.record.model_copy(update={"made": making})), static)

    def _opening(self, commission: Commission) -> tuple[Message, ...]:
        system = knowledge.prompt(
            "write",
            rounds=self._params.rounds,
            blind=self._params.blind,
            guide=knowledge.guide(),
            format=knowledge.format_text(),
        )
        skill = quoted("skill", commission.skill.text, numbered=True)
        wanted = quoted(
            "workflow", json.dumps(commission.workflow.model_dump(mode="json"), indent=1, ensure_ascii=False)
        )
        asked = f"{skill}\n\n{wanted}\n\nWrite the blueprint `{commission.workflow.name}` of this skill for this workflow."
        return Message(role="system", text=system), Message(role="user", text=asked)

    def _making(self, desk: Desk, spent: Spent, planned: Spent, looks: tuple[Look, ...]) -> Making:
        whole = spent + planned + desk.spent
        return Making(
            model=self._params.model,
            rounds=desk.submissions,
            turns=spent.completions,
            reopened=tuple(desk.reopened),
            input_tokens=whole.tokens.input,
            output_tokens=whole.tokens.output,
            money=None if whole.unpriced else whole.money,
            seconds=whole.seconds,
            blind=looks,
        )


def _items(planned: Planned | Unplanned, corpus: Path) -> Iterator[Item]:
    skill = planned.skill
    if isinstance(planned, Unplanned):
        yield Item(
            f"{skill.skill_id}--(unplanned)", content_id([skill.tree_sha256, str(planned.error)]), planned
        )
        return
    plan = planned.plan
    if not plan.workflows:
        yield Item(f"{skill.skill_id}--(none)", content_id([skill.tree_sha256, plan.record_id()]), planned)
        return
    shared = _shared(planned.spent, len(plan.workflows))
    folder = corpus / "skills" / skill.skill_id
    taken = corpus / "blueprints" / skill.skill_id
    for workflow in plan.workflows:
        name = f"{workflow.name}-by-model" if (taken / workflow.name).exists() else workflow.name
        named = workflow.model_copy(update={"name": name})
        value = Commission(skill, folder, named, shared, planned.date)
        yield Item(f"{skill.skill_id}--{name}", content_id([skill.tree_sha256, named.record_id()]), value)


def _unplanned(error: ModelError) -> Done:
    """Return the rejection of a skill that a model gave no plan for.

    Raises:
        ModelError: the endpoint failed, which says nothing of the skill.
    """
    if not isinstance(error, BadAnswer):
        raise error
    spent = sum((spent_on(completion) for completion in error.completions), Spent())
    charge(purpose="plan", spent=spent)
    return Done(Rejected(rule="no_plan", message=str(error), evidence=_cost(spent)))


def _nothing(planned: Planned) -> Done:
    told = f"{planned.plan.none_reason}: {planned.plan.explanation}"
    return Done(Rejected(rule="nothing_to_practise", message=told, evidence=_cost(planned.spent)))


def _cost(spent: Spent) -> str:
    return json.dumps(
        {
            "input_tokens": spent.tokens.input,
            "output_tokens": spent.tokens.output,
            "money": None if spent.unpriced else spent.money,
        }
    )


def _given_up(reason: str, desk: Desk, making: Making) -> Rejected:
    """Return the rejection: what it cost first, then what each reopening said, and what came of the last submission."""
    cost = making.model_dump(mode="json", exclude={"reopened", "blind"})
    reopened = [f"reopened {each.file}: {each.error[:400]}" for each in making.reopened]
    looks = [f"blind, {look.level}: {look.verdict}" for look in making.blind]
    evidence = [json.dumps(cost), *reopened, *looks, f"last submission: {desk.last.text or 'none'}"]
    return Rejected(rule=desk.last.rule, message=reason, evidence="\n".join(evidence)[:8000])


def _shared(spent: Spent, among: int) -> Spent:
    """Return one of several equal shares; tokens are rounded down."""
    tokens = Tokens(**{name: count // among for name, count in spent.tokens.model_dump().items()})
    return spent.model_copy(
        update={"tokens": tokens, "money": spent.money / among, "seconds": spent.seconds / among}
    )


def _readable(skill: Skill, folder: Path) -> dict[str, str]:
    """Return the text of each file of a skill that is text; SKILL.md as it was decoded."""
    texts = {"SKILL.md": skill.text}
    for path, node in read_bundled(folder, skill.files).items():
        if path == skill.skill_file or len(node.data) > _SKILL_FILE_BYTES:
            continue
        try:
            texts[path] = node.data.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return texts
