"""Mutants differ in what they mean, or, where they are called the same, only in how they are written."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skill2env.models.tree import Node, pack, text_file, unpack
from skill2env.mutation.formats import mutations
from skill2env.mutation.mutant import FATAL, Change
from skill2env.mutation.plan import alike, mutants
from skill2env.mutation.values import changed_values

RECORDS = [
    {"id": "a-17", "open": True, "total": 1250, "rate": 0.25, "tags": ["x", "y"]},
    {"id": "b-18", "open": False, "total": 990, "rate": 0.5, "tags": []},
    {"id": "c-19", "open": False, "total": 3, "rate": 0.75, "tags": ["z"]},
]
JSON = json.dumps({"day": "2026-03-01", "rows": RECORDS, "sum": 2243}, indent=2).encode() + b"\n"
JSONL = "".join(json.dumps(row) + "\n" for row in RECORDS).encode()
YAML = yaml.safe_dump({"service": {"port": 8080, "hosts": ["a", "b"], "tls": True}}).encode()
CSV = b"sku,qty,price\nA1,3,9.50\nB2,14,0.75\nC3,1,120.00\n"
TOML = b'# limits\nworkers = 4\nname = "north"\nverbose = true\n'
PYTHON = b"#!/usr/bin/env python3\nimport sys\n\n\ndef total(rows):\n    # the sum\n    kept = [r for r in rows if r >= 0]\n    return sum(kept) * 2\n\n\nprint(total([int(a) for a in sys.argv[1:]]))\n"
SHELL = (
    b'#!/bin/bash\nset -eu\nif [ -f "$1" ]; then\n  cp "$1" "$2"\n  [ "$3" -gt 0 ] && mv "$2" "$2.new"\nfi\n'
)


OUT = ("/workspace",)


def changes(path: str, data: bytes, ordered: bool = False) -> list[Change]:
    return mutations(path, data, random.Random(7), ordered)


def _rows(data: bytes) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(data.decode())) if row]


def _lenient(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data


@pytest.mark.parametrize(
    ("path", "data", "read", "operators"),
    [
        (
            "a.json",
            JSON,
            _lenient,
            "drop swap negate zero retype perturb duplicate truncate empty null nan same",
        ),
        (
            "a.jsonl",
            JSONL,
            lambda data: [_lenient(line) for line in data.splitlines()],
            "drop swap negate zero retype perturb duplicate truncate empty null nan same",
        ),
        (
            "a.yaml",
            YAML,
            yaml.safe_load,
            "drop duplicate negate zero retype perturb truncate empty null nan same",
        ),
        ("a.csv", CSV, _rows, "drop swap perturb zero truncate empty duplicate nan retype null same"),
    ],
)
def test_each_mutant_means_something_else_and_the_same_mean_the_same(
    path: str, data: bytes, read: Callable[[bytes], Any], operators: str
) -> None:
    found = changes(path, data)
    assert {change.operator for change in found} == set(operators.split())
    for change in found:
        if change.data is None:
            continue
        meant = repr(read(change.data))
        assert change.operator == "same" or meant != repr(read(data)), change
        if change.operator == "same" and path != "a.csv":
            assert read(change.data) == read(data)


def test_a_list_is_only_reordered_where_order_is_known_to_matter() -> None:
    assert "reorder" in {change.operator for change in changes("a.json", JSON, ordered=True)}
    plain = json.dumps(["b", "a", "c"]).encode()
    for change in changes("a.json", plain):
        if change.data and change.operator not in ("same", "truncate"):
            assert sorted(map(str, _as_list(change.data))) != ["a", "b", "c"], change


def _as_list(data: bytes) -> list[Any]:
    value = _lenient(data)
    return value if isinstance(value, list) else [value]


def test_not_a_number_is_written_as_python_writes_it() -> None:
    bad = [change.data for change in changes("a.json", JSON) if change.operator == "nan"]
    assert bad
    assert all(b"NaN" in (data or b"") for data in bad)


@pytest.mark.parametrize(("path", "data"), [("tool.py", PYTHON), ("tool", PYTHON)])
def test_python_is_changed_by_its_tree_and_stays_python(path: str, data: bytes) -> None:
    found = [change for change in changes(path, data) if change.operator in ("program", "same")]
    assert {change.operator for change in found} == {"program", "same"}
    outputs = {change.what: _printed(change.data or b"") for change in found}
    right = _printed(data)
    assert right == "24"
    for change in found:
        assert (outputs[change.what] == right) is (change.operator == "same"), (change, outputs[change.what])
        assert (change.data or b"").startswith(b"#!/usr/bin/env python3\n")


def _printed(program: bytes) -> str:
    """Return what a program prints for 5, 7 and -3."""
    said = io.StringIO()
    names: dict[str, Any] = {"__name__": "__main__", "print": lambda *a: said.write(" ".join(map(str, a)))}
    import sys

    before, sys.argv = sys.argv, ["tool", "5", "7", "-3"]
    try:
        exec(compile(program, "tool", "exec"), names)
    except TypeError as error:
        return f"breaks: {error}"
    finally:
        sys.argv = before
    return said.getvalue()


def test_shell_is_changed_by_its_lines() -> None:
    whats = sorted(change.what for change in changes("tool.sh", SHELL) if change.operator == "program")
    assert whats == [
        'line 3: `if [ -f "$1" ]; then` is turned round',
        'line 4: `cp "$1" "$2"` is gone',
        'line 5: `[ "$3" -gt 0 ] && mv "$2" "$2.new"` is gone',
        'line 5: `[ "$3" -gt 0 ] && mv "$2" "$2.new"` is turned round',
        'line 5: `[ "$3" -gt 0 ] && mv "$2" "$2.new"` is turned round',
    ]


def test_settings_keep_their_comments() -> None:
    found = changes("a.toml", TOML)
    assert {"drop", "zero", "negate", "perturb", "swap"} <= {change.operator for change in found}
    assert all(b"# limits" in change.data for change in found if change.data and change.operator == "zero")


def test_archives_are_changed_member_by_member() -> None:
    data = gzip.compress(pack({"d/a.txt": text_file("one\n"), "d/b.txt": text_file("two\n")}))
    found = {change.what: change for change in changes("a.tar.gz", data)}
    gone = found["the member d/a.txt is gone"].data
    assert gone is not None
    assert sorted(unpack(gone)) == ["d/b.txt"]


def test_databases_are_changed_by_statements() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cents INTEGER); CREATE INDEX i ON t (name);"
        "INSERT INTO t VALUES (1, 'a', 5), (2, 'b', 7);"
    )
    found = changes("a.db", database.serialize())
    assert {"drop", "truncate"} <= {change.operator for change in found}
    whats = [change.what for change in found]
    assert "the index 'i' is gone" in whats
    rows = {change.what: _count(change.data) for change in found if change.what == "t is empty"}
    assert rows == {"t is empty": 0}


def _count(data: bytes | None) -> int:
    database = sqlite3.connect(":memory:")
    database.deserialize(data or b"")
    return int(database.execute("SELECT count(*) FROM t").fetchone()[0])


def test_the_plan_keeps_to_its_number_and_has_the_fatal_ones_first() -> None:
    outputs = {"workspace/a.json": Node("file", JSON), "workspace/b.csv": Node("file", CSV)}
    few = mutants(outputs, OUT, {}, "Write it.", 6)
    wrong = [mutant for mutant in few if mutant.change.operator != "same"]
    assert len(wrong) == 6
    assert {mutant.change.operator for mutant in wrong} == set(FATAL)
    assert few == mutants(outputs, OUT, {}, "Write it.", 6)
    many = mutants(outputs, OUT, {}, "Write it.", 60)
    assert Counter(mutant.path for mutant in many).keys() == outputs.keys()


def test_what_the_work_left_alone_is_only_dropped_and_perturbed() -> None:
    outputs = {"srv/in.json": Node("file", JSON), "workspace/out.json": Node("file", JSONL.split(b"\n")[0])}
    found = mutants(
        outputs, ("/srv", "/workspace/out.json"), {"srv/in.json": Node("file", JSON)}, "Leave /srv alone.", 99
    )
    assert {m.change.operator for m in found if m.path == "srv/in.json"} <= {"drop", "perturb"}
    assert [m for m in found if m.path == "srv/in.json"]


@pytest.mark.parametrize(
    ("instruction", "same"),
    [
        ("Write a report.", True),
        ("Keep the indentation as it is.", False),
        ("No other formatting, please.", False),
    ],
)
def test_a_prescribed_form_has_no_other_clothes(instruction: str, same: bool) -> None:
    found = mutants({"workspace/a.json": Node("file", JSON)}, OUT, {}, instruction, 9)
    assert any(mutant.change.operator == "same" for mutant in found) is same


def test_a_mutant_is_within_the_outputs() -> None:
    outputs = {"workspace/a.json": Node("file", JSON, 0o755), "workspace/b": Node("file", b"x")}
    for mutant in mutants(outputs, OUT, {}, "", 99):
        changed = mutant.within(outputs)
        kept = outputs.keys() - {mutant.path}
        assert all(changed[path] == outputs[path] for path in kept)
        assert (mutant.path in changed) is (mutant.change.data is not None)
        assert mutant.path not in changed or changed[mutant.path].mode == outputs[mutant.path].mode


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1000, 1000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.integers())
def test_no_changed_value_is_the_value(value: Any, seed: int) -> None:
    for made in changed_values(value, random.Random(seed), ordered=False):
        assert repr(made.new) != repr(value) or (made.operator == "nan" and math.isnan(made.new)), made


@given(
    st.binary(max_size=200),
    st.sampled_from(["a.json", "a.csv", "a.yaml", "a.toml", "a.py", "a.sh", "a.db", "a", "a.tar"]),
)
def test_any_bytes_can_be_mutated(data: bytes, path: str) -> None:
    for change in mutations(path, data, random.Random(1), False):
        assert change.data != data


@pytest.mark.parametrize("data", [b"KEEP=14\nREGION=north\n", b"# unit\n[Service]\nRestart = no\n"])
def test_lines_of_settings_are_no_prose_whatever_the_files_name(data: bytes) -> None:
    operators = {change.operator for change in changes("etc/default/job", data)}
    assert "duplicate" not in operators
    assert "same" in operators


def test_what_lies_beside_the_work_in_one_output_is_left_alone() -> None:
    outputs = {"out/old.json": Node("file", JSON), "out/new.json": Node("file", b'{"a": 1}')}
    found = mutants(outputs, ("/out",), {"out/old.json": Node("file", JSON)}, "", 99)
    assert {mutant.path for mutant in found} == {"out/new.json"}


@pytest.mark.parametrize(("world", "same"), [({}, True), ({"workspace/a.json": Node("file", b"[]")}, False)])
def test_what_stays_as_it_is_has_no_other_clothes_either(world: dict[str, Node], same: bool) -> None:
    found = mutants(
        {"workspace/a.json": Node("file", JSON)}, OUT, world, "Leave all else as it is, byte for byte.", 9
    )
    assert any(mutant.change.operator == "same" for mutant in found) is same


def test_those_like_a_survivor_change_the_same_field() -> None:
    outputs = {"workspace/a.json": Node("file", JSON)}
    one = next(
        m for m in mutants(outputs, OUT, {}, "", 60) if m.change.operator == "perturb" and m.change.field
    )
    others = alike(one, outputs, {}, "")
    assert others
    assert {(other.change.operator, other.change.field) for other in others} == {
        ("perturb", one.change.field)
    }
    assert one.change.data not in {other.change.data for other in others}


def test_those_like_a_change_to_a_guarded_file_are_of_files_beside_it() -> None:
    world = {f"srv/{name}.txt": Node("file", f"{name}\n".encode()) for name in "abc"}
    one = next(m for m in mutants(world, ("/srv",), world, "", 60) if m.change.operator == "perturb")
    assert {other.path for other in alike(one, world, world, "")} > {one.path} or len(
        alike(one, world, world, "")
    ) > 1
