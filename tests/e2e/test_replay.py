"""`dvc repro` with a model author and nothing but the records of tests/authoring/records: no server, no key, no network."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from authoring import kept
from llm.server import VARIABLE

from skill2env.store.dataset import rows

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 600
NAME = f"{kept.SESSION.skill}--{kept.SESSION.name}"

pytestmark = [pytest.mark.docker, pytest.mark.slow]


def _lay_out(root: Path) -> None:
    for name in ("skill2env", "dockerfiles"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "dvc.yaml", root)
    kept.lay_out(root)
    shutil.copytree(kept.FILE.parent, root / "records")
    given = yaml.safe_load((ROOT / "params.yaml").read_text())
    params = {**given, **kept.PARAMS, "llm": {"records": ["records"], "replay_only": True}}
    (root / "params.yaml").write_text(yaml.safe_dump(params))
    _run(root, "dvc", "init", "--no-scm", "-q")


def _run(root: Path, *argv: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(
        argv, cwd=root, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    if "nothing is recorded for the request" in done.stderr:
        pytest.fail(f"{kept.STALE}: {done.stderr}", pytrace=False)
    assert done.returncode == 0, f"{argv}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _draft(root: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_run(root, "skill2env", "draft", "--json"))
    return told


def _requests(told: dict[str, Any]) -> int:
    """Return how many requests were made in this run, replayed completions aside."""
    return sum(row["spent"]["requests"] for row in told["models"] if row["outcome"] != "replayed")


def test_records_alone_give_the_blueprint_and_it_passes_all_gates(tmp_path: Path) -> None:
    _lay_out(tmp_path)
    output = _run(tmp_path, "dvc", "repro")
    assert "draft: 2 inputs, 2 accepted; 2 executed" in output
    assert "validate: 2 inputs, 2 accepted; 1 executed, 1 reused" in output, (
        "submitting is what validate does"
    )
    (task,) = (row for row in rows(tmp_path / "data" / "dataset", "tasks") if row["author_kind"] == "model")
    assert task["task_id"] == f"{NAME}--medium-s1"
    assert (task["author_rounds"], task["author_reopened"]) == (2, 0)
    assert task["author_input_tokens"] == 100 * task["author_output_tokens"] / 10 == 1000

    assert "per accepted task, failures included: " in output
    ledger = json.loads((tmp_path / "metrics" / "ledger.json").read_text())
    assert {
        stage: (sums["items"], sums["uncounted"]) for stage, sums in ledger["stages"].items()
    } == dict.fromkeys(("parse", "draft", "build", "validate", "rollout"), (2, 0))
    assert {purpose: sums["completions"] for purpose, sums in ledger["models"].items()} == {
        "plan": 1,
        "write": 6,
        "blind": 3,
    }
    assert task["tokens"] == ledger["total"]["input_tokens"] + ledger["total"]["output_tokens"] == 1100
    assert ledger["stages"]["draft"]["cpu_sec"] > 1, "the gates that the author ran are on its account"
    assert ledger["total"]["cpu_sec"] > 2 * ledger["per_accepted_task"]["cpu_sec"] - 0.1 > 0
    assert ledger["total"]["stored_bytes"] > 1e5

    again = _draft(tmp_path)
    assert (again["executed"], again["reused"], _requests(again)) == (0, 2, 0)
    assert "up to date" in _run(tmp_path, "dvc", "repro")

    # What was answered is forgotten, what gates and blind attempts have executed is not: the session is replayed, and asks nobody.
    with sqlite3.connect(tmp_path / "data" / "store" / "results.sqlite") as store:
        store.execute("DELETE FROM results WHERE kind = 'draft'")
    replayed = _draft(tmp_path)
    assert (replayed["executed"], _requests(replayed)) == (2, 0)
    assert {(row["purpose"], row["outcome"], row["spent"]["completions"]) for row in replayed["models"]} == {
        ("plan", "replayed", 1),
        ("write", "replayed", 6),
    }
