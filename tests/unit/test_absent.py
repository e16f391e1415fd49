"""Where something is missing that tests need, they are skipped on a machine at home, and fail in CI."""

from __future__ import annotations

import pytest
from absent import absent
from unit import test_workflows


@pytest.mark.parametrize("here", ["", "0", "false", "False"])
def test_at_home(monkeypatch: pytest.MonkeyPatch, here: str) -> None:
    monkeypatch.setenv("CI", here)
    with pytest.raises(pytest.skip.Exception, match="no engine"):
        absent("no engine")


@pytest.mark.parametrize("here", ["1", "true", "yes"])
def test_in_ci(monkeypatch: pytest.MonkeyPatch, here: str) -> None:
    monkeypatch.setenv("CI", here)
    with pytest.raises(pytest.fail.Exception, match="no engine"):
        absent("no engine")


def test_a_missing_linter_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_workflows.shutil, "which", lambda *_, **__: None)
    monkeypatch.setenv("CI", "false")
    with pytest.raises(pytest.skip.Exception, match="no actionlint"):
        test_workflows._actionlint()
