"""Each folder of `tests/cases/parse` is a case: `skill/`, perhaps `provenance.yaml`, and `expected.json`.

`expected.json` holds `rule` for a refusal, or fields of the skill; `codes` are the finding codes (null: any),
without `no-provenance` where there is no provenance file; `skill_id` defaults to the case's name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill

CASES = sorted(path.parent for path in (Path(__file__).parent / "parse").glob("*/expected.json"))


def read_case(case: Path, skill_id: str) -> Accepted[Skill] | Rejected:
    provenance = case / "provenance.yaml"
    return read_skill(case / "skill", skill_id, provenance if provenance.exists() else None)


def codes_of(answer: Accepted[Skill] | Rejected) -> list[str]:
    findings = answer.record.findings if isinstance(answer, Accepted) else answer.findings
    return sorted({finding.code for finding in findings} - {"no-provenance"})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text("utf-8"))
    answer = read_case(case, expected.pop("skill_id", case.name))
    codes = expected.pop("codes")
    assert codes is None or codes_of(answer) == codes
    if "rule" in expected:
        assert isinstance(answer, Rejected)
        assert answer.rule == expected["rule"]
        assert answer.findings
        return
    assert isinstance(answer, Accepted), answer
    found = answer.record.model_dump(mode="json")
    assert {key: found[key] for key in expected} == expected
    assert Skill.model_validate_json(answer.record.model_dump_json()) == answer.record


NASTY: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "nasty.yaml").read_text("utf-8"))


@pytest.mark.parametrize("name", NASTY)
def test_each_nasty_fault_has_its_case(name: str) -> None:
    case = Path(__file__).parent / "parse" / NASTY[name]["case"]
    expected = json.loads((case / "expected.json").read_text("utf-8"))
    assert expected["name"]
    assert expected["description"]
    assert set(NASTY[name]["codes"]) <= set(expected["codes"])


def test_there_are_forty_nasty_faults() -> None:
    assert len(NASTY) == 40


def test_there_are_cases() -> None:
    assert len(CASES) >= 25
