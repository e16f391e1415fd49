#> Read what changes and what else is written, and see which files there are. The old side is only ever read from a copy of the whole folder: the way back stays untouched, and a log beside the database, if there is one, comes along.
ls -lR /srv/helpdesk
tail -n +1 /srv/helpdesk/migrations/*
md5sum /srv/helpdesk/helpdesk.db* > /tmp/sums
cp -rp /srv/helpdesk /tmp/old
#> Version 3 from inside: is it whole, what objects has it (more than the five tables would be left over from something), and from which number do tickets go on?
sqlite3 /tmp/old/helpdesk.db "PRAGMA integrity_check" .schema "SELECT * FROM sqlite_sequence" "PRAGMA user_version"
#> And the rows: a few tickets, the kinds of fees and priorities, and addresses that no user has once case and blanks are taken off.
sqlite3 -header /tmp/old/helpdesk.db "SELECT * FROM tickets LIMIT 3; SELECT * FROM users LIMIT 2; SELECT * FROM comments LIMIT 1;
SELECT typeof(fee), count(*), min(fee), max(fee) FROM tickets GROUP BY 1; SELECT priority, count(*) FROM tickets GROUP BY 1;
WITH known AS (SELECT lower(trim(email)) AS email FROM users)
SELECT 'opened by', quote(opened_by) AS address, count(*) FROM tickets WHERE lower(trim(opened_by)) NOT IN known GROUP BY 2
UNION ALL SELECT 'assigned to', quote(assignee), count(*) FROM tickets WHERE lower(trim(assignee)) NOT IN known GROUP BY 2;"
#> Build an empty version 4 database from the old schema text and carry the rows of the five tables over in Python, so nothing is ever dropped or renamed, and left-overs stay behind. Fees become cents in decimal arithmetic, commas included.
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
known = set(ids)
added, unknown, total, count = [], set(), 0, 0
rank = {"low": 1, "normal": 2, "high": 3, "urgent": 4, None: 2}
for number, title, opener, helper, priority, fee, opened, closed in old.execute("SELECT * FROM tickets"):
    opener, helper = opener.strip().lower(), helper and helper.strip().lower()
    if opener not in ids:
        ids[opener] = new.execute("INSERT INTO users (email, name) VALUES (?, ?)", (opener, opener)).lastrowid
        added.append(opener)
    # a stranger who opened a ticket may also be an assignee: settle assignees by the users of version 3 only
    if helper and helper not in known:
        unknown.add(helper)
        helper = None
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
cat /workspace/migration.json; echo
#> Check: all rows arrived, all objects are there and no others, fees add up to the same, assignees are fewer only by those who are no user, a write on a scratch copy fires the trigger and cascades, and the way back is as it was.
for t in users tickets comments attachments title_changes; do echo "$t: $(sqlite3 /tmp/old/helpdesk.db "SELECT count(*) FROM $t") before, $(sqlite3 /workspace/helpdesk.db "SELECT count(*) FROM $t") now"; done
sqlite3 /workspace/helpdesk.db "PRAGMA integrity_check" "PRAGMA user_version" "SELECT * FROM sqlite_sequence" "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY 1, 2" "SELECT sum(fee_cents), count(assignee) FROM tickets" "SELECT * FROM ticket_fees LIMIT 2"
sqlite3 /tmp/old/helpdesk.db "SELECT round(sum(replace(fee, ',', '.')) * 100), count(assignee) FROM tickets"
cp /workspace/helpdesk.db /tmp/scratch.db
sqlite3 /tmp/scratch.db "PRAGMA foreign_keys = ON; UPDATE tickets SET title = 'x' WHERE id = (SELECT min(id) FROM tickets); SELECT count(*) FROM title_changes; DELETE FROM tickets; SELECT count(*) FROM comments;"
md5sum -c /tmp/sums; ls /workspace
