"""Every way in which a blueprint can be bad is a folder here: what differs from the good one, and what must be said of it.

`expected.json`: `stage` and `rule` (empty: accepted), `says` (a part of what is reported), and where they matter `findings`
(all errors, in any order), `params` (overrides) and `remove` (files taken away). A new case needs no Python.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from skill2env.checking import Checked, check, locate
from skill2env.params import load_params
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

CASES = Path(__file__).parent / "blueprints"
BASE = CASES / "base"
NAMES = sorted(path.parent.name for path in CASES.glob("*/expected.json"))
SMALL: dict[str, dict[str, Any]] = {
    "build": {"levels": ["easy"], "max_seeds": 1},
    "validate": {"max_mutants": 12, "attacks_per_task": 0},
}
THREADS = 3
STAGES = ("parse", "draft", "build", "validate")


def _workspace(root: Path, case: Path, expected: dict[str, Any]) -> Path:
    """Lay out the good blueprint, and over it what the case changes; return the blueprint's folder."""
    corpus = root / "skills_corpus"
    shutil.copytree(BASE / "skill", corpus / "skills" / "till-receipts")
    blueprint = corpus / "blueprints" / "till-receipts" / "takings"
    shutil.copytree(BASE / "blueprint", blueprint)
    if (case / "blueprint").exists():
        shutil.copytree(case / "blueprint", blueprint, dirs_exist_ok=True)
    for name in expected.get("remove", ()):
        (blueprint / name).unlink()
    given = expected.get("params", {})
    params = {name: {**values, **given.get(name, {})} for name, values in SMALL.items()}
    (root / "params.yaml").write_text(yaml.safe_dump(params))
    return blueprint


def _check(root: Path, blueprint: Path) -> list[Checked]:
    store = ResultStore(root / "data" / "store" / "results.sqlite")
    with Context(Workspace(root), load_params(root / "params.yaml"), store) as context:
        return list(check([locate(blueprint)], context))


def _expected(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((CASES / name / "expected.json").read_text())
    return expected


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[list[Checked]]]]:
    """What becomes of each case that was asked for; a few are worked on at a time, since each waits for the engine a lot."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    mine = [item for item in items if item.module is request.module and hasattr(item, "callspec")]
    roots = {name: tmp_path_factory.mktemp(name) for name in (item.callspec.params["name"] for item in mine)}
    with ThreadPoolExecutor(THREADS) as pool:
        yield {
            name: pool.submit(_check, root, _workspace(root, CASES / name, _expected(name)))
            for name, root in roots.items()
        }


@pytest.mark.parametrize("name", NAMES)
def test_case(
    name: str, outcomes: dict[str, Future[list[Checked]]], request: pytest.FixtureRequest
) -> None:
    expected = _expected(name)
    if expected["stage"] in ("build", "validate"):
        request.getfixturevalue("engine")
    found = outcomes[name].result()
    last = found[-1]
    assert last.stage == expected["stage"], last
    assert [item.kind for item in found[:-1]] == ["accepted"] * (STAGES.index(last.stage))
    if not expected["rule"]:
        assert last.kind == "accepted", last.refusal
        return
    assert last.kind == "rejected", last
    assert last.refusal is not None and last.refusal.kind == "rejected"
    assert last.refusal.rule == expected["rule"]
    told = [last.refusal.message, last.refusal.evidence, *map(str, last.refusal.findings)]
    assert expected["says"] in "\n".join(told), told
    if "findings" in expected:
        assert sorted(map(str, last.refusal.findings)) == sorted(expected["findings"])


def test_every_gate_and_rule_has_a_case() -> None:
    from skill2env.stages.validate.gates import GATES

    rules = {json.loads((CASES / name / "expected.json").read_text())["rule"] for name in NAMES}
    assert {gate.NAME for gate in GATES} <= rules
