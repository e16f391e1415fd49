"""Instructions: what lines of tags leave behind, and where a fault is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skill2env.stages.making.directory import Unfit, _instruction


def rendered(template: str, level: str = "easy") -> str:
    spec = SimpleNamespace(knob_values=lambda level: {"days": 3})
    order: Any = SimpleNamespace(blueprint=SimpleNamespace(spec=spec, instruction=template), level=level)
    made: Any = SimpleNamespace(facts={"host": "berth"})
    return _instruction(order, made)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Keep {{ knobs.days }} days on {{ facts.host }}.\n", "Keep 3 days on berth.\n"),
        ("A\n{% if level == 'easy' %}\nB\n{% endif %}\nC\n", "A\nB\nC\n"),
        ("A\n  {% if level == 'easy' %}{# why #}  \nB\n{% endif %}\nC\n", "A\n  B\nC\n"),
        ("A{% if level == 'easy' %} B.{% endif %}\n\nC\n", "A B.\n\nC\n"),
        ("A{% if level == 'hard' %} B.{% endif %}\nC\n", "A\nC\n"),
        ("A\n{%- if level == 'easy' -%}\n B\n{%- endif %}\nC\n", "ABC\n"),
        ("{% set a = '%' %}\n{{ a }}\n", "%\n"),
    ],
)
def test_a_line_of_tags_leaves_nothing_and_a_tag_in_a_line_leaves_its_break(template: str, text: str) -> None:
    assert rendered(template) == text


def test_a_fault_below_a_line_of_tags_is_told_with_its_own_line() -> None:
    with pytest.raises(Unfit) as told:
        rendered("{% if level == 'easy' %}\nA\n{% endif %}\n{{ knobs.days\n")
    assert told.value.findings[0].line == 4
