"""Export of a stranger's dataset: whatever its rows hold, nothing is written outside of the folder that was named."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from unit.publish.made import context

from skill2env.commands.show import export
from skill2env.errors import WorkspaceError
from skill2env.models.rows import SPLITS
from skill2env.models.tree import BadTree, Node, Tree, pack_gz, text_file, tree_id
from skill2env.stages.publish import publish
from skill2env.store.folders import write_folder

NAMES = ("../outside", "..", "/{outside}", "a/b", "with\x1b[31m")


def hostile(root: Path, task_id: str, tree: Tree) -> Path:
    """Return a dataset whose only task has this id and these files, with the content id that they have."""
    made = context(root)
    publish(made)
    dataset = made.workspace.dataset
    paths = [dataset / "tasks" / f"{split}.parquet" for split in SPLITS]
    first, *others = [path for path in paths if path.exists()]
    for other in others:
        other.unlink()
    table = pq.read_table(first)
    row = table.slice(0, 1).to_pylist()[0]
    row |= {"task_id": task_id, "files": pack_gz(tree), "content_id": tree_id(tree)}
    pq.write_table(table.from_pylist([row], schema=table.schema), first)
    return dataset


@pytest.mark.parametrize("name", NAMES)
def test_a_task_id_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    name = name.format(outside=str(tmp_path / "outside").lstrip("/"))
    dataset = hostile(tmp_path / "workspace", name, {"instruction.md": text_file("x")})
    with pytest.raises(WorkspaceError, match="is no name for a folder"):
        export(task=[], to=tmp_path / "tasks" / "here", everything=True, dataset=dataset, root=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["workspace"]


def test_files_below_a_link_of_the_task_are_refused(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    tree = {"a": Node("link", str(victim).encode(), 0o777), "a/planted": text_file("x")}
    dataset = hostile(tmp_path / "workspace", "plain", tree)
    with pytest.raises(WorkspaceError, match="lies below 'a', which is a link"):
        export(task=["plain"], to=tmp_path / "tasks", everything=False, dataset=dataset, root=tmp_path)
    assert not list(victim.iterdir())
    assert not (tmp_path / "tasks").exists()


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_tree_is_not_written_through_its_own_entries(tmp_path: Path, kind: str) -> None:
    tree = {"a/b": Node(kind, b"/", 0o777), "a/b/c/d": text_file("x")}  # type: ignore[arg-type]
    with pytest.raises(BadTree, match=f"which is a {kind}"):
        write_folder(tree, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_task_without_files_is_damaged(tmp_path: Path) -> None:
    dataset = hostile(tmp_path / "workspace", "plain", {})
    path = next(path for path in (dataset / "tasks").iterdir())
    table = pq.read_table(path)
    row = table.to_pylist()[0] | {"files": None}
    pq.write_table(table.from_pylist([row], schema=table.schema), path)
    with pytest.raises(WorkspaceError, match="damaged"):
        export(task=["plain"], to=tmp_path / "tasks", everything=False, dataset=dataset, root=tmp_path)
