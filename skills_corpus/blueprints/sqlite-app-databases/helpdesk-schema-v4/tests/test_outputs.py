"""Rows, keys, constraints, indexes, triggers and views of the migrated database, and the report about it."""

import json

import pytest

TABLES = ["attachments", "comments", "tickets", "title_changes", "users"]
COLUMNS = {"id": "INTEGER", "title": "TEXT", "opened_by": "INTEGER", "assignee": "INTEGER", "priority": "INTEGER",
           "fee_cents": "INTEGER", "opened_at": "TEXT", "closed_at": "TEXT"}


@pytest.fixture
def ask(workspace, query):
    return lambda sql, *params: [list(row) for row in query(workspace / "helpdesk.db", sql, params)]


@pytest.fixture
def expected(hidden):
    return json.loads(hidden("expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def write(workspace, read_bytes, run):
    """Runs SQL on a copy, as the application connects; gives what it printed, or the exit code if it was refused."""
    copy = read_bytes(workspace / "helpdesk.db")

    def apply(sql):
        done = run(["sqlite3", "-bail", "helpdesk.db", "PRAGMA foreign_keys = ON; " + sql], files={"helpdesk.db": copy})
        return done.out.split() if done.code == 0 else None
    return apply


@pytest.mark.check(weight=3, group="rows")
def test_every_ticket_in_its_new_shape(ask, expected):
    rows = ask("SELECT t.id, t.title, o.email, a.email, t.priority, t.fee_cents, t.opened_at, t.closed_at FROM tickets t"
               " LEFT JOIN users o ON o.id = t.opened_by LEFT JOIN users a ON a.id = t.assignee ORDER BY t.id")
    assert rows == expected["tickets"]


@pytest.mark.check(group="rows")
def test_numbers_are_stored_as_integers(ask, expected):
    rows = ask("SELECT DISTINCT typeof(id), typeof(opened_by), typeof(priority), typeof(fee_cents) FROM tickets")
    assert rows == [["integer"] * 4]
    assert ask("SELECT count(*) FROM tickets WHERE typeof(assignee) NOT IN ('integer', 'null')") == [[0]]


@pytest.mark.check(group="rows")
def test_comments_attachments_and_changes_are_all_there(ask, expected):
    assert ask("SELECT id, ticket_id, body, written_at FROM comments ORDER BY id") == expected["comments"]
    assert ask("SELECT id, ticket_id, name, lower(hex(content)) FROM attachments ORDER BY id") == expected["attachments"]
    first = expected["tickets"][0]
    assert ask("SELECT ticket_id, became FROM title_changes") == [[first[0], first[1]]]


@pytest.mark.check(group="rows")
def test_users_are_kept_and_only_strangers_added(ask, expected, truth):
    added = [[email, email] for email in truth["report"]["added_users"]]
    assert ask("SELECT email, name FROM users ORDER BY email") == sorted(expected["users"] + added)
    assert set(expected["user_ids"]) <= {row[0] for row in ask("SELECT id FROM users")}


@pytest.mark.check(group="schema")
def test_version_integrity_and_no_tables_besides(ask):
    assert ask("PRAGMA user_version") == [[4]]
    assert ask("PRAGMA integrity_check") == [["ok"]]
    assert ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name") == [[t] for t in TABLES]


@pytest.mark.check(group="schema")
def test_columns_of_tickets(ask):
    columns = {name: (kind.upper(), notnull) for name, kind, notnull in ask("SELECT name, type, \"notnull\" FROM pragma_table_info('tickets')")}
    assert {name: kind for name, (kind, _) in columns.items()} == COLUMNS
    assert all(columns[name][1] for name in ("title", "opened_by", "priority", "fee_cents", "opened_at"))


@pytest.mark.check(group="schema")
def test_foreign_keys_point_at_the_right_tables(ask):
    keys = ask("SELECT m.name, f.\"from\", f.\"table\", f.on_delete FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'")
    held = {(table, column.lower()): (target, rule) for table, column, target, rule in keys}
    assert held[("comments", "ticket_id")] == ("tickets", "CASCADE")
    assert held[("attachments", "ticket_id")] == ("tickets", "CASCADE")
    assert held[("tickets", "opened_by")][0] == "users"
    assert held[("tickets", "assignee")] == ("users", "SET NULL")
    assert ask("PRAGMA foreign_key_check") == []


@pytest.mark.check(group="schema")
def test_indexes_are_back(ask):
    found = ask("SELECT m.name, m.tbl_name, (SELECT group_concat(name) FROM pragma_index_info(m.name)) FROM sqlite_master m"
                " WHERE m.type = 'index' AND m.sql IS NOT NULL ORDER BY 1")
    assert [row for row in found if row[0] in ("comments_ticket", "tickets_assignee", "tickets_open", "users_email")] == [
        ["comments_ticket", "comments", "ticket_id"], ["tickets_assignee", "tickets", "assignee,priority"],
        ["tickets_open", "tickets", "opened_at"], ["users_email", "users", "email"]]
    assert ask("SELECT partial FROM pragma_index_list('tickets') WHERE name = 'tickets_open'") == [[1]]
    assert ask("SELECT \"unique\" FROM pragma_index_list('users') WHERE name = 'users_email'") == [[1]]


@pytest.mark.check(group="behaviour")
def test_views_answer_in_the_old_units(ask, expected, near):
    fees = ask("SELECT id, fee FROM ticket_fees ORDER BY id")
    wanted = [[t[0], t[5] / 100] for t in expected["tickets"] if t[5]]
    assert [row[0] for row in fees] == [row[0] for row in wanted]
    assert all(near(row[1], want[1], 0.001) for row, want in zip(fees, wanted))
    opened = [[t[0], t[1], t[4]] for t in expected["tickets"] if t[7] is None]
    assert ask("SELECT id, title, priority FROM open_tickets ORDER BY id") == opened


@pytest.mark.check(group="behaviour")
def test_trigger_cascade_and_numbering_work(write, expected, truth):
    ticket = expected["comments"][0][1]
    assert write(f"UPDATE tickets SET title = 'renamed' WHERE id = {ticket}; SELECT count(*) FROM title_changes WHERE became = 'renamed'") == ["1"]
    assert write(f"DELETE FROM tickets WHERE id = {ticket}; SELECT count(*) FROM comments WHERE ticket_id = {ticket}") == ["0"]
    user = expected["user_ids"][0]
    made = write(f"INSERT INTO tickets (title, opened_by, priority, opened_at) VALUES ('new', {user}, 2, '2026-05-01T00:00:00Z');"
                 " SELECT id, fee_cents FROM tickets WHERE title = 'new'")
    assert made == [f"{truth['next_ticket']}|0"]


@pytest.mark.check(group="behaviour")
def test_bad_rows_are_refused(write, expected):
    user = expected["user_ids"][0]
    insert = "INSERT INTO tickets (title, opened_by, priority, opened_at) VALUES ('x', {}, {}, '2026-05-01T00:00:00Z'); SELECT 1"
    assert write(insert.format(user, 4)) == ["1"]
    for person, priority in ((987654, 2), ("NULL", 2), (user, 0), (user, 5), (user, "NULL")):
        assert write(insert.format(person, priority)) is None


@pytest.mark.check(weight=2, group="report")
@pytest.mark.parametrize("figure", ["tickets", "comments", "fee_cents_total", "unknown_assignees", "added_users"])
def test_report(workspace, read_json, truth, figure):
    report = read_json(workspace / "migration.json")
    assert report[figure] == truth["report"][figure]
    assert not isinstance(report[figure], bool)


@pytest.mark.guard
def test_the_way_back_is_still_version_3(output, query, hidden, digest, truth):
    original = output("/srv/helpdesk") / "helpdesk.db"
    assert query(original, "PRAGMA user_version") == [(3,)]
    found = {table: [[value.hex() if isinstance(value, bytes) else value for value in row]
                     for row in query(original, f"SELECT * FROM {table} ORDER BY 1, 2")] for table in TABLES}
    states = json.loads(hidden("way-back.json").read_text(encoding="utf-8"))
    assert found in states  # before or after its log was written into it
    for path, expected in truth["log"].items() if found == states[0] else ():
        assert digest(output(path)) == expected


@pytest.mark.guard
def test_the_migrations_are_as_they_were(output, digest, truth):
    for path, expected in truth["migrations"].items():
        assert digest(output(path)) == expected
