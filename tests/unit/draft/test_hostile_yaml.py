"""A hostile blueprint.yaml is refused with a finding: it never ends the run, and nothing of it is kept that can't be read back."""

from __future__ import annotations

import pytest
from unit.draft.pieces import BASE

from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.tree import text_file
from skill2env.stages.draft import located
from skill2env.stages.draft.read import SkillText, read_blueprint
from skill2env.store.folders import read_folder

SKILL = SkillText("till-receipts", "0" * 64, {"SKILL.md": 13})
BREAKING = (
    'a: !!int ""',
    'a: !!int "-"',
    'a: !!float ""',
    "a: !!bool perhaps",
    "a: !!timestamp soon",
    '? !!int ""\n: 1',
    "a: \x01",
    "a: 0x" + "f" * 6000,
    "a: 1:" + "59:" * 9000 + "1",
)
UNSTORABLE = (
    ".nan",
    "-.inf",
    '"\\uD800"',
    "!!binary /w==",
    "!!set {a}",
    "0x" + "f" * 6000,
    "{2001-01-01: 1}",
    "[" * 900 + "]" * 900,
)


@pytest.mark.parametrize("text", BREAKING)
def test_what_the_library_falls_over_is_a_finding(text: str) -> None:
    value, _, (finding,) = located.load(text, "blueprint.yaml")
    assert (finding.code, finding.file) == ("yaml", "blueprint.yaml")
    assert value is None or finding.message.startswith("holds what JSON can't say")


@pytest.mark.parametrize("value", UNSTORABLE)
def test_what_no_json_can_say_is_refused_and_the_refusal_can_be_kept(value: str) -> None:
    tree = read_folder(BASE / "blueprint")
    text = tree["blueprint.yaml"].data.decode()
    tree["blueprint.yaml"] = text_file(text.replace("{easy: 3,", f"{{easy: {value},"))
    outcome, _ = read_blueprint(tree, "takings", SKILL)
    assert isinstance(outcome, Rejected) and outcome.rule == "yaml"
    assert Rejected.model_validate_json(outcome.model_dump_json()) == outcome


def test_a_date_in_a_knob_and_nested_lists_are_plain_values() -> None:
    tree = read_folder(BASE / "blueprint")
    text = tree["blueprint.yaml"].data.decode()
    tree["blueprint.yaml"] = text_file(text.replace("{easy: 3,", "{easy: [2001-01-01, [1.5, null]],"))
    outcome, _ = read_blueprint(tree, "takings", SKILL)
    assert isinstance(outcome, Accepted)
    record = Accepted[Blueprint].model_validate_json(outcome.model_dump_json()).record
    assert record.spec.knob_values("easy") == {"voided": ["2001-01-01", [1.5, None]]}


def test_merge_keys_are_refused_as_their_parts_have_no_lines_of_their_own() -> None:
    _, _, (finding,) = located.load("a: 1\n<<: {rubric: []}\n", "blueprint.yaml")
    assert str(finding) == "blueprint.yaml:2: merge keys are not allowed [yaml]"


@pytest.mark.parametrize("pattern", ["(" * 3000 + ")" * 3000, "a{99999999999}", "("])
def test_a_pattern_that_can_not_be_compiled_is_a_finding(pattern: str) -> None:
    tree = read_folder(BASE / "blueprint")
    text = tree["blueprint.yaml"].data.decode()
    tree["blueprint.yaml"] = text_file(text.replace(r"{used: '\bwc\b'}", f"{{used: '{pattern}'}}"))
    outcome, _ = read_blueprint(tree, "takings", SKILL)
    assert isinstance(outcome, Rejected)
    assert "not a valid regular expression" in outcome.findings[0].message
