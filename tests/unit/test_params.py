"""params.yaml: every fault is named, with the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.errors import UsageError
from skill2env.params import Params, load_params

ROOT = Path(__file__).resolve().parents[2]


def test_the_repositorys_own_parameters_are_the_defaults() -> None:
    assert load_params(ROOT / "params.yaml") == Params()


def test_all_faults_are_named(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text("build: {max_seeds: none, levels: [extreme]}\ndriver: {worker: 3}\n")
    with pytest.raises(UsageError) as caught:
        load_params(path)
    for name in ("build.max_seeds", "build.levels.0", "driver.worker", str(path)):
        assert name in str(caught.value)


def test_broken_yaml_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text("build:\n  levels: [easy\n")
    with pytest.raises(UsageError, match=r"params\.yaml:3: not valid YAML"):
        load_params(path)


def test_what_is_not_utf_8_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(b"driver:\n  workers: 3\n# caf\xe9\n")
    with pytest.raises(UsageError, match=r"params\.yaml:3: not UTF-8 .*; save it as UTF-8"):
        load_params(path)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        load_params(tmp_path / "params.yaml")
