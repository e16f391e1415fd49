"""Figures in `metrics/` that are damaged: one sentence with the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.errors import WorkspaceError
from skill2env.store.workspace import Workspace


@pytest.mark.parametrize("text", ["{", "[1]", "\0"])
def test_damaged_figures_are_named(tmp_path: Path, text: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.write_metrics("parse", {})
    workspace.metrics("parse").write_text(text)
    with pytest.raises(WorkspaceError, match=r"parse\.json: .*run `dvc repro`, which makes it again"):
        workspace.read_metrics("parse")


def test_a_folder_in_the_place_of_figures_is_named(tmp_path: Path) -> None:
    Workspace(tmp_path).metrics("parse").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match=r"parse\.json: can't be read"):
        Workspace(tmp_path).read_metrics("parse")
