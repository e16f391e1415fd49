"""What the commands of the stages print."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from skill2env.cli import app


def test_a_report_for_a_program_is_one_document_with_the_counts(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("{}")
    (tmp_path / "skills_corpus" / "skills").mkdir(parents=True)
    told = {}
    for name in ("parse", "draft", "build", "validate", "rollout"):
        wanted = ["--report"] if name in ("validate", "rollout") else []
        done = CliRunner().invoke(app, [name, "--json", *wanted, "--workspace", str(tmp_path)])
        assert done.exit_code == 0, (done.output, done.exception)
        told[name] = json.loads(done.stdout)
    assert [found["inputs"] for found in told.values()] == [0, 0, 0, 0, 0]
    assert [name for name, found in told.items() if "report" in found] == ["validate", "rollout"]
    assert told["validate"]["report"]["tasks"] == told["rollout"]["report"]["attempts"] == 0
    kept = json.loads((tmp_path / "metrics" / "strength.json").read_text())
    assert kept == told["validate"]["report"]
