"""The published folder loads with `datasets`, offline, and its conversations go through chat templates."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest
from unit.publish.made import World, context, tree

from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS
from skill2env.models.tree import tree_id, unpack
from skill2env.stages.publish import publish

LOADER = """
import json, sys
from datasets import load_dataset
plain = lambda row: {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}
found = {}
for config in sys.argv[2:]:
    loaded = load_dataset(sys.argv[1], config)
    found[config] = {
        "features": {name: repr(feature) for name, feature in next(iter(loaded.values())).features.items()},
        "rows": {split: [plain(row) for row in rows] for split, rows in loaded.items()},
    }
found["default"] = load_dataset(sys.argv[1])["train"].column_names
json.dump(found, sys.stdout)
"""

# The parts that matter of two widely used templates: the one writes the arguments as JSON itself, the other asks which keys
# a message has.
HERMES = """
{%- for tool in tools %}{{ tool | tojson }}
{% endfor %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls %}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}"""
BY_KEYS = """
{%- for message in messages %}
{%- if 'tool_calls' in message %}
{%- if message.tool_calls | length != 1 %}{{ raise('one call at a time') }}{% endif %}
{#- -#} <call>{{ message.tool_calls[0].function.arguments.command }}</call>
{%- elif message.role == 'tool' %}<result id={{ message.tool_call_id }}>{{ message.content }}</result>
{%- else %}<{{ message.role }}>{{ message.content }}</{{ message.role }}>
{%- endif %}
{%- endfor %}"""


def load(dataset: Path, cache: Path) -> dict[str, Any]:
    """Load all configs in a process of its own, since `datasets` reads its settings once."""
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_CACHE": str(cache),
        "HF_HOME": str(cache),
    }
    ran = subprocess.run(
        [sys.executable, "-c", LOADER, str(dataset), *CONFIGS],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    made = context(tmp_path_factory.mktemp("workspace"))
    publish(made)
    return load(made.workspace.dataset, tmp_path_factory.mktemp("cache"))


def test_all_configs_load_offline(loaded: dict[str, Any]) -> None:
    counts = {config: sum(len(rows) for rows in loaded[config]["rows"].values()) for config in CONFIGS}
    assert counts == {"tasks": 16, "sft": 32, "trajectories": 48, "skills": 5, "rejected": 6}
    assert set(loaded["tasks"]["rows"]) == {"train", "validation", "test"}
    for config, model in CONFIGS.items():
        assert list(loaded[config]["features"]) == [column.name for column in columns(model)]
    assert loaded["default"] == list(loaded["tasks"]["features"])


def test_tasks_are_written_back_from_what_was_loaded(loaded: dict[str, Any]) -> None:
    rows = [row for rows in loaded["tasks"]["rows"].values() for row in rows]
    assert len(rows) == 16
    for row in rows:
        assert (
            tree_id(unpack(bytes.fromhex(row["files"]))) == row["content_id"] == tree_id(tree(row["task_id"]))
        )


def test_free_json_keeps_its_own_keys(loaded: dict[str, Any]) -> None:
    assert loaded["sft"]["features"]["messages"] == "List(Json(decode=True))"
    messages = loaded["sft"]["rows"]["train"][0]["messages"]
    assert set(messages[0]) == {"role", "content"}
    assert isinstance(messages[2]["tool_calls"][0]["function"]["arguments"], dict)


def test_templates_that_serialise_arguments_take_the_conversations(loaded: dict[str, Any]) -> None:
    template = jinja2.Environment().from_string(HERMES)
    for row in (row for rows in loaded["sft"]["rows"].values() for row in rows):
        text = template.render(messages=row["messages"], tools=row["tools"])
        calls = re.findall("<tool_call>(.*)</tool_call>", text)
        commands = [json.loads(call)["arguments"]["command"] for call in calls]
        assert commands == (["ls", "make it"] if row["agent"] == "reference" else ["awk 1"])
        assert json.loads(text.splitlines()[0])["function"]["name"] == "bash"


def test_templates_that_ask_for_keys_take_them_too(loaded: dict[str, Any]) -> None:
    row = next(row for rows in loaded["sft"]["rows"].values() for row in rows if row["agent"] == "reference")
    text = jinja2.Environment().from_string(BY_KEYS).render(messages=row["messages"])
    assert text.startswith("<system>You are working in a Linux container")
    assert "<call>make it</call><result id=call00002>pid 1.0\n[exit code 1]</result><assistant>Done." in text


@pytest.mark.parametrize(
    "world",
    [
        World(refused=False, errored=False),
        World(skills=("alpha",), refused=False),
        World(skills=(), barren=(), refused=False, errored=False),
    ],
)
def test_configs_without_rows_load_too(world: World, tmp_path: Path) -> None:
    made = context(tmp_path, world)
    publish(made)
    found = load(made.workspace.dataset, tmp_path / "cache")
    assert set(found) == {*CONFIGS, "default"}
    (rejected,) = found["rejected"]["rows"]["train"]
    assert set(rejected.values()) == {None}
    assert list(found["rejected"]["features"]) == [column.name for column in columns(CONFIGS["rejected"])]


def test_a_dataset_that_was_published_anew_is_not_loaded_from_the_cache(tmp_path: Path) -> None:
    for reward in (0.0, 0.5):
        made = context(tmp_path, World(mistake_reward=reward))
        publish(made)
        found = load(made.workspace.dataset, tmp_path / "cache")
        rows = [
            row for rows in found["trajectories"]["rows"].values() for row in rows if row["role"] == "mistake"
        ]
        assert {row["reward"] for row in rows} == {reward}
