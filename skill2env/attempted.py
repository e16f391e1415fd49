"""What models achieved on the tasks, in figures: from the outcomes of rollout, nothing is run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from skill2env.escaped import markdown
from skill2env.models.blueprint import LEVELS
from skill2env.models.chat import Tokens
from skill2env.models.outcome import Accepted
from skill2env.models.rollout import Rollout
from skill2env.models.trial import CriterionResult, Status, Trial
from skill2env.passes import CONFIDENCE, Estimate, estimate, hurts, lift, pass_at
from skill2env.store.shards import read_shard
from skill2env.store.workspace import Workspace
from skill2env.trial.opinion import agreement, steadiness

ALL = "all"
_WITH_SKILL = ("mounted", "prompt")
_DIGITS = 4


@dataclass(frozen=True)
class Outcome:
    """One attempt of a model, as far as the figures go."""

    task_id: str
    skill: str
    level: str
    model: str
    """Name of the model; of an agent that ran elsewhere, with the agent's."""
    condition: str
    passed: bool | None
    """None where there is no verdict; such an attempt counts nowhere."""
    finish: str = "unknown"
    tokens: Tokens = field(default_factory=Tokens)
    money: float | None = 0.0


def attempted(workspace: Workspace) -> dict[str, Any]:
    """Return the figures over all attempts of models, JSON-able; nothing in it varies while no attempt is added.

    Raises:
        WorkspaceError: rollout was never run.
    """
    outcomes: list[Outcome] = []
    results: list[CriterionResult] = []
    for row in read_shard(workspace.shard("rollout"), "accepted"):
        rollout = Accepted[Rollout].model_validate_json(row.outcome).record
        for trajectory in rollout.trajectories:
            results += trajectory.rubric
            if trajectory.trial.model is not None:
                outcomes.append(outcome(trajectory.trial))
    return {**figures(outcomes), "judge": judge_figures(results)}


def outcome(trial: Trial) -> Outcome:
    """Return the outcome of a model's trial; the task's id says skill and level."""
    part = trial.model
    assert part is not None
    skill, _, variant = trial.task_id.rsplit("--", 2)
    return Outcome(
        task_id=trial.task_id,
        skill=skill,
        level=variant.rpartition("-s")[0],
        model=f"{trial.agent} {part.model}" if trial.role == "external" else part.model,
        condition=part.condition,
        passed=None if trial.verdict.status is Status.NO_VERDICT else trial.verdict.reward == 1,
        finish=part.finish,
        tokens=part.tokens,
        money=part.money,
    )


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return pass@k and lifts of attempts, JSON-able, in an order that does not vary."""
    judged = [one for one in outcomes if one.passed is not None]
    return {
        "attempts": len(outcomes),
        "no_verdict": len(outcomes) - len(judged),
        "confidence": CONFIDENCE,
        "passes": list(_passes(judged)),
        "lifts": list(_lifts(judged)),
        "finishes": _counted(one.finish for one in outcomes),
        "tokens": sum((one.tokens for one in outcomes), Tokens()).model_dump(),
        "cost_usd": _cost(outcomes),
    }


def judge_figures(results: Sequence[CriterionResult]) -> dict[str, Any] | None:
    """Return what the judge model's answers are worth, or None where none was asked."""
    asked = [r for r in results if r.judge_yes or r.judge_no or r.judge_void]
    if not asked:
        return None
    (same, both), (steady, answers) = agreement(asked), steadiness(asked)
    return {
        "asked": len(asked),
        "answered": sum(result.judged is not None for result in asked),
        "answers": answers,
        "void": sum(result.judge_void for result in asked),
        "agrees_with_predicates": same,
        "compared_with_predicates": both,
        "agreement": round(same / both, _DIGITS) if both else None,
        "agreement_over_repeats": round(steady / answers, _DIGITS) if answers else None,
    }


