"""Findings about the machine, and the order in which images are made."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from skill2env.sandbox import doctor
from skill2env.sandbox.doctor import LOCKED, diagnose, waves


def made(prefix: Path, root: Path) -> None:
    lines = [f"{hashlib.sha256((root / name).read_bytes()).hexdigest()}  {name}\n" for name in LOCKED]
    (prefix / ".lock.sha256").write_text("".join(lines))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in LOCKED:
        (tmp_path / name).write_text(name)
    return tmp_path


def test_an_environment_made_from_the_lock_is_well(root: Path) -> None:
    made(root, root)
    finding = doctor._virtual_environment(root, root)
    assert (finding.ok, finding.detail, finding.mend) == (True, str(root), "")


def test_a_lock_that_changed_since_is_named(root: Path) -> None:
    made(root, root)
    (root / "requirements.lock").write_text("changed")
    finding = doctor._virtual_environment(root, root)
    assert finding.ok is False
    assert finding.detail == f"requirements.lock changed since {root} was made"
    assert finding.mend == "run `make doctor`, which makes it anew"


def test_another_environment_is_told_apart(root: Path) -> None:
    finding = doctor._virtual_environment(root / "elsewhere", root)
    assert (finding.ok, finding.detail) == (False, f"{root / 'elsewhere'} was not made by make")


@pytest.mark.parametrize(
    ("version", "ok"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_python_versions(version: tuple[int, int], ok: bool) -> None:
    assert doctor._python(version).ok is ok


def test_memory_is_read_in_kibibytes(tmp_path: Path) -> None:
    path = tmp_path / "meminfo"
    path.write_text("MemTotal: 8000000 kB\nMemAvailable:    1000000 kB\n")
    finding = doctor._memory(path)
    assert (finding.ok, finding.detail) == (False, "1.0 GB available")
    path.write_text("MemAvailable: 3000000 kB\n")
    assert doctor._memory(path).ok is True


def test_without_an_engine_there_is_one_finding_about_it_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    findings = {finding.name: finding for finding in diagnose()}
    assert list(findings) == ["python", "virtual environment", "engine", "disk", "memory"]
    assert findings["engine"].ok is False
    assert findings["engine"].detail == f"No Docker Engine answers at DOCKER_HOST=unix://{tmp_path}/none.sock"
    assert findings["engine"].mend == "start it, or unset DOCKER_HOST"


def test_images_are_built_after_those_whose_layers_they_share() -> None:
    # shell; its verifier and python; python's verifier, data and docs; the verifiers of these two.
    assert [len(wave) for wave in waves()] == [1, 2, 3, 2]
