"""The author's report: what is known of one skill, its advice, its blueprints and the strength of its tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skill2env.checking import Checked, Target, check
from skill2env.coverage import Coverage, coverage, told
from skill2env.errors import UsageError
from skill2env.escaped import fenced, markdown, one_line
from skill2env.feasibility import judge
from skill2env.models.blueprint import Blueprint
from skill2env.models.feasibility import Feasibility
from skill2env.models.outcome import Errored, Rejected
from skill2env.models.skill import Skill
from skill2env.stages import build
from skill2env.stages.context import Context

_FIGURES = (
    ("oracle", "oracle_passes", "oracle_runs"),
    ("alternatives", "alternatives_passed", "alternatives"),
    ("mistakes", "mistakes_caught", "mistakes"),
    ("left out", "drops_failed", "drops"),
    ("mutants", "mutants_killed", "mutants"),
)
"""Column, figure of what went well, figure of what was tried."""
_UNKNOWN = "It was never taken through the gates as it is now; `skill2env check` does."


@dataclass(frozen=True)
class Measured:
    """One task, and what is known of its strength."""

    task_id: str
    kind: str
    """accepted, rejected, errored, or unknown where it was never taken through the gates as it is now."""
    figures: dict[str, Any]
    """Figures of all gates, of an accepted task."""
    message: str
    """Rule and sentence, of one that was not accepted."""

    def strength(self) -> list[tuple[str, str]]:
        """Return name and text of each figure that is shown; empty texts where nothing was measured."""
        rate = self.figures.get("kill_rate")
        rated = f"{rate:.0%}" if isinstance(rate, float | int) else ""
        shown = [
            (name, f"{self.figures.get(well, '-')}/{self.figures.get(tried, '-')}" if self.figures else "")
            for name, well, tried in _FIGURES
        ]
        return [*shown, ("kill rate", rated)]


@dataclass(frozen=True)
class SkillReport:
    """All that an author wants to know of one skill."""

    skill_id: str
    skill: Skill | None
    """None where it was refused."""
    checked: tuple[Checked, ...]
    """What became of the skill and of each blueprint."""
    coverage: Coverage | None
    tasks: tuple[Measured, ...]

    @property
    def feasibility(self) -> Feasibility | None:
        """Whether the skill can be practised offline; None where it could not be read."""
        return judge(self.skill) if self.skill else None

    @property
    def refused(self) -> bool:
        """True if the skill, a blueprint or a task is refused."""
        return "rejected" in {*(item.kind for item in self.checked), *(task.kind for task in self.tasks)}

    def as_json(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "skill": self.skill_id,
            "name": self.skill.name if self.skill else None,
            "feasibility": self.feasibility.model_dump(mode="json") if self.feasibility else None,
            "findings": [finding.model_dump(mode="json") for finding in self.checked[0].findings],
            "items": [item.as_json() for item in self.checked],
            "coverage": self.coverage.as_json() if self.coverage else None,
            "tasks": [vars(task) for task in self.tasks],
        }

    def lines(self) -> list[str]:
        """Return it as the lines of a Markdown page."""
        lines = [f"# {markdown(self.skill_id)}", ""]
        lines += [markdown(self.skill.description), ""] if self.skill else []
        lines += [*_feasibility(self.feasibility), *_findings(self.checked[0]), *self._blueprints()]
        lines += ["## Advice", "", *self.coverage.lines(), ""] if self.coverage else []
        return [*lines, *self._strength()]

    def _blueprints(self) -> list[str]:
        lines = ["## Blueprints", ""]
        for item in self.checked[1:]:
            lines.append(f"- {markdown(item.item_id)}: {item.kind}{_why(item)}")
            lines += [f"  - {markdown(str(finding))}" for finding in item.findings]
        return [*(lines if len(lines) > 2 else [*lines, "No blueprint was written for it."]), ""]

    def _strength(self) -> list[str]:
        if not self.tasks:
            return []
        names = [name for name, _, _ in _FIGURES]
        lines = ["## Tasks", "", "Well / tried, as the gates measured it.", ""]
        lines += [f"| Task | Outcome | {' | '.join(names)} | kill rate |", "|---" * (len(names) + 3) + "|"]
        lines += [
            f"| {markdown(task.task_id)} | {task.kind} | {' | '.join(value for _, value in task.strength())} |"
            for task in self.tasks
        ]
        if any(task.kind == "unknown" for task in self.tasks):
            lines += ["", _UNKNOWN]
        for task in self.tasks:
            lines += ["", f"{markdown(task.task_id)}: {markdown(task.message)}"] if task.message else []
        return lines

    def told(self) -> list[str]:
        """Return it as lines of plain text, for a terminal."""
        lines = [one_line(f"skill {self.skill_id}")]
        lines += [f"  {one_line(line)}" for line in _practised(self.feasibility)]
        for item in self.checked:
            lines.append(one_line(f"{item.stage:9} {item.kind}  {item.item_id}{_why(item)}"))
            lines += [f"  {finding.severity}: {one_line(str(finding))}" for finding in item.findings]
        lines += told(self.coverage) if self.coverage else []
        for task in self.tasks:
            figures = ", ".join(f"{name} {value}" for name, value in task.strength() if value)
            lines.append(f"task {task.task_id} {task.kind}: {figures or one_line(task.message) or _UNKNOWN}")
        return lines


def skill_report(target: Target, context: Context) -> SkillReport:
    """Return what is known of a skill; nothing is run, so tasks have the figures of when they were last validated.

    Raises:
        UsageError: there is no such skill.
    """
    checked = list(check([target], context, execute=False))
    if not checked or checked[0].stage != "parse":
        raise UsageError(
            f"there is no skill {target.skill_id} in {target.corpus / 'skills'}; name one, or its folder"
        )
    skill = checked[0].record
    blueprints = [item.record for item in checked if isinstance(item.record, Blueprint)]
    return SkillReport(
        skill_id=target.skill_id,
        skill=skill,
        checked=tuple(item for item in checked if item.stage in ("parse", "draft")),
        coverage=coverage(skill, blueprints) if skill else None,
        tasks=tuple(_measured(blueprints, checked, context)),
    )


def _measured(blueprints: list[Blueprint], checked: list[Checked], context: Context) -> list[Measured]:
    last = {item.item_id: item for item in checked if item.stage in ("build", "validate")}
    found = []
    for blueprint in blueprints:
        for order in build.items_of(blueprint, "", None, context.params.build):
            item = last.get(order.item_id)
            if item is None or (item.stage == "build" and item.kind == "accepted"):
                found.append(Measured(order.item_id, "unknown", {}, ""))
            else:
                found.append(
                    Measured(item.item_id, item.kind, figures_of(item), _why(item).removeprefix(", "))
                )
    return found


def figures_of(item: Checked) -> dict[str, Any]:
    """Return the figures of all gates of an accepted task; none for anything else."""
    gates = item.report.gates if item.report else ()
    return {name: value for gate in gates for name, value in gate.figures.items()}


def _why(item: Checked) -> str:
    if isinstance(item.refusal, Rejected):
        return f", {item.refusal.rule}: {item.refusal.message}"
    return f", {item.refusal.message}" if isinstance(item.refusal, Errored) else ""


def _feasibility(found: Feasibility | None) -> list[str]:
    """Return the section on whether the skill can be practised; nothing where that could not be judged."""
    lines = [f"- {markdown(line)}" for line in _practised(found)]
    return ["## Can it be practised?", "", *lines, ""] if lines else []


def _practised(found: Feasibility | None) -> list[str]:
    if found is None:
        return []
    lines = [f"{found.verdict}: {found.reason}"]
    for item in found.evidence:
        where = f", lines {', '.join(map(str, item.lines))}" if item.lines else ""
        lines.append(f"{item.signal} ({item.points:+g} {item.toward}{where}): {', '.join(item.seen)}")
    lines.append(f"toolchain {found.toolchain}; packages {', '.join(found.packages) or 'none'}")
    return [*lines, *(f"to change that: {edit}" for edit in found.edits)]


def _findings(item: Checked) -> list[str]:
    lines = ["## Against the specification", ""]
    if isinstance(item.refusal, Rejected):
        lines += [f"Refused, {item.refusal.rule}: {markdown(item.refusal.message)}", ""]
        lines += [*fenced(item.refusal.evidence), ""] if item.refusal.evidence else []
    if not item.findings:
        return [*lines, "Nothing departs from it.", ""]
    for finding in item.findings:
        lines.append(f"- {finding.severity}: {markdown(str(finding))}")
    return [*lines, ""]
