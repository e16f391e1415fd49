"""docs/parse.md names every rule, finding and limit with what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from skill2env.models.skill import Skill
from skill2env.stages.parse import codes, tree, yamltext
from skill2env.stages.parse.rules import RULES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "parse.md").read_text("utf-8")
SOURCES = ROOT / "skill2env" / "stages" / "parse"


def rows() -> dict[str, list[str]]:
    found = {}
    for line in PAGE.splitlines():
        match = re.match(r"\| `([\w-]+)` \|(.*)\|$", line)
        if match:
            found[match[1]] = [cell.strip() for cell in match[2].split("|")]
    return found


def test_headings() -> None:
    assert re.findall(r"^## (.+)$", PAGE, re.MULTILINE) == [
        "In",
        "Out",
        "Rules",
        "Parameters",
        "Where to change it",
    ]


def test_every_rule_has_its_sentence() -> None:
    table = rows()
    for rule in RULES:
        assert rule.name in table
        assert len(table[rule.name][0]) > 20


def test_every_finding_is_in_the_table_with_its_severity_and_meaning() -> None:
    table = rows()
    for code, kind in codes.KINDS.items():
        means = kind.about[0].upper() + kind.about[1:] + "."
        assert table.get(code) == [str(kind.severity), means, kind.fix]


def test_the_table_names_nothing_else() -> None:
    known = {rule.name for rule in RULES} | set(codes.KINDS) | set(Skill.model_fields)
    assert set(rows()) <= known


def test_codes_used_in_the_source_are_those_defined() -> None:
    text = "\n".join(path.read_text("utf-8") for path in SOURCES.glob("*.py") if path.name != "codes.py")
    for code in codes.KINDS:
        assert f'"{code}"' in text, f"{code} is defined and never used"
    for code in re.findall(r'(?:findings\.add|YamlRefused)\(\s*"([\w-]+)"', text):
        assert code in codes.KINDS


def test_errors_reject_and_only_errors() -> None:
    rejecting = {code for rule in RULES for code in rule.codes}
    assert rejecting == {code for code, kind in codes.KINDS.items() if kind.severity == codes.ERROR}


def test_limits_are_stated() -> None:
    limits = (tree.MAX_FILES, tree.MAX_BYTES, tree.MAX_SKILL_FILE_BYTES, yamltext.MAX_YAML_BYTES)
    for limit in (*limits, tree.MAX_LEVELS, yamltext.MAX_DEPTH):
        assert re.search(rf"(?<![\d,]){limit:,}(?![\d,])", PAGE), f"{limit:,} is not in docs/parse.md"
