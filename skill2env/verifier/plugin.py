"""The pytest plugin: tells checks from guards, records what each did, and gives the tests their fixtures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import archives, delivered, readers, repository

TESTS = Path("/tests")
OUTPUTS = Path("/outputs")
NOT_RUN = "not run"
_MESSAGE = 600


class Seen:
    """What happened to every test; registered with pytest beside the fixtures."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._checks: dict[str, dict[str, Any]] = {}
        self._harness_error = ""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register the marks."""
        config.addinivalue_line("markers", "check(weight, group): a test that adds reward")
        config.addinivalue_line("markers", "guard: a test that must hold and adds no reward")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A test file that can't be loaded is the harness's fault, never the agent's."""
        if report.failed:
            self._harness_error = (
                f"tests/test_outputs.py can't be loaded: {_plain(report.longreprtext[-_MESSAGE:])}"
            )

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note every test that is going to run."""
        for item in items:
            guard = item.get_closest_marker("guard")
            mark = item.get_closest_marker("check")
            given = mark.kwargs if mark else {}
            name = item.nodeid.split("::", 1)[-1]
            self._checks[item.nodeid] = {
                "name": name,
                "kind": "guard" if guard else "check",
                "group": "" if guard else str(given.get("group", name.split("[")[0])),
                "weight": 0.0 if guard else float(given.get("weight", 1)),
                "passed": False,
                "message": NOT_RUN,
            }

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome: passed is passed in every phase; skipped or expected to fail is not."""
        check = self._checks[report.nodeid]
        if report.when == "call":
            check["passed"] = report.passed and not hasattr(report, "wasxfail")
            check["message"] = "" if check["passed"] else _short(report)
        elif not report.passed:
            check["passed"] = False
            check["message"] = _short(report)

    def ended(self, code: int) -> None:
        """Note pytest's exit code: all but passed (0), failed (1) and no tests (5) are the harness's fault."""
        if code not in (0, 1, 5) and not self._harness_error:
            self._harness_error = f"pytest ended with exit code {code}"

    def report(self) -> dict[str, Any]:
        """Return what was seen, JSON-able."""
        return {"checks": list(self._checks.values()), "harness_error": self._harness_error}


def _short(report: pytest.TestReport) -> str:
    lines = report.longreprtext.splitlines()
    told = [line[1:].strip() for line in lines if line.startswith("E")]
    return _plain("\n".join(told or lines[-5:])[:_MESSAGE])


def _plain(text: str) -> str:
    """Return text without lone surrogates, which outputs may hold and a verdict may not."""
    return text.encode("utf-8", "replace").decode("utf-8")


@pytest.fixture(scope="session")
def truth() -> dict[str, Any]:
    """The facts that `world.py` returned."""
    facts: dict[str, Any] = json.loads((TESTS / "truth.json").read_text(encoding="utf-8"))
    return facts


@pytest.fixture(scope="session")
def workspace() -> Path:
    """`/workspace`, with only the declared outputs in it."""
    return Path("/workspace")


@pytest.fixture(scope="session")
def output() -> Any:
    """A function: the path of a declared output by its absolute path in the task."""
    return lambda path: OUTPUTS / str(path).lstrip("/")


@pytest.fixture(scope="session")
def hidden() -> Any:
    """A function: the path of a file that `world.hide` made."""

    def find(name: str) -> Path:
        path = TESTS / "hidden" / name
        if not path.is_file():
            pytest.fail(f"the blueprint hides no file {name!r}; make it with world.hide", pytrace=False)
        return path

    return find


def _fixture(function: Any) -> Any:
    """A fixture that hands a function to the tests."""

    def give() -> Any:
        return function

    return pytest.fixture(scope="session", name=function.__name__)(give)


read_bytes = _fixture(readers.read_bytes)
read_text = _fixture(readers.read_text)
read_json = _fixture(readers.read_json)
read_jsonl = _fixture(readers.read_jsonl)
read_csv = _fixture(readers.read_csv)
read_yaml = _fixture(readers.read_yaml)
read_toml = _fixture(readers.read_toml)
read_ini = _fixture(readers.read_ini)
read_xml = _fixture(readers.read_xml)
read_archive = _fixture(archives.read_archive)
query = _fixture(readers.query)
digest = _fixture(readers.digest)
near = _fixture(readers.near)
run = _fixture(delivered.run)
serve = _fixture(delivered.serve)
repo = _fixture(repository.repo)
