"""The card and docs/dataset.md say what the row models say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from unit.publish.made import World, context

from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS
from skill2env.stages.publish import dataset_page, publish
from skill2env.stages.publish.card import _licence, _table

DOCS = Path(__file__).parents[3] / "docs"


def card_of(root: Path, world: World) -> tuple[dict[str, Any], str]:
    made = context(root, world)
    publish(made)
    _, header, body = (made.workspace.dataset / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header), body


def test_the_page_is_the_generated_one() -> None:
    assert (DOCS / "dataset.md").read_text() == dataset_page(), "run `skill2env docs`"


def test_every_column_is_on_the_card_with_its_meaning(tmp_path: Path) -> None:
    header, body = card_of(tmp_path, World())
    for model in CONFIGS.values():
        for column in columns(model):
            assert f"| `{column.name}` | {column.type_name} |" in body
            assert column.meaning.replace("|", "\\|") in body
    assert header["license"] == "apache-2.0"
    assert {"rl-environment", "harbor", "agent-traces"} <= set(header["tags"])


def test_the_header_names_every_file(tmp_path: Path) -> None:
    header, _ = card_of(tmp_path, World())
    assert [config["config_name"] for config in header["configs"]] == list(CONFIGS)
    assert [config.get("default", False) for config in header["configs"]] == [
        True,
        False,
        False,
        False,
        False,
    ]
    named = {file["path"] for config in header["configs"] for file in config["data_files"]}
    written = {
        path.relative_to(tmp_path / "data/dataset").as_posix() for path in tmp_path.glob("data/dataset/*/*")
    }
    assert named == written


def test_the_header_changes_with_the_rows(tmp_path: Path) -> None:
    found = [
        card_of(tmp_path / name, world)[0]["configs"]
        for name, world in (("a", World()), ("b", World(mistake_reward=0.5)))
    ]
    changed = [
        old["config_name"]
        for old, new in zip(*found, strict=True)
        if old["description"] != new["description"]
    ]
    assert changed == ["trajectories"]


def test_the_funnel_is_told(tmp_path: Path) -> None:
    _, body = card_of(tmp_path, World())
    assert "| build | 18 | 16 | 1 | 1 |" in body
    assert "| `tasks` | 8 | 4 | 4 |" in body
    assert "16 tasks from 4 of 5 skills; 32 passing and 16 failing trajectories." in body
    assert "single row of nulls" not in body


def test_empty_configs_are_told(tmp_path: Path) -> None:
    _, body = card_of(tmp_path, World(refused=False))
    assert (
        "a single row of nulls, since `load_dataset` refuses to load no rows at all. Here that is: `rejected`."
        in body
    )


@pytest.mark.parametrize(
    ("licences", "told"),
    [
        ({"Apache-2.0"}, "apache-2.0"),
        ({"MIT", "Apache-2.0"}, ["apache-2.0", "mit"]),
        ({"MIT", "see LICENSE.txt\n---\nlicense: x"}, "other"),
        ({""}, "other"),
        (set(), "other"),
    ],
)
def test_licences(licences: set[str], told: object) -> None:
    assert _licence(licences) == told


def test_tables_keep_their_columns() -> None:
    assert _table(("a",), [("x|y",)]).splitlines()[-1] == "| x\\|y |"


def test_metrics_are_json(tmp_path: Path) -> None:
    figures = publish(context(tmp_path, World(skills=(), barren=(), refused=False, errored=False)))
    assert json.loads(json.dumps(figures)) == figures
    assert (figures["accepted_tasks"], figures["reward_mean"], figures["rows"]["tasks"]) == (0, None, {})
