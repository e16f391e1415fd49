"""Asks a model what of each skill can be practised; the skill is data, whatever it says."""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from skill2env.authoring import knowledge
from skill2env.errors import EndpointUnusable, ModelError
from skill2env.llm.client import Model
from skill2env.llm.ledger import spent_on
from skill2env.llm.quoted import quoted
from skill2env.llm.structured import structured
from skill2env.models.chat import Ask, Message, Sampling, Spent
from skill2env.models.skill import Skill
from skill2env.models.workflow import Plan
from skill2env.params import AuthorParams

_ASKED = "Plan for the skill that stands in the data above. Line numbers count in SKILL.md."


@dataclass(frozen=True)
class Planned:
    """A skill with its plan."""

    skill: Skill
    plan: Plan
    spent: Spent
    """What it cost to plan."""
    date: datetime.date
    """When the plan was made."""


@dataclass(frozen=True)
class Unplanned:
    """A skill that there is no plan for."""

    skill: Skill
    error: ModelError
    """The endpoint's failure, or the model's (`BadAnswer`)."""


class Planner:
    """Asks a model for plans, several at the same time; how many requests are open at once is the endpoint's limit."""

    def __init__(self, model: Model, params: AuthorParams, sampling: Sampling) -> None:
        """Take who plans; nothing is asked yet."""
        self._model, self._params, self._sampling = model, params, sampling

    def plans(self, skills: Iterable[Skill], at_once: int) -> Iterator[Planned | Unplanned]:
        """Yield what came of each skill, in the order of the skills; a failure at one of them costs the others nothing.

        Raises:
            EndpointUnusable: the endpoint would refuse every request.
            BudgetSpent, MissingRecord: nothing more may be asked.
        """
        waiting: deque[Future[Planned | Unplanned]] = deque()
        pool = ThreadPoolExecutor(at_once, "plan")
        try:
            for skill in skills:
                waiting.append(pool.submit(self._plan, skill))
                while len(waiting) >= 2 * at_once or (waiting and waiting[0].done()):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _plan(self, skill: Skill) -> Planned | Unplanned:
        params = self._params
        ask = plan_ask(skill, params.model, params.workflows, self._sampling)
        try:
            plan, completions = structured(self._model.complete, ask, Plan)
        except EndpointUnusable:
            raise
        except ModelError as error:
            return Unplanned(skill, error)
        spent = sum((spent_on(completion) for completion in completions), Spent())
        date = completions[-1].made_on or datetime.datetime.now(datetime.UTC).date()
        kept = plan.model_copy(update={"workflows": plan.workflows[: params.workflows]})
        return Planned(skill, kept, spent, date)


def plan_ask(skill: Skill, model: str, most: int, sampling: Sampling) -> Ask:
    """Return the request for a plan; nothing of the skill stands outside of one block of data.

    Args:
        skill: the skill as it was read.
        model: who plans.
        most: workflows, at most.
        sampling: how the answer is drawn.
    """
    system = knowledge.prompt("plan", most=most, toolchains=knowledge.toolchains())
    data = quoted("skill", skill.text, numbered=True)
    messages = (Message(role="system", text=system), Message(role="user", text=f"{data}\n\n{_ASKED}"))
    return Ask(model=model, messages=messages, sampling=sampling)
