"""Instructions: what lines of tags leave behind, and where a fault is told."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from skill2env.stages.draft import rules
from skill2env.stages.making.directory import Unfit, _instruction
from skill2env.stages.making.rendering import WALL_SEC


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


@pytest.mark.parametrize(
    "template",
    [
        "{{ 9 ** (9 ** 9) }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'a' * 3000000000 }}",
        "{{ 'a' * 10 ** 13 }}",
        "{{ '%2000000000d' % 1 }}",
        "{{ 'a' * 2000000 }}",
    ],
)
def test_a_template_has_bounds_on_time_memory_and_text(template: str) -> None:
    began = time.monotonic()
    with pytest.raises(Unfit, match="can't be rendered"):
        rendered(template)
    assert time.monotonic() - began < WALL_SEC


@pytest.mark.parametrize(
    "template",
    [
        "{{ '{0}'.format() }}",
        "{{ '{x}'.format() }}",
        "{{ '%(a)s' % {} }}",
        "{{ 'a'.encode('zzz') }}",
        "{{ cycler() }}",
        "{{ '\\ud800' }}",
        "{% for a in [1] %}" * 25 + "{% endfor %}" * 25,
        "{% if level %}" * 101 + "{% endif %}" * 101,
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "{{ level.__class__.__mro__ }}",
        "{% include '/etc/passwd' %}",
    ],
)
def test_whatever_a_template_raises_refuses_the_task_alone(template: str) -> None:
    with pytest.raises(Unfit, match="can't be rendered"):
        rendered(template)


def test_a_template_that_is_nested_too_deeply_or_too_long_is_refused_as_it_is_read() -> None:
    (deep,) = rules.instruction("Please add up. " * 4 + "{{" + "(" * 5000 + "1" + ")" * 5000 + "}}")
    (digits,) = rules.instruction("Please add up. " * 4 + "{{ " + "1" * 5000 + " }}")
    (long,) = rules.instruction("a" * 100_001)
    assert {deep.code, digits.code, long.code} == {"instruction"}
