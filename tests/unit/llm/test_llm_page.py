"""docs/models.md says what the parameters are."""

from __future__ import annotations

import re

import pytest
import yaml
from llm.faults import PAGE

from skill2env.params import BudgetParams, EndpointParams, LlmParams, Price

TEXT = PAGE.read_text()


@pytest.mark.parametrize("model", [LlmParams, EndpointParams, BudgetParams, Price])
def test_every_parameter_is_on_the_page(
    model: type[LlmParams | EndpointParams | BudgetParams | Price],
) -> None:
    code = " ".join(re.findall(r"`[^`\n]+`", TEXT)) + " ".join(
        re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    )
    assert [name for name in model.model_fields if not re.search(rf"\b{name}\b", code)] == []


def test_the_defaults_on_the_page_are_the_real_ones() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| ", TEXT, re.MULTILINE)
    told = {name: value for name, value in rows if value.isdigit()}
    assert len(told) == 7
    for name, value in told.items():
        assert float(value) == EndpointParams.model_fields[name].default, name


def test_the_examples_are_valid_parameters() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        LlmParams.model_validate(yaml.safe_load(example)["llm"])
