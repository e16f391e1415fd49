"""The row of an accepted task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from skill2env.models.base import canonical_json
from skill2env.models.blueprint import Script
from skill2env.models.making import Making
from skill2env.models.report import ValidationReport
from skill2env.models.skill import Provenance, Skill
from skill2env.models.task_row import TaskRow
from skill2env.models.tree import Tree
from skill2env.models.trial import Condition, Status
from skill2env.passes import share
from skill2env.stages.publish.benchmarks import Comparison
from skill2env.stages.publish.costs import task_costs
from skill2env.stages.publish.inputs import Published

_MEASURES = ("_sec", "_mb", "_processes")


def licence_of(skill: Skill) -> str:
    """Return the licence on record for a skill, else the one that it states."""
    return (skill.provenance.licence if skill.provenance else "") or skill.licence


def task_row(published: Published, skill: Skill, comparison: Comparison | None = None) -> TaskRow:
    """Return the row of an accepted task, which was compared with benchmarks or not."""
    return TaskRow(
        files=published.archive,
        dockerfile=_text(published.tree, "environment/Dockerfile"),
        tests=_text(published.tree, "tests/test_outputs.py"),
        solution=_text(published.tree, "solution/solve.sh"),
        **_identity(published),
        **_request(published),
        **(_compared(published.task.task_id, comparison) if comparison else {}),
        **_gates(published.report),
        **_counted(published),
        **_attempted(published),
        **_origin(skill),
        **_seconds(published),
        **task_costs(published),
    )


def _identity(published: Published) -> dict[str, Any]:
    task = published.task
    return {
        "task_id": task.task_id,
        "content_id": task.content_id,
        "skill": task.blueprint.skill_id,
        "blueprint": task.blueprint.name,
        "level": task.level,
        "seed": task.seed,
        "toolchain_sha256": task.toolchain_sha256,
        "verifier_sha256": task.verifier_sha256,
        "skill_tree_sha256": task.blueprint.skill_tree_sha256,
    }


def _request(published: Published) -> dict[str, Any]:
    """Return what is asked, of whom, within which limits, and how it is judged."""
    task, spec = published.task, published.task.blueprint.spec
    scripts = task.blueprint.scripts
    mistakes = [
        {**_script(s), "slip": s.slip, "fails_at": s.fails_at} for s in scripts if s.role == "mistake"
    ]
    return {
        "title": spec.title,
        "workflow": spec.workflow,
        "archetype": spec.archetype,
        "verifier_pattern": spec.verifier_pattern,
        "persona_who": spec.persona.who,
        "persona_expertise": spec.persona.expertise,
        "persona_tone": spec.persona.tone,
        "toolchain": spec.toolchain,
        "knobs": canonical_json(spec.knob_values(task.level)),
        "skill_refs": spec.skill_refs,
        "instruction": task.instruction,
        "outputs": spec.outputs,
        **spec.limits.model_dump(),
        "truth": canonical_json(task.truth),
        "rubric": canonical_json(
            [criterion.model_dump(mode="json", exclude_none=True) for criterion in spec.rubric]
        ),
        "alternative_scripts": canonical_json([_script(s) for s in scripts if s.role == "alternative"]),
        "mistake_scripts": canonical_json(mistakes),
        "author_kind": spec.author.kind,
        "author_name": spec.author.name,
        "author_date": spec.author.date.isoformat(),
        **_made(task.blueprint.made, task.level),
    }


def _compared(task_id: str, comparison: Comparison) -> dict[str, Any]:
    found = comparison.overlaps[task_id]
    return {
        "benchmark_overlap": round(found.share, 4),
        "benchmark_item": found.item,
        "benchmarks_sha256": comparison.sha256,
    }


def _script(script: Script) -> dict[str, Any]:
    """Return a script's name and its text, reasons as `#>` lines."""
    steps = (f"#> {step.why}\n{step.command}\n" if step.why else f"{step.command}\n" for step in script.steps)
    return {"name": script.name, "text": "".join(steps)}


