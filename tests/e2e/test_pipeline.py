"""The README's commands on a corpus of three skills: run, run again, changed, and killed in the middle."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from skill2env.models.tree import tree_id
from skill2env.store.dataset import read_back, rows

ROOT = Path(__file__).resolve().parents[2]
BLUEPRINTS = (
    "sqlite-app-databases/month-end-payments",
    "dependency-pinning/policy-lock",
    "layered-configuration/unit-drop-in",
)
CONFIGS = ("tasks", "sft", "trajectories", "skills", "rejected")
COPIED = ("skill2env", "dockerfiles")
PARAMS = {
    "build": {"levels": ["easy", "hard"], "max_seeds": 1},
    "publish": {"validation_share": 0.3, "test_share": 0.3},
}
LONGEST = 600

pytestmark = [pytest.mark.docker, pytest.mark.slow]


def _lay_out(root: Path) -> Path:
    """Make a workspace with three skills and one blueprint of each."""
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "dvc.yaml", root)
    for blueprint in BLUEPRINTS:
        skill = blueprint.split("/")[0]
        corpus = ROOT / "skills_corpus"
        shutil.copytree(corpus / "skills" / skill, root / "skills_corpus" / "skills" / skill)
        (root / "skills_corpus" / "provenance").mkdir(exist_ok=True)
        shutil.copy(corpus / "provenance" / f"{skill}.yaml", root / "skills_corpus" / "provenance")
        shutil.copytree(
            corpus / "blueprints" / blueprint,
            root / "skills_corpus" / "blueprints" / blueprint,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    (root / "params.yaml").write_text(yaml.safe_dump({"corpus": "skills_corpus", **_all_params()}))
    _run(root, "dvc", "init", "--no-scm", "-q")
    return root


def _all_params() -> dict[str, Any]:
    given = yaml.safe_load((ROOT / "params.yaml").read_text())
    return {
        key: {**value, **PARAMS.get(key, {})} if isinstance(value, dict) else value
        for key, value in given.items()
    }


def _environment() -> dict[str, str]:
    binaries = Path(sys.executable).parent
    return {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "DVC_NO_ANALYTICS": "1",
        "HF_HUB_OFFLINE": "1",
    }


def _run(root: Path, *argv: str, code: int = 0) -> str:
    done = subprocess.run(
        argv, cwd=root, env=_environment(), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.returncode == code, f"{argv}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _metrics(root: Path, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((root / "metrics" / f"{name}.json").read_text())
    return data


def _executed(output: str, stage: str) -> tuple[int, int]:
    """Return how many items a stage executed and reused, as it printed them."""
    match = re.search(rf"^{stage}: .*?(\d+) executed, (\d+) reused", output, re.MULTILINE)
    assert match, output
    return int(match[1]), int(match[2])


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A workspace in which everything ran through once, and what that printed."""
    root = _lay_out(tmp_path_factory.mktemp("unbroken"))
    yield root, _run(root, "dvc", "repro")


def test_everything_is_accepted_and_the_funnel_says_so(unbroken: tuple[Path, str]) -> None:
    root, output = unbroken
    assert _executed(output, "validate") == (6, 0)
    funnel = json.loads(_run(root, "skill2env", "funnel", "--json"))
    assert {row["stage"]: (row["inputs"], row["accepted"], row["errored"]) for row in funnel} == {
        "parse": (3, 3, 0),
        "draft": (3, 3, 0),
        "build": (6, 6, 0),
        "validate": (6, 6, 0),
        "rollout": (6, 6, 0),
    }
    assert 'load_dataset("data/dataset", "tasks")' in _run(root, "skill2env", "funnel")


def test_rollout_runs_no_trial_again(unbroken: tuple[Path, str]) -> None:
    _, output = unbroken
    after = output.split("rollout: ")[1]
    assert "trials_executed 0" in after


def test_the_dataset_loads_offline_and_tasks_come_back_whole(
    unbroken: tuple[Path, str], tmp_path: Path
) -> None:
    root, _ = unbroken
    script = (
        "import datasets, json\n"
        f"load = lambda c: datasets.load_dataset('data/dataset', c, cache_dir={str(tmp_path / 'cache')!r})\n"
        f"print(json.dumps({{c: sum(len(split) for split in load(c).values()) for c in {CONFIGS!r}}}))"
    )
    counts = json.loads(_run(root, sys.executable, "-c", script).splitlines()[-1])
    assert counts["tasks"] == 6
    assert counts["skills"] == 3
    assert counts["rejected"] == 1, "a config without rows holds one of nulls, or it would not load"
    assert list(rows(root / "data" / "dataset", "rejected")) == []
    assert counts["sft"] >= 12
    assert counts["trajectories"] > counts["sft"]
    _run(root, "skill2env", "export", "--all", "--to", str(tmp_path / "tasks"))
    for row in rows(root / "data" / "dataset", "tasks"):
        assert tree_id(read_back(root / "data" / "dataset", row["task_id"])) == row["content_id"]
        assert (tmp_path / "tasks" / row["task_id"] / "task.toml").is_file()


