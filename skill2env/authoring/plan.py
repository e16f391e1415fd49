"""Asks a model what of a skill can be practised; the skill is data, whatever it says."""

from __future__ import annotations

from skill2env.authoring import knowledge
from skill2env.llm.quoted import quoted
from skill2env.models.chat import Ask, Message, Sampling
from skill2env.models.skill import Skill

_ASKED = "Plan for the skill that stands in the data above. Line numbers count in SKILL.md."


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