def _gates(report: ValidationReport) -> dict[str, Any]:
    figures = [(gate.gate, name, value) for gate in report.gates for name, value in gate.figures.items()]
    measures = [entry for entry in figures if entry[1].endswith(_MEASURES)]
    return {
        **{
            f"gate_{gate.gate}": gate.passed
            for gate in report.gates
            if f"gate_{gate.gate}" in TaskRow.model_fields
        },
        **{name: value for _, name, value in figures if name in TaskRow.model_fields},
        "gate_figures": _by_gate(entry for entry in figures if entry not in measures),
        "gate_measures": _by_gate(measures),
        "gate_messages": canonical_json({gate.gate: gate.message for gate in report.gates}),
    }


def _by_gate(figures: Iterable[tuple[str, str, Any]]) -> str:
    gates: dict[str, dict[str, Any]] = {}
    for gate, name, value in figures:
        gates.setdefault(gate, {})[name] = value
    return canonical_json(gates)


def _counted(published: Published) -> dict[str, int | None]:
    """Return the numbers of checks and guards, as the reference's verdict has them."""
    trials = [
        trajectory.trial for trajectory in (published.rollout.trajectories if published.rollout else ())
    ]
    judged = next((trial.verdict.checks for trial in trials if trial.verdict.checks), None)
    if judged is None:
        return {"checks": None, "guards": None}
    checks = sum(result.kind == "check" for result in judged)
    return {"checks": checks, "guards": len(judged) - checks}


def _attempted(published: Published) -> dict[str, Any]:
    """Return how the attempts of models went, by condition; those without a verdict count nowhere."""
    trials = [one.trial for one in (published.rollout.trajectories if published.rollout else ())]
    judged = [
        (trial.model.condition, trial.verdict.reward == 1)
        for trial in trials
        if trial.model is not None and trial.verdict.status is not Status.NO_VERDICT
    ]
    rates: dict[str, Any] = {}
    for condition in get_args(Condition):
        passed = [won for where, won in judged if where == condition]
        rates[f"pass_rate_{condition}"] = round(sum(passed) / len(passed), 4) if passed else None
    alone = [won for condition, won in judged if condition in ("bare", "external")]
    if alone:
        failed = share(len(alone) - sum(alone), len(alone))
        names = ("difficulty", "difficulty_low", "difficulty_high")
        rates.update(zip(names, (round(value, 4) for value in failed), strict=True))
    return {"model_attempts": len(judged), **rates}


def _origin(skill: Skill) -> dict[str, str]:
    provenance = skill.provenance or Provenance()
    return {
        "skill_origin": provenance.origin,
        "skill_commit": provenance.commit,
        "skill_path": provenance.path,
        "skill_licence": skill.licence,
        "licence": licence_of(skill),
    }


def _seconds(published: Published) -> dict[str, float]:
    report = published.report
    return {
        "build_sec": published.task.build_sec,
        "validate_sec": report.wall_sec,
        "container_sec": report.container_sec,
        "work_sec": report.work_sec,
    }


def _text(tree: Tree, path: str) -> str:
    """Return a file of the task directory as text; empty where it is not there."""
    return tree[path].data.decode("utf-8", "replace") if path in tree else ""


def _made(made: Making | None, level: str) -> dict[str, float | str | None]:
    """Return what it took a model author to write a blueprint, and what those said who saw one level's request alone."""
    looks = [look for look in made.blind if look.level == level] if made else []
    return {
        "author_blind": looks[-1].verdict if looks else None,
        "author_blind_refused": sum(look.against for look in looks) if looks else None,
        "author_rounds": made.rounds if made else None,
        "author_reopened": len(made.reopened) if made else None,
        "author_input_tokens": made.input_tokens if made else None,
        "author_output_tokens": made.output_tokens if made else None,
        "author_usd": made.money if made else None,
    }
