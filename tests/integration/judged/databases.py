"""Runs inside a judge: delivered SQLite files."""

import os
import sqlite3
import time

import pytest

FAILS = pytest.fail.Exception


@pytest.fixture
def made(tmp_path):
    def make(*statements):
        path = tmp_path / "made.db"
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        return path

    return make


def test_rows_are_read(query, made):
    path = made("CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x'), (2, NULL)")
    assert query(path, "SELECT a, b FROM t WHERE a >= ? ORDER BY a", (1,)) == [(1, "x"), (2, None)]
    assert os.listdir("/scratch") == []


def test_a_database_is_not_changed(query, made):
    path = made("CREATE TABLE t (a)")
    before = path.read_bytes()
    with pytest.raises(FAILS, match="readonly"):
        query(path, "INSERT INTO t VALUES (1)")
    assert path.read_bytes() == before


def test_an_endless_view_ends(query, made):
    path = made(
        "CREATE VIEW t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    )
    began = time.monotonic()
    with pytest.raises(FAILS, match="interrupted|more than 1000000 rows"):
        query(path, "SELECT * FROM t")
    with pytest.raises(FAILS, match="interrupted"):
        query(path, "SELECT count(*) FROM t")
    assert time.monotonic() - began < 40


def test_a_giant_value_fails(query, made):
    path = made("CREATE VIEW t AS SELECT zeroblob(900000000) AS x")
    with pytest.raises(FAILS, match="too big"):
        query(path, "SELECT x FROM t")


def test_the_schema_is_not_trusted(query, made):
    path = made(
        "CREATE TABLE t (a)",
        "INSERT INTO t VALUES ('x')",
        "CREATE VIEW v AS SELECT load_extension('/tmp/x.so') FROM t",
    )
    with pytest.raises(FAILS):
        query(path, "SELECT * FROM v")


def test_what_is_no_database_fails(query, tmp_path):
    for name, data in (("text", b"no database " * 100), ("half", b"SQLite format 3\0" + bytes(2000))):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(FAILS):
            query(path, "SELECT * FROM t")
    (tmp_path / "link").symlink_to(tmp_path / "text")
    for path in (tmp_path / "link", tmp_path, tmp_path / "absent", "/dev/zero"):
        with pytest.raises(FAILS):
            query(path, "SELECT 1")
