"""The workflows are valid by actionlint, and the one that runs strangers' code is given nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from absent import absent

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SKILLS = ROOT / ".github" / "workflows" / "skills.yml"


def _actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    linter = shutil.which("actionlint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if linter is None:
        absent("there is no actionlint; it comes with the dev extra where there is a wheel for the machine")
    return subprocess.run(
        [linter, "-no-color", *files], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_workflows_are_valid() -> None:
    assert len(WORKFLOWS) == 2
    done = _actionlint(*WORKFLOWS)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fetch-depth: 0", "fetch-dept: 0", "fetch-dept"),
        ("'HEAD^1'", '"${{ github.event.pull_request.title }}"', "untrusted"),
        ("pull_request:", "pull_requests:", "pull_requests"),
    ],
)
def test_a_fault_in_a_workflow_is_found(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = SKILLS.read_text()
    assert old in text
    (tmp_path / "bad.yml").write_text(text.replace(old, new, 1))
    done = _actionlint(tmp_path / "bad.yml")
    assert done.returncode == 1
    assert told in done.stdout


def test_a_strangers_code_gets_no_secret_and_a_token_that_only_reads() -> None:
    text = SKILLS.read_text()
    workflow = yaml.safe_load(text)
    assert list(workflow[True]) == ["pull_request"], "YAML reads `on` as true"
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    assert "${{ github.event" not in text
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    steps = job["steps"]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@(v\d+|[0-9a-f]{40})", name) for name in used), used
    (checkout,) = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert any("check --changed 'HEAD^1' --github" in step.get("run", "") for step in steps)