def test_an_exported_task_builds(unbroken: tuple[Path, str], tmp_path: Path) -> None:
    root, _ = unbroken
    task = next(rows(root / "data" / "dataset", "tasks"))["task_id"]
    _run(root, "skill2env", "export", task, "--to", str(tmp_path))
    tag = "skill2env-test-exported:latest"
    try:
        subprocess.run(
            ["docker", "build", "-q", "-t", tag, str(tmp_path / task / "environment")],
            env={**os.environ, "DOCKER_BUILDKIT": "0"},
            check=True,
            timeout=LONGEST,
        )
    finally:
        subprocess.run(["docker", "rmi", "-f", tag], capture_output=True, check=False)


def test_again_does_nothing(unbroken: tuple[Path, str]) -> None:
    root, _ = unbroken
    began = time.monotonic()
    assert "up to date" in _run(root, "dvc", "repro")
    assert time.monotonic() - began < 60


def test_a_changed_test_executes_only_its_tasks(unbroken: tuple[Path, str], tmp_path: Path) -> None:
    original, _ = unbroken
    root = tmp_path / "changed"
    shutil.copytree(original, root, symlinks=True)
    tests = root / "skills_corpus" / "blueprints" / BLUEPRINTS[1] / "tests" / "test_outputs.py"
    tests.write_text(tests.read_text() + "\n# a remark\n")
    output = _run(root, "dvc", "repro")
    assert _executed(output, "draft") == (1, 2)
    assert _executed(output, "build") == (2, 4)
    assert _executed(output, "validate") == (2, 4)
    assert _executed(output, "rollout") == (2, 4)


def test_a_bad_blueprint_costs_nothing_else(unbroken: tuple[Path, str], tmp_path: Path) -> None:
    original, _ = unbroken
    root = tmp_path / "bad"
    shutil.copytree(original, root, symlinks=True)
    broken = root / "skills_corpus" / "blueprints" / BLUEPRINTS[0] / "blueprint.yaml"
    broken.write_text(broken.read_text().replace("toolchain:", "toolchian:"))
    _run(root, "dvc", "repro")
    assert _metrics(root, "draft")["rejected"] == {"schema": 1}
    assert _metrics(root, "validate")["accepted"] == 4
    assert [row["rule"] for row in rows(root / "data" / "dataset", "rejected")] == ["schema"]


def test_killed_in_the_middle_gives_the_same_dataset(unbroken: tuple[Path, str], tmp_path: Path) -> None:
    original, output = unbroken
    whole = int(re.search(r"trials_executed (\d+)", output)[1])  # type: ignore[index]
    root = _lay_out(tmp_path / "killed")
    process = subprocess.Popen(
        ["dvc", "repro"],
        cwd=root,
        env=_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    answered = 0
    deadline = time.monotonic() + LONGEST
    while answered < whole // 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        answered = _trials(root)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    answered = _trials(root)
    assert 0 < answered < whole
    again = _run(root, "dvc", "repro")
    match = re.search(r"trials_executed (\d+)", again)
    assert match
    assert int(match[1]) == whole - answered
    assert _metrics(root, "publish")["fingerprint"] == _metrics(original, "publish")["fingerprint"]


def _trials(root: Path) -> int:
    path = root / "data" / "store" / "results.sqlite"
    if not path.exists():
        return 0
    with sqlite3.connect(path, timeout=30) as database:
        try:
            return int(database.execute("SELECT count(*) FROM results WHERE kind = 'trial'").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_an_engine_that_is_down_is_one_sentence(unbroken: tuple[Path, str], tmp_path: Path) -> None:
    original, _ = unbroken
    root = tmp_path / "down"
    shutil.copytree(original, root, symlinks=True)
    shutil.rmtree(root / "data" / "store")
    done = subprocess.run(
        ["skill2env", "validate"],
        cwd=root,
        env={**_environment(), "DOCKER_HOST": "unix:///nonexistent/docker.sock"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.startswith("error: ")
    assert "DOCKER_HOST" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
