"""Which of a skill's advice is exercised by tasks, mistakes and criteria, and which by nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from skill2env.escaped import markdown, one_line
from skill2env.models.blueprint import Blueprint
from skill2env.models.fields import spans
from skill2env.models.skill import Skill

_SHOWN = 160


@dataclass(frozen=True)
class Advice:
    """One thing that a skill demands, forbids or warns of, and what exercises it."""

    kind: str
    """must do, must not, should do, should not, or pitfall."""
    text: str
    """What the skill says."""
    line: int
    """First line in the skill's file, from 1."""
    end_line: int
    """Last line."""
    blueprints: tuple[str, ...]
    """Blueprints whose tasks, and so their checks, exercise these lines (`skill_refs`)."""
    mistakes: tuple[str, ...]
    """Mistakes that cite these lines, as `<blueprint>/<mistake>`."""
    criteria: tuple[str, ...]
    """Criteria that cite these lines, as `<blueprint>/<criterion>`."""

    @property
    def exercised(self) -> bool:
        """True if anything exercises it."""
        return bool(self.blueprints or self.mistakes or self.criteria)


@dataclass(frozen=True)
class Coverage:
    """What blueprints exercise of a skill."""

    skill_id: str
    advice: tuple[Advice, ...]
    """All advice, by line."""
    uncited: tuple[str, ...]
    """Mistakes that name no line of the skill, as `<blueprint>/<mistake>`: what they exercise is not known."""
    uncounted: tuple[str, ...] = ()
    """Ids of blueprints that were refused, so that what they exercise is not known."""

    @property
    def unexercised(self) -> tuple[Advice, ...]:
        """The advice that nothing exercises."""
        return tuple(advice for advice in self.advice if not advice.exercised)

    def summary(self) -> str:
        """Return one sentence."""
        if not self.advice:
            return "The skill demands, forbids and warns of nothing that could be found."
        well = len(self.advice) - len(self.unexercised)
        return f"{well} of {len(self.advice)} pieces of advice are exercised, {len(self.unexercised)} by nothing."

    def as_json(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "skill": self.skill_id,
            "advice": [{**vars(advice), "exercised": advice.exercised} for advice in self.advice],
            "exercised": len(self.advice) - len(self.unexercised),
            "unexercised": len(self.unexercised),
            "mistakes_without_source": list(self.uncited),
            "not_counted": list(self.uncounted),
        }

    def lines(self) -> list[str]:
        """Return it as lines of Markdown: a sentence, and a table of what exercises what."""
        lines = [self.summary()]
        if self.uncounted:
            lines += ["", f"Not counted, since they were not accepted: {_listed(self.uncounted)}."]
        if not self.advice:
            return lines
        lines += [
            "",
            "| Line | Advice | Kind | Checks of | Mistakes | Criteria |",
            "|---|---|---|---|---|---|",
        ]
        for advice in self.advice:
            cells = [_listed(names) for names in (advice.blueprints, advice.mistakes, advice.criteria)]
            if not advice.exercised:
                cells[0] = "**nothing**"
            lines.append(
                f"| {advice.line} | {markdown(advice.text, _SHOWN)} | {advice.kind} | {' | '.join(cells)} |"
            )
        if self.uncited:
            lines += [
                "",
                f"{len(self.uncited)} mistakes name no line of the skill, so what they exercise is not known: "
                f"{_listed(self.uncited)}. Give each a line `# Source: SKILL.md:LINE`.",
            ]
        return lines


def told(covered: Coverage) -> list[str]:
    """Return what is exercised as lines of plain text, for a terminal."""
    lines = [covered.summary()]
    for advice in covered.advice:
        lines.append(f"line {advice.line}, {advice.kind}: {one_line(advice.text, _SHOWN)}")
        by = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("checks of", advice.blueprints),
                ("mistakes", advice.mistakes),
                ("criteria", advice.criteria),
            )
            if names
        ]
        lines.append(f"  {'; '.join(by) or 'exercised by nothing'}")
    if covered.uncited:
        lines.append(f"mistakes without a line `# Source: SKILL.md:LINE`: {', '.join(covered.uncited)}")
    return lines


def coverage(skill: Skill, blueprints: Iterable[Blueprint], uncounted: Iterable[str] = ()) -> Coverage:
    """Return what blueprints exercise of a skill's normative statements and pitfalls; `uncounted` could not be read."""
    blueprints = list(blueprints)
    cited: dict[str, list[tuple[int, int, str]]] = {"blueprints": [], "mistakes": [], "criteria": []}
    uncited = []

    def cite(what: str, reference: str, name: str) -> None:
        file, first, last = spans(reference)
        if file == skill.skill_file:
            cited[what].append((first, last, name))

    for blueprint in blueprints:
        for reference in blueprint.spec.skill_refs:
            cite("blueprints", reference, blueprint.name)
        for criterion in blueprint.spec.rubric:
            cite("criteria", criterion.source, f"{blueprint.name}/{criterion.id}")
        for script in blueprint.scripts:
            if script.source:
                cite("mistakes", script.source, f"{blueprint.name}/{script.name}")
            elif script.role == "mistake":
                uncited.append(f"{blueprint.name}/{script.name}")
    advice = tuple(
        Advice(kind, text, line, end, **{what: _meeting(line, end, spots) for what, spots in cited.items()})
        for kind, text, line, end in _advice(skill)
    )
    return Coverage(skill.skill_id, advice, tuple(uncited), tuple(uncounted))


def _meeting(line: int, end: int, spots: list[tuple[int, int, str]]) -> tuple[str, ...]:
    """Return the names of the spots that share a line with a span, once each."""
    return tuple(dict.fromkeys(name for first, last, name in spots if first <= end and line <= last))


def _advice(skill: Skill) -> list[tuple[str, str, int, int]]:
    """Return kind, text, first and last line of all advice, by line; a statement in a pitfall is part of it."""
    warned = [("pitfall", pitfall.text, pitfall.line, pitfall.end_line) for pitfall in skill.pitfalls]
    within = {line for _, _, first, last in warned for line in range(first, last + 1)}
    stated = [
        (
            f"{statement.strength} {'not' if statement.polarity == 'dont' else 'do'}",
            statement.text,
            statement.line,
        )
        for statement in skill.statements
        if statement.line not in within
    ]
    return sorted([*warned, *((*found, found[2]) for found in stated)], key=lambda advice: advice[2])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(markdown(name) for name in names)
