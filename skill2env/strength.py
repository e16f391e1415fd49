"""What the corpus's verifiers are worth, in figures: from the outcomes of validation, nothing is run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from statistics import mean
from typing import Any

from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.report import ValidationReport
from skill2env.store.shards import read_shard
from skill2env.store.workspace import Workspace

CONFIDENCE = 0.95
_BINS = (0.0, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
_SUMS = (
    "oracle_runs",
    "oracle_passes",
    "alternatives",
    "alternatives_passed",
    "mistakes",
    "mistakes_caught",
    "drops",
    "drops_failed",
    "dead_steps",
    "mutants",
    "mutants_killed",
    "equivalents",
    "equivalents_accepted",
    "shortcuts",
    "shortcuts_paid",
    "attacks_tried",
    "attacks_succeeded",
    "literals",
    "unexplained",
)
"""Figures of gates that are summed over the tasks."""


def strength(workspace: Workspace) -> dict[str, Any]:
    """Return the figures over all validated tasks, JSON-able; nothing in it varies from run to run.

    Raises:
        WorkspaceError: validate was never run.
    """
    reports, rejections = [], []
    for row in read_shard(workspace.shard("validate")):
        if row.kind == "accepted":
            reports.append(Accepted[ValidationReport].model_validate_json(row.outcome).record)
        elif row.kind == "rejected":
            rejections.append((row.item_id, Rejected.model_validate_json(row.outcome)))
    refused = Counter(finding.code for _, rejected in rejections for finding in rejected.findings)
    tasks = len(reports) + len(rejections)
    sums = {name: sum(_figures(reports, name)) for name in _SUMS}
    rates = sorted(_figures(reports, "kill_rate"))
    return {
        "tasks": tasks,
        "accepted": len(reports),
        "gates": {
            gate: {"held": tasks - refused[gate], "refused": refused[gate]}
            for gate in _gates(reports, refused)
        },
        **sums,
        "kill_rate_mean": round(mean(rates), 4) if rates else None,
        "kill_rate_min": rates[0] if rates else None,
        "kill_rate_bins": _binned(rates),
        "flakes": sums["oracle_runs"] - sums["oracle_passes"],
        "flake_rate_at_most": round(
            at_most(sums["oracle_runs"] - sums["oracle_passes"], sums["oracle_runs"]), 5
        ),
        "rejections": [
            {"task": task, "gate": finding.code, "message": finding.message}
            for task, rejected in rejections
            for finding in rejected.findings
        ],
    }


def at_most(failures: int, runs: int, confidence: float = CONFIDENCE) -> float:
    """Return the highest rate that is compatible with so many failures in so many runs (Clopper and Pearson, one-sided)."""
    if runs == 0 or failures >= runs:
        return 1.0
    low, high = failures / runs, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _cumulative(failures, runs, middle) > 1 - confidence else (low, middle)
    return high


def _cumulative(failures: int, runs: int, rate: float) -> float:
    """Return the probability of at most so many failures."""
    if rate in (0.0, 1.0):
        return float(rate == 0.0)
    return sum(
        math.exp(
            math.lgamma(runs + 1)
            - math.lgamma(k + 1)
            - math.lgamma(runs - k + 1)
            + k * math.log(rate)
            + (runs - k) * math.log1p(-rate)
        )
        for k in range(failures + 1)
    )


def _gates(reports: Iterable[ValidationReport], refused: Counter[str]) -> list[str]:
    names = [gate.gate for report in reports for gate in report.gates]
    return list(dict.fromkeys((*names, *refused)))


def _figures(reports: Iterable[ValidationReport], name: str) -> list[Any]:
    return [gate.figures[name] for report in reports for gate in report.gates if name in gate.figures]


def _binned(rates: list[float]) -> dict[str, int]:
    """Return how many rates are at least a bound and below the next."""
    bounds = [*_BINS, math.inf]
    return {f"{low:g}": sum(low <= rate < high for rate in rates) for low, high in pairwise(bounds)}


def lines_of(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines of Markdown: gates, sums, kill rates, and what each rejected task needs."""
    lines = ["| Gate | Holds | Refuses |", "|---|---|---|"]
    lines += [f"| {name} | {gate['held']} | {gate['refused']} |" for name, gate in figures["gates"].items()]
    lines += ["", "| Over the accepted tasks | Tried | Well |", "|---|---|---|"]
    for what, tried, well in (
        ("runs of the reference, plain and perturbed, that earn 1", "oracle_runs", "oracle_passes"),
        ("alternatives that earn 1", "alternatives", "alternatives_passed"),
        ("mistakes that earn less", "mistakes", "mistakes_caught"),
        ("parts of the reference left out that earn less", "drops", "drops_failed"),
        ("changed outputs, delivered programs apart, that are refused", "mutants", "mutants_killed"),
        ("outputs that mean the same and are accepted", "equivalents", "equivalents_accepted"),
    ):
        lines.append(f"| {what} | {figures[tried]} | {figures[well]} |")
    for what, tried, badly in (
        ("shortcuts that earn no reward", "shortcuts", "shortcuts_paid"),
        ("attacks that earn no reward", "attacks_tried", "attacks_succeeded"),
        ("literals of tests that the agent can know", "literals", "unexplained"),
    ):
        lines.append(f"| {what} | {figures[tried]} | {figures[tried] - figures[badly]} |")
    lines += ["", "| Kill rate at least | Tasks |", "|---|---|"]
    lines += [f"| {bound} | {count} |" for bound, count in figures["kill_rate_bins"].items()]
    lines += [
        "",
        f"Mean kill rate {figures['kill_rate_mean']}, lowest {figures['kill_rate_min']}. Changed programs are not counted "
        "here: they have a lower bar, and a rate of their own in the column `program_kill_rate`. "
        f"{figures['flakes']} flakes in {figures['oracle_runs']} runs of references: with 95% confidence at most "
        f"{figures['flake_rate_at_most']:.2%} of such runs are flaky.",
    ]
    if figures["rejections"]:
        lines += ["", "| Rejected task | Gate | What to change |", "|---|---|---|"]
        lines += [
            f"| {entry['task']} | {entry['gate']} | {entry['message']} |" for entry in figures["rejections"]
        ]
    return lines
