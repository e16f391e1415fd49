"""All faults of a blueprint.yaml are told at once, with their lines, and nothing that is not so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from unit.draft.pieces import BASE

from skill2env.models.outcome import Rejected
from skill2env.models.tree import Tree, text_file
from skill2env.stages.draft.read import SkillText, read_blueprint
from skill2env.store.folders import read_folder

SKILL = SkillText("till-receipts", "0" * 64, {"SKILL.md": 13})
Told = Callable[..., list[str]]


@pytest.fixture
def told() -> Told:
    """Return all that is said of the good blueprint in which passages of files are replaced."""

    def tell(*changes: tuple[str, str, str]) -> list[str]:
        tree: Tree = read_folder(BASE / "blueprint")
        for path, old, new in changes:
            text = tree[path].data.decode()
            assert old in text
            tree[path] = text_file(text.replace(old, new, 1))
        outcome, _ = read_blueprint(tree, "takings", SKILL)
        return sorted(map(str, outcome.findings)) if isinstance(outcome, Rejected) else []

    return tell


def _yaml(old: str, new: str) -> tuple[str, str, str]:
    return ("blueprint.yaml", old, new)


TYPO = _yaml("toolchain: shell", "tolchain: shell")
OF_TYPO = [
    "blueprint.yaml:1: toolchain: Field required [schema]",
    "blueprint.yaml:7: tolchain: Extra inputs are not permitted [schema]",
]
SEEDS = _yaml("seeds: [1, 2]", "seeds: [3]")
OF_SEEDS = "blueprint.yaml:10: name at least 2 seeds [few-seeds]"


def test_a_typo_hides_nothing_else(told: Told) -> None:
    knob = _yaml("{easy: 3, medium: 9, hard: 27}", "{medium: 9}")
    refs = _yaml('["SKILL.md:9-13"]', '["SKILL.md:9-99", notes.md:1]')
    source = _yaml('source: "SKILL.md:13"', 'source: "SKILL.md:98"')
    mistake = ("mistakes/counts-voided.sh", "# Fails at: easy, medium, hard", "# Fails at: hard")
    other = ("mistakes/counts-the-header.sh", "# Fails at: easy, medium, hard", "# Fails at: medium")
    assert told(TYPO, SEEDS, knob, refs, source, mistake, other) == sorted(
        [
            *OF_TYPO,
            OF_SEEDS,
            "blueprint.yaml:13: SKILL.md:9-99: SKILL.md has 13 lines [source]",
            "blueprint.yaml:13: notes.md:1: the skill has no file notes.md [source]",
            "blueprint.yaml:28: SKILL.md:98: SKILL.md has 13 lines [source]",
            'mistakes/counts-voided.sh:2: name levels of the blueprint in "# Fails at: medium"; hard is none of them [mistake-header]',
        ]
    )


def test_what_is_wrong_itself_is_told_once(told: Told) -> None:
    assert told(TYPO) == OF_TYPO
    assert told(_yaml("seeds: [1, 2]", "seeds: [-1]")) == [
        "blueprint.yaml:10: seeds.0: Input should be greater than or equal to 0 [schema]"
    ]
    assert told(_yaml("seeds: [1, 2]", "seeds: {a: 1}\nseed_independent: perhaps"))[0].startswith(
        "blueprint.yaml:10: seeds: Input should be a valid tuple"
    )
    (fault,) = told(_yaml('source: "SKILL.md:13"', 'source: "line 13"'))
    assert fault.startswith("blueprint.yaml:28: rubric.2.source: ")
    assert fault.endswith("[schema]")


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("outputs: [/workspace/total.json, /workspace/till.csv]", "outputs: [hours.json]", "outputs.0"),
        ('skill_refs: ["SKILL.md:9-13"]', "skill_refs: [SKILL.md]", "skill_refs.0"),
        ("seeds: [1, 2]", "seeds: [one]", "seeds.0"),
    ],
)
def test_a_list_of_faulty_items_is_not_called_too_short(told: Told, old: str, new: str, path: str) -> None:
    (fault,) = told(_yaml(old, new))
    assert f": {path}: " in fault


def test_an_empty_list_is_called_too_short(told: Told) -> None:
    (fault,) = told(_yaml("outputs: [/workspace/total.json, /workspace/till.csv]", "outputs: []"))
    assert fault.startswith("blueprint.yaml:11: outputs: Tuple should have at least 1 item")


def test_amounts_are_told_with_their_lines(told: Told) -> None:
    assert told(SEEDS) == [OF_SEEDS]
    assert told(
        _yaml("evidence: {used: '\\bwc\\b'}", "evidence: {judge: Was it counted}"),
        _yaml("evidence: {never_writes: /workspace/till.csv}", "evidence: {judge: Was it left alone}"),
    ) == [
        "blueprint.yaml:14: give at least 2 criteria a predicate instead of a judge's question [thin-rubric]"
    ]
    assert "blueprint.yaml:10: name one seed" in "".join(
        told(_yaml("seeds: [1, 2]", "seeds: [1, 2]\nseed_independent: true"))
    )


def test_lines_of_a_mistakes_header_are_counted_as_editors_do(told: Told) -> None:
    slip = ("mistakes/counts-voided.sh", "# Slip: ", "# Slip: here\u2028and there, ")
    levels = ("mistakes/counts-voided.sh", "# Fails at: easy, medium, hard", "# Fails at: never")
    assert told(slip, levels) == [
        'mistakes/counts-voided.sh:2: name levels of the blueprint in "# Fails at: easy, medium, hard"; '
        "never is none of them [mistake-header]"
    ]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("SKILL.md:12-11", "the first line stands after the last; write the smaller number first"),
        ("SKILL.md:99-11", "the first line stands after the last; write the smaller number first"),
        ("SKILL.md:0", "SKILL.md has 13 lines"),
        ("SKILL.md:13-14", "SKILL.md has 13 lines"),
    ],
)
def test_a_reference_says_what_is_wrong_with_it(told: Told, reference: str, message: str) -> None:
    assert told(_yaml('source: "SKILL.md:13"', f'source: "{reference}"')) == [
        f"blueprint.yaml:28: {reference}: {message} [source]"
    ]


@pytest.mark.parametrize(
    "text",
    ["", "- a\n", "rubric: {a: 1}\nskill_refs: 3\nknobs: [1]\n", "1: 2\n", "rubric: [a, [b]]\nseeds: {}\n"],
)
def test_a_document_of_any_shape_is_refused_and_nothing_breaks(text: str) -> None:
    tree = read_folder(BASE / "blueprint") | {"blueprint.yaml": text_file(text)}
    outcome, _ = read_blueprint(tree, "takings", SKILL)
    assert isinstance(outcome, Rejected)
    assert {finding.code for finding in outcome.findings} == {"schema"}
