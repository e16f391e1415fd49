"""The figures of the corpus's verifiers, from outcomes that were written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.report import GateResult, ValidationReport
from skill2env.store.shards import Row, ShardWriter
from skill2env.store.workspace import Workspace
from skill2env.strength import at_most, lines_of, strength


@pytest.mark.parametrize(
    ("failures", "runs", "bound"),
    [(0, 299, 0.01), (0, 25, 0.1129), (1, 100, 0.0466), (5, 50, 0.1988), (3, 3, 1.0), (0, 0, 1.0)],
)
def test_the_bound_is_that_of_clopper_and_pearson(failures: int, runs: int, bound: float) -> None:
    assert at_most(failures, runs) == pytest.approx(bound, abs=5e-4)


def _report(task: str, rate: float, killed: int) -> ValidationReport:
    gates = (
        GateResult(
            gate="oracle_passes", passed=True, message="", figures={"oracle_runs": 3, "oracle_passes": 3}
        ),
        GateResult(
            gate="mutants_fail",
            passed=True,
            message="",
            figures={
                "mutants": 20,
                "mutants_killed": killed,
                "kill_rate": rate,
                "equivalents": 2,
                "equivalents_accepted": 2,
            },
        ),
    )
    return ValidationReport(
        task_id=task, task_content_id="x", gates=gates, wall_sec=1, container_sec=1, work_sec=1
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path)
    refused = Rejected(
        rule="no_leak",
        message="the answer lies there",
        findings=(
            Finding(code="no_leak", severity=Severity.ERROR, message="take it out"),
            Finding(code="mutants_fail", severity=Severity.ERROR, message="test for it"),
        ),
    )
    with ShardWriter(workspace.shard("validate")) as shard:
        for task, rate, killed in (("a", 1.0, 20), ("b", 0.95, 19)):
            outcome = Accepted[ValidationReport](record=_report(task, rate, killed)).model_dump_json()
            shard.add(Row(task, task, "accepted", outcome, None))
        shard.add(Row("c", "c", "rejected", refused.model_dump_json(), None))
    return workspace


def test_sums_rates_and_rejections(workspace: Workspace) -> None:
    figures = strength(workspace)
    assert (figures["tasks"], figures["accepted"]) == (3, 2)
    assert (figures["mutants"], figures["mutants_killed"]) == (40, 39)
    assert (figures["kill_rate_mean"], figures["kill_rate_min"]) == (0.975, 0.95)
    assert figures["kill_rate_bins"] == {"0": 0, "0.8": 0, "0.9": 0, "0.95": 1, "0.98": 0, "0.99": 0, "1": 1}
    assert (figures["oracle_runs"], figures["flakes"]) == (6, 0)
    assert figures["gates"]["mutants_fail"] == {"held": 2, "refused": 1}
    assert figures["gates"]["oracle_passes"] == {"held": 3, "refused": 0}
    assert [(entry["task"], entry["gate"]) for entry in figures["rejections"]] == [
        ("c", "no_leak"),
        ("c", "mutants_fail"),
    ]


def test_the_page_says_what_each_rejected_task_needs(workspace: Workspace) -> None:
    lines = lines_of(strength(workspace))
    assert "| c | mutants_fail | test for it |" in lines
    assert "| mutants_fail | 2 | 1 |" in lines
    assert "| changed outputs, delivered programs apart, that are refused | 40 | 39 |" in lines
