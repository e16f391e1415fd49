#> See which files there are and read what is wanted. A database can have a write-ahead log beside it, so list before opening anything.
ls -la /srv/helpdesk /srv/helpdesk/migrations
cat /srv/helpdesk/migrations/*
#> Work on a copy, with the write-ahead log if there is one, and fold all into one clean file. Then look at the schema, at what hangs on tickets, and at what is really stored.
mkdir -p /tmp/copy && cp -p /srv/helpdesk/helpdesk.db* /tmp/copy/
sqlite3 /tmp/copy/helpdesk.db "PRAGMA integrity_check; PRAGMA wal_checkpoint(TRUNCATE); VACUUM INTO '/tmp/copy/v3.db'"
sqlite3 /tmp/copy/v3.db .schema "PRAGMA user_version" "SELECT * FROM sqlite_sequence"
sqlite3 /tmp/copy/v3.db "
SELECT typeof(fee), count(*), min(fee), max(fee) FROM tickets GROUP BY 1;
SELECT priority, count(*) FROM tickets GROUP BY 1;
SELECT 'opener', opened_by, count(*) FROM tickets WHERE lower(trim(opened_by)) NOT IN (SELECT lower(trim(email)) FROM users) GROUP BY 2;
SELECT 'assignee', assignee, count(*) FROM tickets WHERE lower(trim(assignee)) NOT IN (SELECT lower(trim(email)) FROM users) GROUP BY 2;
SELECT name FROM sqlite_schema WHERE type = 'table';"
#> Rebuild tickets in one transaction with foreign keys off, so that the drop does not cascade. Left-overs of an earlier attempt, if any, go, views are dropped first and made again, the highest number ever given is carried over.
cat > /tmp/copy/0004.sql <<'SQL'
.bail on
PRAGMA foreign_keys = OFF;
BEGIN;
DROP VIEW open_tickets;
DROP VIEW ticket_fees;
DROP TABLE IF EXISTS tickets_v4;
DROP TABLE IF EXISTS email_map;
INSERT INTO users (email, name)
  SELECT DISTINCT lower(trim(opened_by)), lower(trim(opened_by)) FROM tickets t
  WHERE NOT EXISTS (SELECT 1 FROM users u WHERE lower(trim(u.email)) = lower(trim(t.opened_by))) ORDER BY 1;
CREATE TABLE tickets_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  opened_by INTEGER NOT NULL REFERENCES users(id),
  assignee INTEGER REFERENCES users(id) ON DELETE SET NULL,
  priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 4),
  fee_cents INTEGER NOT NULL DEFAULT 0,
  opened_at TEXT NOT NULL,
  closed_at TEXT
);
INSERT INTO tickets_new (id, title, opened_by, assignee, priority, fee_cents, opened_at, closed_at)
  SELECT id, title,
    (SELECT u.id FROM users u WHERE lower(trim(u.email)) = lower(trim(t.opened_by))),
    (SELECT u.id FROM users u WHERE lower(trim(u.email)) = lower(trim(t.assignee))),
    CASE priority WHEN 'low' THEN 1 WHEN 'high' THEN 3 WHEN 'urgent' THEN 4 ELSE 2 END,
    CAST(round(coalesce(replace(fee, ',', '.'), 0) * 100) AS INTEGER),
    opened_at, closed_at
  FROM tickets t;
CREATE TEMP TABLE keep AS SELECT seq FROM sqlite_sequence WHERE name = 'tickets';
DROP TABLE tickets;
ALTER TABLE tickets_new RENAME TO tickets;
UPDATE sqlite_sequence SET seq = (SELECT seq FROM keep) WHERE name = 'tickets';
CREATE INDEX tickets_open ON tickets(opened_at) WHERE closed_at IS NULL;
CREATE INDEX tickets_assignee ON tickets(assignee, priority);
CREATE TRIGGER tickets_title AFTER UPDATE OF title ON tickets WHEN old.title <> new.title BEGIN
  INSERT INTO title_changes VALUES (old.id, old.title, new.title);
END;
CREATE VIEW open_tickets AS SELECT id, title, priority FROM tickets WHERE closed_at IS NULL;
CREATE VIEW ticket_fees AS SELECT id, fee_cents / 100.0 AS fee FROM tickets WHERE fee_cents <> 0;
PRAGMA user_version = 4;
COMMIT;
SQL
cp /tmp/copy/v3.db /workspace/helpdesk.db
sqlite3 /workspace/helpdesk.db < /tmp/copy/0004.sql
#> Write the report: the counts from the new database, the strangers from the old one.
sqlite3 /workspace/helpdesk.db "ATTACH '/tmp/copy/v3.db' AS old;
SELECT json_object('tickets', (SELECT count(*) FROM main.tickets), 'comments', (SELECT count(*) FROM main.comments),
  'fee_cents_total', (SELECT sum(fee_cents) FROM main.tickets),
  'unknown_assignees', (SELECT json_group_array(a) FROM (SELECT DISTINCT lower(trim(assignee)) AS a FROM old.tickets
      WHERE assignee IS NOT NULL AND lower(trim(assignee)) NOT IN (SELECT lower(trim(email)) FROM old.users) ORDER BY 1)),
  'added_users', (SELECT json_group_array(email) FROM (SELECT email FROM main.users WHERE id NOT IN (SELECT id FROM old.users) ORDER BY 1)));" | jq . > /workspace/migration.json
cat /workspace/migration.json
#> Check: nothing dangles, the counts are as before but for users that had to be added, a write on a scratch copy fires the trigger and cascades, and the files in /srv/helpdesk are as they were.
sqlite3 /workspace/helpdesk.db 'PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA foreign_key_list(comments);'
for t in users tickets comments attachments title_changes; do echo "$t $(sqlite3 /tmp/copy/v3.db "SELECT count(*) FROM $t") $(sqlite3 /workspace/helpdesk.db "SELECT count(*) FROM $t")"; done
cp /workspace/helpdesk.db /tmp/copy/scratch.db
sqlite3 /tmp/copy/scratch.db "PRAGMA foreign_keys = ON; UPDATE tickets SET title = 'x' WHERE id = (SELECT min(id) FROM tickets); SELECT * FROM title_changes; DELETE FROM tickets; SELECT count(*) FROM comments;"
ls -la /workspace /srv/helpdesk
