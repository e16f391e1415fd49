#> Read what changes, then build an empty version 4 database from the old schema text and carry the rows over in Python, so nothing is ever dropped or renamed. The old side is read from a copy of its whole folder: the way back stays untouched, and a log beside the database comes along.
cat /srv/helpdesk/migrations/0004.md
cp -r /srv/helpdesk /tmp/old
cat > /tmp/carry.py <<'PY'
import json, sqlite3
from decimal import Decimal
old = sqlite3.connect("/tmp/old/helpdesk.db")
new = sqlite3.connect("/workspace/helpdesk.db", isolation_level=None)
objects = old.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'"
                      " AND tbl_name IN ('users', 'tickets', 'comments', 'attachments', 'title_changes', 'open_tickets', 'ticket_fees')").fetchall()
tickets_v4 = """CREATE TABLE tickets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, opened_by INTEGER NOT NULL, assignee INTEGER,
  priority INTEGER NOT NULL, fee_cents INTEGER NOT NULL DEFAULT 0, opened_at TEXT NOT NULL, closed_at TEXT,
  CHECK (priority IN (1, 2, 3, 4)), FOREIGN KEY (opened_by) REFERENCES users, FOREIGN KEY (assignee) REFERENCES users ON DELETE SET NULL)"""
fees_v4 = "CREATE VIEW ticket_fees(id, fee) AS SELECT id, round(fee_cents * 0.01, 2) FROM tickets WHERE fee_cents > 0"
changed = {"tickets": tickets_v4, "ticket_fees": fees_v4}
for kind, name, sql in objects:
    if kind == "table":
        new.execute(changed.get(name, sql))
new.execute("BEGIN")
ids = {email.strip().lower(): i for i, email in old.execute("SELECT id, email FROM users")}
for table in ("users", "comments", "attachments", "title_changes"):
    for row in old.execute(f"SELECT * FROM {table}"):
        new.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
added, unknown, total, count = [], set(), 0, 0
rank = {"low": 1, "normal": 2, "high": 3, "urgent": 4, None: 2}
for number, title, opener, helper, priority, fee, opened, closed in old.execute("SELECT * FROM tickets"):
    opener, helper = opener.strip().lower(), helper and helper.strip().lower()
    if opener not in ids:
        ids[opener] = new.execute("INSERT INTO users (email, name) VALUES (?, ?)", (opener, opener)).lastrowid
        added.append(opener)
    if helper and helper not in ids:
        unknown.add(helper)
    # a stranger who opened a ticket may also be an assignee: settle assignees by the users of version 3 only
    cents = int((Decimal(str(fee or 0).replace(",", ".")) * 100).to_integral_value())
    total, count = total + cents, count + 1
    new.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (number, title, ids[opener], ids.get(helper), rank[priority], cents, opened, closed))
highest = old.execute("SELECT seq FROM sqlite_sequence WHERE name = 'tickets'").fetchone()[0]
new.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'tickets'", (highest,))
for kind, name, sql in objects:
    if kind != "table":
        new.execute(changed.get(name, sql))
new.execute("COMMIT")
new.execute("PRAGMA user_version = 4")
print(new.execute("PRAGMA foreign_key_check").fetchall())
comments = new.execute("SELECT count(*) FROM comments").fetchone()[0]
new.close()
json.dump({"tickets": count, "comments": comments, "fee_cents_total": total, "unknown_assignees": sorted(unknown), "added_users": sorted(added)},
          open("/workspace/migration.json", "w"))
PY
python3 /tmp/carry.py
