"""A dataset is whole or the one before, whatever happens while it is written."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from unit.publish.made import World, context

from skill2env.errors import WorkspaceError
from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS, RejectedRow
from skill2env.stages.publish import publish
from skill2env.store import arrow, swap
from skill2env.store.dataset import DatasetWriter, fingerprint, rows
from skill2env.store.lookup import Lookup

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from unit.publish.made import World, context
from skill2env.stages.publish import publish
from skill2env.store import dataset, swap
dead = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "before":
    dataset.install = dead
elif sys.argv[3] == "after":
    swap.remove = lambda path: dead() if path.exists() and (path / "tasks").exists() else None
else:
    swap._exchange = lambda *_: False
    Path.rename = (lambda real: lambda self, to: dead() if self.name.endswith(".part") else real(self, to))(Path.rename)
publish(context(Path(sys.argv[1]), World(mistake_reward=0.5)))
"""


def killed(root: Path, when: str) -> None:
    tests = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", KILLED, str(root), str(tests), when], check=False, timeout=60)
    assert ran.returncode == -signal.SIGKILL


def row(name: str) -> RejectedRow:
    return RejectedRow(
        item_id=name, stage="parse", skill="", rule="r", codes=("r",), message="m", findings="[]", evidence=""
    )


def leftovers(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "data").iterdir() if path.name.startswith("."))


@pytest.mark.parametrize(("when", "new"), [("before", False), ("after", True), ("between", False)])
def test_a_kill_leaves_the_old_or_the_new_dataset(tmp_path: Path, when: str, new: bool) -> None:
    old = publish(context(tmp_path))["fingerprint"]
    dataset = tmp_path / "data/dataset"
    killed(tmp_path, when)
    if when == "between":
        assert not dataset.exists()
        swap.recover(dataset)
    assert (fingerprint(dataset) != old) == new
    renewed = publish(context(tmp_path, World(slower=2)))["fingerprint"]
    assert renewed == fingerprint(dataset) == old
    assert leftovers(tmp_path) == []


def test_a_publish_recovers_what_a_kill_between_two_renames_left(tmp_path: Path) -> None:
    publish(context(tmp_path))
    killed(tmp_path, "between")
    with pytest.raises(ZeroDivisionError), DatasetWriter(tmp_path / "data/dataset"):
        raise ZeroDivisionError
    assert len(list(rows(tmp_path / "data/dataset", "tasks"))) == 16


def test_a_failure_leaves_the_old_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = publish(context(tmp_path))["fingerprint"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("skill2env.store.dataset.install", full)
    with pytest.raises(
        WorkspaceError, match=r"No space left on device.*free space, then run `dvc repro` again"
    ):
        publish(context(tmp_path, World(mistake_reward=0.5)))
    assert fingerprint(tmp_path / "data/dataset") == old


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges folders in one step")
def test_folders_are_exchanged_in_one_step(tmp_path: Path) -> None:
    for name in ("new", "folder"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which").write_text(name)
    assert swap._exchange(tmp_path / "new", tmp_path / "folder")
    assert (tmp_path / "folder/which").read_text() == "new"
    assert (tmp_path / "new/which").read_text() == "folder"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges folders in one step")
def test_nothing_is_renamed_where_one_step_is_to_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a kill after a rename would leave no dataset")

    for name in ("new", "folder"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(Path, "rename", never)
    swap.install(tmp_path / "new", tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_two_renames_do_where_one_step_is_not_to_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    for name in ("new", "folder"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which").write_text(name)
    swap.install(tmp_path / "new", tmp_path / "folder")
    assert (tmp_path / "folder/which").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_link_in_the_place_of_the_dataset_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/precious").write_text("")
    (tmp_path / "dataset").symlink_to("elsewhere")
    with DatasetWriter(tmp_path / "dataset") as dataset:
        dataset.finish()
        dataset.card("card")
    assert (tmp_path / "elsewhere/precious").exists()
    assert not (tmp_path / "dataset").is_symlink()


def test_a_config_without_rows_has_a_file_and_no_rows(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "dataset") as dataset:
        dataset.add("rejected", "test", row("a"))
        dataset.finish()
        dataset.card("card")
        assert dataset.splits("rejected") == ("test",)
        assert dataset.splits("tasks") == ("train",)
    assert list(rows(tmp_path / "dataset", "tasks")) == []
    assert [found["item_id"] for found in rows(tmp_path / "dataset", "rejected")] == ["a"]


def test_digests_change_with_the_rows(tmp_path: Path) -> None:
    digests = []
    for name in ("a", "b", "a"):
        with DatasetWriter(tmp_path / "dataset") as dataset:
            dataset.add("rejected", "train", row(name))
            dataset.finish()
            dataset.card("card")
        digests.append(dataset.digests)
    assert digests[0] == digests[2]
    assert [config for config in CONFIGS if digests[0][config] != digests[1][config]] == ["rejected"]


def test_row_groups_are_bounded(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    with DatasetWriter(tmp_path / "dataset") as dataset:
        for number in range(250):
            dataset.add("rejected", "train", row(f"{number:03}"))
        for number in range(3):
            dataset.add("rejected", "test", row(str(number)).model_copy(update={"evidence": "x" * (5 << 20)}))
        dataset.finish()
        dataset.card("card")
    groups = {
        split: pq.ParquetFile(tmp_path / f"dataset/rejected/{split}.parquet").metadata
        for split in ("train", "test")
    }
    assert [groups["train"].row_group(index).num_rows for index in range(3)] == [100, 100, 50]
    assert groups["test"].num_row_groups == 3


def test_schemas_hold_every_column() -> None:
    for model in CONFIGS.values():
        assert arrow.schema(model).names == [column.name for column in columns(model)]
    assert str(arrow.schema(CONFIGS["sft"]).field("messages").type) == "list<item: extension<arrow.json>>"


def test_a_lookup_finds_any_row_in_any_order(tmp_path: Path) -> None:
    made = context(tmp_path, World(skills=tuple(f"skill-{number}" for number in range(12))))
    with Lookup(made.workspace.shard("build")) as found:
        ids = found.ids("accepted")
        assert len(ids) == 48
        for item in (*ids[::7], *reversed(ids)):
            stored = found.get(item)
            assert stored is not None and stored.item_id == item
        assert (found.kind("skill-0--unlucky--easy-s1"), found.kind("x"), found.get("x")) == (
            "errored",
            "",
            None,
        )


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    made = context(tmp_path)
    path = made.workspace.shard("validate")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(WorkspaceError, match=r"validate/outcomes.parquet: can't be read"):
        publish(made)
