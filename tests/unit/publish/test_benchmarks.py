"""Texts of benchmarks as they lie on disk: each kind, hostile ones, and what the dataset says of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from unit.publish.made import World, context, task

from skill2env.errors import UsageError
from skill2env.params import Params, PublishParams
from skill2env.stages.publish import benchmarks, publish
from skill2env.stages.publish.benchmarks import Reader, compare
from skill2env.store.dataset import rows

ONE = "alpha--break-in--easy-s1"
COPIED = task("alpha", "easy", 1, World()).instruction


def read(path: Path) -> dict[str, str]:
    return dict(Reader().items(path, path.name))


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        compare(path.parent, [path.name], {"task": "a b c"})
    assert caught.value.exit_code == 2 and "\n" not in str(caught.value)
    return str(caught.value)


def published(root: Path, *paths: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]], str]:
    """Return the figures, the tasks' rows by id, and the card."""
    made = context(root, params=Params(publish=PublishParams(benchmarks=paths)))
    figures = publish(made)
    found = {row["task_id"]: row for row in rows(made.workspace.dataset, "tasks")}
    return figures, found, (made.workspace.dataset / "README.md").read_text()


def test_a_folder_of_tasks_gives_one_item_for_each(tmp_path: Path) -> None:
    top = tmp_path / "bench"
    for name in ("b", "deep/a"):
        (top / name / "tests").mkdir(parents=True)
        (top / name / "instruction.md").write_text(f"do {name}")
        (top / name / "README.md").write_text("not read")
        (top / name / "tests/data.jsonl").write_text("not read either")
    (top / "notes.TXT").write_text("notes")
    (top / "page.md").write_text("page")
    (top / "code.py").write_text("not read")
    wanted = {
        "bench/notes.TXT": "notes",
        "bench/page.md": "page",
        "bench/b": "do b",
        "bench/deep/a": "do deep/a",
    }
    assert read(top) == wanted
    assert read(top / "b") == {"b": "do b"}
    assert read(top / "page.md") == {"page.md": "page"}


def test_a_line_of_json_is_an_item_of_all_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    lines = [
        {"prompt": "one", "n": 3, "turns": [{"role": "user", "text": "two"}]},
        None,
        "three \ud800",
        {"n": 1},
    ]
    path.write_text("\ufeff" + "\n\n".join(json.dumps(line) for line in lines))
    assert read(path) == {"set.jsonl:1": "one\nuser\ntwo", "set.jsonl:5": "three \ud800"}


def test_a_row_of_parquet_is_an_item_of_all_its_texts(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(40)]
    table = pa.table(
        {
            "id": list(range(40)),
            "text": pa.array(texts).dictionary_encode(),
            "turns": [[{"role": "user", "said": "hello", "raw": b"bytes"}]] * 40,
            "raw": [b"bytes"] * 40,
            "none": pa.array([None] * 40, pa.large_string()),
        }
    )
    path = tmp_path / "set.parquet"
    pq.write_table(table, path, row_group_size=7)
    found = read(path)
    assert list(found) == [f"set.parquet:{number}" for number in range(1, 41)]
    assert found["set.parquet:40"] == "text 39\nuser\nhello"


def test_tasks_have_their_share_and_card_and_figures_say_it(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/bench[1]").mkdir()
    (tmp_path / "texts/bench[1]/copied.md").write_text(f"# Task\n\n{COPIED.upper()}")
    (tmp_path / "set.jsonl").write_text('{"text": "of another kind"}\n' * 3)
    figures, found, card = published(tmp_path, "texts/bench[1]", str(tmp_path / "set.jsonl"))
    row, other = found[ONE], found["beta--break-in--hard-s2"]
    assert (row["benchmark_overlap"], row["benchmark_item"]) == (1.0, "bench[1]/copied.md")
    assert (other["benchmark_overlap"], other["benchmark_item"]) == (0.0, None)
    measured = figures["overlap"]
    assert (measured["items"], measured["tasks_sharing"], measured["share_max"]) == (4, 1, 1.0)
    assert [(one["name"], one["items"]) for one in measured["benchmarks"]] == [
        ("bench[1]", 1),
        ("set.jsonl", 3),
    ]
    assert {row["benchmarks_sha256"] for row in found.values()} == {measured["sha256"]}
    sha = measured["benchmarks"][0]["sha256"][:16]
    assert f"Compared were bench\\[1\\] (1 items, content id `{sha}`), set.jsonl (3 items," in card
    assert "1 of 16 tasks share a sequence with any item; the largest share is 100.0%." in card
    assert str(tmp_path) not in card
    assert json.loads((tmp_path / "metrics/publish.json").read_text())["overlap"] == measured


def test_without_benchmarks_nothing_was_measured_and_the_card_says_so(tmp_path: Path) -> None:
    figures, found, card = published(tmp_path)
    kept = ("benchmark_overlap", "benchmark_item", "benchmarks_sha256")
    assert {row[name] for row in found.values() for name in kept} == {None}
    assert "overlap" not in figures
    assert "Overlap with public benchmarks was not measured" in card and "`publish.benchmarks`" in card


def test_the_fingerprint_changes_with_the_texts_and_with_nothing_else(tmp_path: Path) -> None:
    texts = tmp_path / "bench.txt"
    prints = []
    for text in ("of another kind", "of another kind", "of a third kind"):
        texts.write_text(text)
        prints.append(published(tmp_path, "bench.txt")[0]["fingerprint"])
    assert prints[0] == prints[1] != prints[2]


def test_a_dataset_is_kept_where_a_benchmark_is_missing(tmp_path: Path) -> None:
    before = published(tmp_path)[2]
    with pytest.raises(UsageError, match="gone is not there; correct the path, or leave it out"):
        published(tmp_path, "gone")
    assert (tmp_path / "data/dataset/README.md").read_text() == before


def test_links_and_pipes_below_a_folder_are_passed_over(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (outside / "instruction.md").write_text("secret")
    top = tmp_path / "bench"
    (top / "task").mkdir(parents=True)
    (top / "file.md").symlink_to(outside / "secret.md")
    (top / "folder").symlink_to(outside)
    (top / "loop").symlink_to(top)
    (top / "task/instruction.md").symlink_to(outside / "instruction.md")
    os.mkfifo(top / "pipe.jsonl")
    assert "holds no text; name a folder of task directories" in refused(top)
    (top / "own.md").write_text("own")
    assert read(top) == {"bench/own.md": "own"}


def test_a_path_that_is_named_may_be_a_link_but_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "blob").write_text('"text"')
    (tmp_path / "set.jsonl").symlink_to("blob")
    assert read(tmp_path / "set.jsonl") == {"set.jsonl:1": "text"}
    os.mkfifo(tmp_path / "pipe.txt")
    assert "pipe.txt can't be read (not a regular file); mend it" in refused(tmp_path / "pipe.txt")
    (tmp_path / "a.md").symlink_to("a.md")
    assert "a.md" in refused(tmp_path / "a.md")


def test_an_endless_line_and_a_large_text_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks, "MAX_ITEM_BYTES", 1 << 20)
    path = tmp_path / "set.jsonl"
    with path.open("wb") as file:
        file.write(b'"fine"\n')
        file.truncate(1 << 40)
    assert "set.jsonl:2 has more than the 1 MB that one item may have; mend it" in refused(path)
    (tmp_path / "large.txt").write_text("x" * ((1 << 20) + 1))
    assert "large.txt has more than the 1 MB" in refused(tmp_path / "large.txt")
    pq.write_table(pa.table({"text": ["a", "x" * ((1 << 20) + 1)]}), tmp_path / "set.parquet")
    assert "set.parquet:2 has more than the 1 MB" in refused(tmp_path / "set.parquet")


