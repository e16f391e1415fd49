"""The author's report: what is known is told, what was never measured is not made up, and nothing is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from skill2env.checking import Target, check
from skill2env.cli import app
from skill2env.errors import UsageError
from skill2env.escaped import markdown
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.report import GateResult, ValidationReport
from skill2env.models.task import Task
from skill2env.params import Params
from skill2env.pipeline import STAGES, _key
from skill2env.reporting import skill_report
from skill2env.stages import build, draft, validate
from skill2env.stages.context import Context
from skill2env.stages.validate.subject import Candidate
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

BASE = Path(__file__).resolve().parents[1] / "cases" / "blueprints" / "base"
BLUEPRINT = "till-receipts--takings"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    corpus = tmp_path / "skills_corpus"
    shutil.copytree(BASE / "skill", corpus / "skills" / "till-receipts")
    shutil.copytree(BASE / "blueprint", corpus / "blueprints" / "till-receipts" / "takings")
    (tmp_path / "params.yaml").write_text("{}")
    return tmp_path


@pytest.fixture
def context(root: Path) -> Iterator[Context]:
    store = ResultStore(root / "data" / "store" / "results.sqlite")
    with Context(Workspace(root), Params(), store) as context:
        yield context
    store.close()


def _target(context: Context) -> Target:
    return Target(context.workspace.root / "skills_corpus", "till-receipts")


def _measure(context: Context) -> None:
    """Put what the gates would have said of the first two tasks into the store: one is accepted, one refused."""
    target = _target(context)
    skill, blueprint = [item.record for item in check([target], context, execute=False)]
    assert isinstance(blueprint, Blueprint)
    folder = target.corpus / "blueprints" / "till-receipts" / "takings"
    drafted = draft.item_of(folder, skill, target.corpus)
    figures = {"mutants": 8, "mutants_killed": 7, "kill_rate": 0.875, "mistakes": 2, "mistakes_caught": 2}
    gates = (GateResult(gate="mutants_fail", passed=True, message="m", figures=figures),)
    items = list(build.items_of(blueprint, drafted.input_id, None, context.params.build))[:2]
    for item, accepted in zip(items, (True, False), strict=True):
        task = Task(
            task_id=item.item_id,
            content_id=item.item_id,
            blueprint=blueprint,
            level=item.value.level,
            seed=1,
            instruction="",
            truth={},
            facts={},
            world_runs=(),
            toolchain_sha256="",
            verifier_sha256="",
            build_sec=0,
        )
        outcome: BaseModel = Accepted[Task](record=task)
        context.store.put(
            _key(STAGES["build"], item, context), "build", item.item_id, outcome.model_dump_json(), b"tar"
        )
        candidate = validate.item_of(Candidate(task, None, validate.shell_examples(skill)), b"tar")
        report = ValidationReport(
            task_id=item.item_id, task_content_id="c", gates=gates, wall_sec=1, container_sec=1, work_sec=1
        )
        refused = Rejected(rule="stated", message="say | it")
        outcome = Accepted[ValidationReport](record=report) if accepted else refused
        key = _key(STAGES["validate"], candidate, context)
        context.store.put(key, "validate", item.item_id, outcome.model_dump_json())


def test_what_was_never_measured_is_unknown(context: Context) -> None:
    found = skill_report(_target(context), context)
    assert [(task.task_id, task.kind, task.figures) for task in found.tasks] == [
        (f"{BLUEPRINT}--{level}-s1", "unknown", {}) for level in ("easy", "medium", "hard")
    ]
    assert not found.refused
    assert replace(found, skill=None).as_json()["feasibility"] is None
    assert "## Can it be practised?" not in replace(found, skill=None).lines()


def test_strength_is_what_the_store_has_of_each_task_as_it_is_now(context: Context) -> None:
    _measure(context)
    found = skill_report(_target(context), context)
    assert [task.kind for task in found.tasks] == ["accepted", "rejected", "unknown"]
    assert f"| {BLUEPRINT}--easy-s1 | accepted | -/- | -/- | 2/2 | -/- | 7/8 | 88% |" in found.lines()
    assert f"{BLUEPRINT}--medium-s1: stated: say \\| it" in found.lines()
    assert any(line.endswith("rejected: stated: say | it") for line in found.told())
    assert found.refused
    world = _target(context).corpus / "blueprints" / "till-receipts" / "takings" / "world.py"
    world.write_text(world.read_text() + "\n")
    assert {task.kind for task in skill_report(_target(context), context).tasks} == {"unknown"}


def test_feasibility_is_shown_with_its_evidence(context: Context) -> None:
    whole = skill_report(_target(context), context)
    assert whole.skill is not None
    asks = "Log in at the Stripe dashboard with your STRIPE_API_KEY and call the Stripe API for <b>*every*</b> receipt."
    found = replace(
        whole,
        skill=whole.skill.model_copy(update={"description": asks, "text": f"{whole.skill.text}\n{asks}\n"}),
    )
    assert found.feasibility is not None
    lines, told = found.lines(), found.told()
    place = lines.index("## Can it be practised?")
    verdict = found.feasibility.verdict
    assert lines[place + 2] == f"- {markdown(f'{verdict}: {found.feasibility.reason}')}"
    assert f"  {verdict}: {found.feasibility.reason}" in told
    signals = [item.signal for item in found.feasibility.evidence]
    assert signals and all(any(markdown(signal) in line for line in lines[place:]) for signal in signals)
    assert found.as_json()["feasibility"]["verdict"] == verdict


def test_the_command_tells_the_same_in_three_ways(root: Path) -> None:
    run, here = CliRunner().invoke, ["--workspace", str(root)]
    told = run(app, ["report", "till-receipts", "--page", str(root / "page.md"), *here])
    assert told.exit_code == 0, told.output
    summary = "3 of 3 pieces of advice are exercised, 0 by nothing."
    assert summary in told.stdout
    assert summary in (root / "page.md").read_text()
    by_folder = str(root / "skills_corpus" / "skills" / "till-receipts")
    document = json.loads(run(app, ["report", by_folder, "--json", *here]).stdout)
    assert (document["coverage"]["exercised"], document["coverage"]["unexercised"]) == (3, 0)
    assert [finding["code"] for finding in document["findings"]] == ["no-provenance"]


def test_a_refused_skill_has_a_report_of_why(root: Path) -> None:
    (root / "skills_corpus" / "skills" / "till-receipts" / "SKILL.md").write_bytes(b"\0\1\2" * 50)
    told = CliRunner().invoke(app, ["report", "till-receipts", "--workspace", str(root)])
    assert told.exit_code == 1
    assert "parse rejected till-receipts, not-text: " in told.stdout


def test_an_unknown_skill_is_one_sentence(root: Path) -> None:
    result = CliRunner().invoke(app, ["report", "nobody", "--workspace", str(root)])
    assert isinstance(result.exception, UsageError)