def _passes(judged: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    for model, condition in sorted({(one.model, one.condition) for one in judged}):
        own = [one for one in judged if (one.model, one.condition) == (model, condition)]
        for level in _levels(own):
            tasks = _by_task(one for one in own if level in (ALL, one.level))
            most = max(len(tries) for tries in tasks.values())
            yield {
                "model": model,
                "condition": condition,
                "level": level,
                "tasks": len(tasks),
                "attempts": sum(map(len, tasks.values())),
                "pass_at": {str(k): _pass_at(tasks, k) for k in _ks(most)},
            }


def _ks(most: int) -> list[int]:
    """Return the k for which pass@k is told: 1, 2, 4, 8 and so on, and the number of attempts."""
    return sorted({1 << power for power in range(most.bit_length())} | {most})


def _pass_at(tasks: dict[str, list[bool]], k: int) -> dict[str, Any] | None:
    """Return the mean over the tasks that were attempted k times or more."""
    found = estimate([pass_at(len(tries), sum(tries), k) for tries in tasks.values() if len(tries) >= k])
    return _told(found)


def _lifts(judged: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the lift of each skill, and of all together by level, for each model and way of giving the skill."""
    for model in sorted({one.model for one in judged}):
        own = [one for one in judged if one.model == model]
        bare = _by_task(one for one in own if one.condition == "bare")
        for condition in _WITH_SKILL:
            given = [one for one in own if one.condition == condition and one.task_id in bare]
            groups = [(ALL, level, [o for o in given if level in (ALL, o.level)]) for level in _levels(given)]
            groups += [(s, ALL, [o for o in given if o.skill == s]) for s in sorted({o.skill for o in given})]
            for skill, level, group in groups:
                pairs = [(_rate(bare[task]), _rate(tries)) for task, tries in _by_task(group).items()]
                found = lift(pairs)
                if found is not None:
                    named = {"model": model, "condition": condition, "skill": skill, "level": level}
                    yield {**named, **(_told(found) or {}), "alarm": hurts(found)}


def _levels(outcomes: Sequence[Outcome]) -> list[str]:
    there = {one.level for one in outcomes}
    return [*([ALL] if there else []), *(level for level in LEVELS if level in there)]


def _by_task(outcomes: Iterable[Outcome]) -> dict[str, list[bool]]:
    tasks: dict[str, list[bool]] = defaultdict(list)
    for one in outcomes:
        tasks[one.task_id].append(bool(one.passed))
    return tasks


def _rate(tries: Sequence[bool]) -> float:
    return sum(tries) / len(tries)


def _told(found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": round(found.mean, _DIGITS),
        "low": round(found.low, _DIGITS),
        "high": round(found.high, _DIGITS),
        "tasks": found.tasks,
    }


def _cost(outcomes: Sequence[Outcome]) -> float | None:
    prices = [one.money for one in outcomes]
    return None if None in prices else round(sum(price for price in prices if price is not None), 6)


def _counted(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for word in words:
        counts[word] += 1
    return dict(sorted(counts.items()))


def lines_of(found: dict[str, Any]) -> list[str]:
    """Return the figures as lines of Markdown: pass@k, lifts with their alarms, the judge, and what it cost."""
    if not found["attempts"]:
        return ["No model has attempted the tasks: name some in `rollout.models`, or import trials."]
    ks = sorted({int(k) for row in found["passes"] for k in row["pass_at"]})
    head = ["Model", "Condition", "Level", "Tasks", "Attempts", *(f"pass@{k}" for k in ks)]
    lines = _ruled(head)
    for row in found["passes"]:
        cells = [markdown(str(row[key])) for key in ("model", "condition", "level", "tasks", "attempts")]
        cells += [_interval(row["pass_at"].get(str(k))) for k in ks]
        lines.append(_line(cells))
    if found["lifts"]:
        lines += ["", *_ruled(["Model", "Condition", "Skill", "Level", "Tasks", "Lift", "Alarm"])]
        for row in found["lifts"]:
            cells = [markdown(str(row[key])) for key in ("model", "condition", "skill", "level", "tasks")]
            lines.append(_line([*cells, _interval(row, "+"), "the skill hurts" if row["alarm"] else ""]))
    tokens, cost = found["tokens"], found["cost_usd"]
    price = "at a price that is not known" if cost is None else f"for {cost:g} US dollars"
    lines += [
        "",
        f"{found['attempts']} attempts, {found['no_verdict']} of them without a verdict; {tokens['input']} tokens read and "
        f"{tokens['output']} written {price}. Intervals hold {found['confidence']:.0%}, over tasks.",
    ]
    if judge := found.get("judge"):
        lines += [
            "",
            f"The judge answered {judge['answered']} of {judge['asked']} criteria. It says the same as the predicate in "
            f"{judge['agrees_with_predicates']} of {judge['compared_with_predicates']}; {judge['agreement_over_repeats']} of its "
            f"answers are those of its majority; {judge['void']} had no quote that is there.",
        ]
    return lines


def _interval(row: dict[str, Any] | None, sign: str = "") -> str:
    if row is None:
        return ""
    return f"{row['mean']:{sign}.2f} ({row['low']:{sign}.2f} to {row['high']:{sign}.2f})"


def _ruled(head: Sequence[str]) -> list[str]:
    return [_line(head), _line(["---"] * len(head))]


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"