@pytest.mark.parametrize(
    ("bound", "most", "told"),
    [
        ("MAX_BYTES", 20, "set.jsonl:3 is beyond the 0 GB that are read of all benchmarks"),
        ("MAX_ITEMS", 2, "set.jsonl:3 is beyond the 2 items that are compared"),
    ],
)
def test_there_is_a_most_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int, told: str
) -> None:
    monkeypatch.setattr(benchmarks, bound, most)
    (tmp_path / "set.jsonl").write_text('"ab"\n' * 9)
    assert told in refused(tmp_path / "set.jsonl")


def test_a_folder_has_a_most_of_levels_and_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks, "MAX_LEVELS", 3)
    (tmp_path / "a/b/c/d/e").mkdir(parents=True)
    assert "a/b/c/d/e is beyond" in refused(tmp_path / "a")
    monkeypatch.setattr(benchmarks, "MAX_ENTRIES", 2)
    (tmp_path / "flat").mkdir()
    for name in "xyz":
        (tmp_path / f"flat/{name}.md").write_text(name)
    assert "flat is beyond the 2 entries" in refused(tmp_path / "flat")


def test_files_that_are_not_what_they_say_are_refused_by_name(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.table({"text": ["some text"] * 100}), whole)
    damaged = bytearray(whole.read_bytes())
    damaged[4:60] = b"\xff" * 56
    for name, data in {"a": b"no parquet", "b": b"", "c": bytes(damaged)}.items():
        (tmp_path / f"{name}.parquet").write_bytes(data)
        assert f"{name}.parquet can't be read as parquet (" in refused(tmp_path / f"{name}.parquet")
    (tmp_path / "set.jsonl").write_text('"fine"\n{"text": \n')
    assert "set.jsonl:2 is no JSON (Expecting value" in refused(tmp_path / "set.jsonl")
    (tmp_path / "deep.jsonl").write_text("[" * 200_000)
    assert "deep.jsonl:1 is no JSON (" in refused(tmp_path / "deep.jsonl")


def test_row_groups_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks, "MAX_GROUP_BYTES", 10)
    pq.write_table(pa.table({"text": ["some text"] * 100}), tmp_path / "set.parquet")
    assert "set.parquet has a row group of more than" in refused(tmp_path / "set.parquet")


def test_bad_utf_8_and_odd_names_are_read(tmp_path: Path) -> None:
    top = tmp_path / "bench"
    top.mkdir()
    Path(os.fsdecode(os.fsencode(top) + b"/odd\xff.md")).write_bytes(b"one \xff two")
    (top / "set.jsonl").write_bytes(b'{"text": "one \xff two"}')
    found = read(top)
    assert found == {"bench/odd\\xff.md": "one \ufffd two", "bench/set.jsonl:1": "one \ufffd two"}
    assert compare(tmp_path, ["bench"], {"task": "one two"}).overlaps["task"].share == 1.0


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe"])
def test_what_has_no_text_is_refused_or_shares_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "empty.md").write_bytes(data)
    if data.strip():
        assert compare(tmp_path, ["empty.md"], {"task": "a"}).figures()["share_max"] == 0.0
    else:
        assert "empty.md holds no text" in refused(tmp_path / "empty.md")


def test_a_file_of_another_kind_holds_no_text(tmp_path: Path) -> None:
    (tmp_path / "set.csv").write_text("text")
    assert (
        "set.csv holds no text; name a folder of task directories with instruction.md, or files"
        in refused(tmp_path / "set.csv")
    )
