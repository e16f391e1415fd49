"""The rows of skills and of refused items."""

from __future__ import annotations

from collections import Counter

from skill2env.feasibility import judge
from skill2env.models.base import canonical_json
from skill2env.models.cost import Cost
from skill2env.models.outcome import Rejected, Severity
from skill2env.models.rows import RejectedRow, SkillRow
from skill2env.models.skill import Provenance, Skill
from skill2env.stages.publish.costs import figures_of
from skill2env.stages.publish.inputs import Fate
from skill2env.stages.publish.tasks import licence_of


def skill_row(skill: Skill, fate: Fate, cluster: str) -> SkillRow:
    """Return the row of a parsed skill that belongs to a cluster of near copies."""
    provenance = skill.provenance or Provenance()
    feasibility = judge(skill)
    severities = Counter(finding.severity for finding in skill.findings)
    return SkillRow(
        skill_id=skill.skill_id,
        name=skill.name,
        description=skill.description,
        language=skill.language,
        licence=licence_of(skill),
        skill_licence=skill.licence,
        origin=provenance.origin,
        commit=provenance.commit,
        path=provenance.path,
        tree_sha256=skill.tree_sha256,
        cluster=cluster,
        files=len(skill.files),
        text_lines=skill.text_lines,
        sections=len(skill.sections),
        code_blocks=len(skill.code_blocks),
        commands=len(skill.commands),
        statements=len(skill.statements),
        needs=len(skill.needs),
        pitfalls=len(skill.pitfalls),
        feasibility=feasibility.verdict,
        feasibility_reason=feasibility.reason,
        stand_ins=feasibility.stand_ins,
        toolchain=feasibility.toolchain,
        packages=feasibility.packages,
        feasibility_evidence=canonical_json([item.model_dump(mode="json") for item in feasibility.evidence]),
        findings=canonical_json([finding.model_dump(mode="json") for finding in skill.findings]),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        blueprints=fate.blueprints,
        blueprints_rejected=fate.rejected("draft"),
        tasks_accepted=fate.accepted,
        tasks_rejected=fate.rejected("build", "validate"),
        why_none=why_none(fate),
    )


def why_none(fate: Fate) -> str:
    """Return why a skill gave no task, in one sentence; empty where it gave one."""
    if fate.accepted:
        return ""
    tasks = fate.refused["build"] + fate.refused["validate"]
    if tasks:
        return f"every task was rejected, by {_rules(tasks)}"
    if fate.errored:
        return "the infrastructure failed; it is tried again on the next run"
    if fate.refused["draft"] and not fate.blueprints:
        return f"every blueprint was rejected, by {_rules(fate.refused['draft'])}"
    if fate.blueprints:
        return "its tasks were not validated" if fate.built else "no level of its blueprints is built"
    return "no blueprint was written for it"


def rejected_row(
    item_id: str, stage: str, skill: str, rejection: Rejected, cost: Cost | None = None
) -> RejectedRow:
    """Return the row of a refused item."""
    return RejectedRow(
        item_id=item_id,
        stage=stage,
        skill=skill,
        rule=rejection.rule,
        codes=tuple(finding.code for finding in rejection.findings),
        message=rejection.message,
        findings=canonical_json([finding.model_dump(mode="json") for finding in rejection.findings]),
        evidence=rejection.evidence,
        **(figures_of(cost) if cost else {}),
    )


def _rules(refused: Counter[str]) -> str:
    return ", ".join(f"{rule} ({count})" for rule, count in sorted(refused.items()))
