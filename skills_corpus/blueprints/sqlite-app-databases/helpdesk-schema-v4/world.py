"""A help desk's database at schema 3, with everything that hangs on its tickets table."""

import json
import sqlite3
import struct
from datetime import datetime, timedelta

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL);
CREATE UNIQUE INDEX users_email ON users(email);
CREATE TABLE tickets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  opened_by TEXT NOT NULL,        -- address
  assignee TEXT,                  -- address
  priority TEXT,                  -- low, normal, high, urgent
  fee REAL,                       -- in euros
  opened_at TEXT NOT NULL,
  closed_at TEXT
);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  ticket_id INTEGER NOT NULL REFERENCES tickets(id) ON DELETE CASCADE,
  body TEXT NOT NULL,
  written_at TEXT NOT NULL
);
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY,
  ticket_id INTEGER NOT NULL REFERENCES tickets(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content BLOB
);
CREATE TABLE title_changes (ticket_id INTEGER NOT NULL, was TEXT NOT NULL, became TEXT NOT NULL);
CREATE INDEX tickets_open ON tickets(opened_at) WHERE closed_at IS NULL;
CREATE INDEX tickets_assignee ON tickets(assignee, priority);
CREATE INDEX comments_ticket ON comments(ticket_id);
CREATE TRIGGER tickets_title AFTER UPDATE OF title ON tickets WHEN old.title <> new.title BEGIN
  INSERT INTO title_changes VALUES (old.id, old.title, new.title);
END;
CREATE VIEW open_tickets AS SELECT id, title, priority FROM tickets WHERE closed_at IS NULL;
CREATE VIEW ticket_fees AS SELECT id, fee FROM tickets WHERE fee IS NOT NULL;
PRAGMA user_version = 3;
"""

SPEC = """# 0004: people and money

The application always connects with `PRAGMA foreign_keys = ON`.

Table `tickets`, column by column:

| column | version 3 | version 4 |
|---|---|---|
| id | INTEGER PRIMARY KEY AUTOINCREMENT | the same; the number of a ticket that was deleted is never given out again |
| title | TEXT NOT NULL | the same |
| opened_by | address | INTEGER NOT NULL, the user's id, references `users(id)` |
| assignee | address or NULL | INTEGER, the user's id or NULL, references `users(id)`, becomes NULL when the user is deleted |
| priority | low, normal, high, urgent | INTEGER NOT NULL, 1 to 4 in that order, checked by the database; a ticket without one is normal |
| fee | euros | goes |
| fee_cents | | new: INTEGER NOT NULL, 0 if not given; the fee in cents, no fee is 0 |
| opened_at, closed_at | TEXT | the same |

An assignee who is no user becomes NULL.{loose}{typed}

The view `open_tickets` stays as it is. The view `ticket_fees` still has the columns `id` and `fee`, in euros, and leaves
out tickets without a fee. Afterwards `user_version` is 4, and there are no tables besides the five that version 3 has.
"""
LOOSE = """ Addresses are the same when they differ only in letter case or in blanks around them.
Somebody who opened a ticket and is no user is added to `users`, with the address in lower case, without blanks, as `email` and as `name`."""
TYPED = """ Some fees were typed by hand, the German way (`12,50`); they are as good as the others."""
NOTES = """21:40 started 0004 by hand
21:52 copied the tickets over into tickets_v4, looks good so far
22:05 forgot to stop the app, people are still writing comments. will have to do it all again anyway
22:06 power gone in the whole building
"""
WORDS = ["printer", "login", "invoice", "router", "calendar", "backup", "monitor", "licence", "mailbox", "badge", "scanner", "VPN"]
NAMES = ["Anna", "Björn", "Chiara", "Dmitri", "Ewa", "Farid", "Greta", "Hugo", "Ines", "Jan", "Kofi", "Lena"]
LEVELS = {"low": 1, "normal": 2, "high": 3, "urgent": 4, None: 2}


def build(world):
    rng = world.rng
    loose, typed = world.knob("loose_emails"), world.knob("typed_fees")
    users = {i * 7 + rng.randrange(5): name for i, name in enumerate(rng.sample(NAMES, 10), 1)}
    address = {i: f"{name.lower().replace('ö', 'oe')}@desk.example" for i, name in users.items()}
    strangers = [f"{n}@partner.example" for n in rng.sample(["ruth", "sven", "tara", "ugo", "vera"], 3)]
    gone = [f"{n}@desk.example" for n in rng.sample(["walter", "xenia", "yusuf", "zoe"], 2)]

    def spelled(email):
        return rng.choice([email, email.title(), email.upper(), f" {email}", f"{email} "]) if loose else email

    count = rng.randint(70, 90)
    tickets, expected = [], []
    moment = datetime(2026, 1, 5, 8, 0)
    by_hand = ["12,50", "7,99", "105,00", "0,35"]
    for n in range(1, count + 1):
        moment += timedelta(minutes=rng.randint(30, 900))
        opener = rng.choice(list(users))
        opened_by, who = spelled(address[opener]), address[opener]
        if loose and n % 17 == 3:
            who = strangers[(n // 17) % len(strangers)]
            opened_by = spelled(who)
        assignee, helper = None, None
        if n % 11 == 4:
            assignee = spelled(gone[(n // 11) % 2])
        elif rng.random() < 0.7:
            helper = rng.choice(list(users))
            assignee = spelled(address[helper])
        priority = rng.choice([None, "low", "normal", "normal", "high", "urgent"])
        cents = rng.choice([0, 1999, 1990, 5790, 2905, 115, 820, rng.randint(101, 20000)])
        fee = cents / 100 if cents else None
        if typed and n % 9 == 5:
            fee = rng.choice(by_hand)
            cents = int(fee.replace(",", ""))
        opened_at = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
        closed_at = f"{moment + timedelta(hours=rng.randint(1, 90)):%Y-%m-%dT%H:%M:%SZ}" if rng.random() < 0.6 else None
        title = f"{rng.choice(WORDS)} {rng.choice(['broken', 'gone', 'slow', 'needed', 'asks again', chr(8222) + 'kaputt' + chr(8220)])}"
        tickets.append((n, title, opened_by, assignee, priority, fee, opened_at, closed_at))
        expected.append([n, title, who, helper and address[helper], LEVELS[priority], cents, opened_at, closed_at])
    comments = [(i, rng.randint(1, count), f"note {i}: {rng.choice(WORDS)}", f"2026-03-01T{i // 60:02}:{i % 60:02}:00Z")
                for i in range(1, rng.randint(150, 190))]
    files = [(i, rng.randint(1, count), f"shot-{i}.png", rng.randbytes(12)) for i in range(1, 16)]

    if world.knob("deleted_tail"):
        highest = count + rng.randint(4, 9)
    else:
        highest = count
    dropped = set(rng.sample(range(2, count - 5), 6))  # deleted long ago, with their comments
    tickets = [t for t in tickets if t[0] not in dropped]
    expected = [t for t in expected if t[0] not in dropped]
    comments = [c for c in comments if c[1] not in dropped]
    files = [f for f in files if f[1] not in dropped]

    path = world.path("/srv/helpdesk/helpdesk.db")
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(SCHEMA)
    late = 6 if world.knob("open_log") else 0  # the last tickets and comments are in the log only
    cut, cut_c = len(tickets) - late, len(comments) - 4 * late
    db.execute("BEGIN")
    db.executemany("INSERT INTO users VALUES (?, ?, ?)", [(i, address[i], n) for i, n in users.items()])
    _insert(db, tickets[:cut], comments[:cut_c], files)
    db.execute("INSERT INTO title_changes VALUES (?, 'printer', ?)", (expected[0][0], expected[0][1]))
    db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'tickets'", (highest,))
    db.execute("COMMIT")
    if world.knob("half_done"):
        _broken_off(db, expected[: cut // 2])
        world.write("/srv/helpdesk/migrations/notes.txt", NOTES)
    states = [_rows(db)]
    if late:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("BEGIN")
        _insert(db, tickets[cut:], comments[cut_c:], [])
        db.execute("UPDATE tickets SET closed_at = NULL WHERE id = ?", (tickets[0][0],))
        db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'tickets'", (highest,))
        db.execute("COMMIT")
        expected[0][7] = None
        states.append(_rows(db))  # as it is once somebody has opened it with its log
        main, log = path.read_bytes(), world.path("/srv/helpdesk/helpdesk.db-wal").read_bytes()
        db.close()
        world.write("/srv/helpdesk/helpdesk.db", main)
        world.write("/srv/helpdesk/helpdesk.db-wal", _resalted(log))
    else:
        db.close()
    world.write("/srv/helpdesk/migrations/0004.md", SPEC.format(loose=LOOSE if loose else "", typed=TYPED if typed else ""))

    world.hide("way-back.json", json.dumps(states))
    world.hide("expected.json", json.dumps({
        "tickets": expected, "comments": comments, "attachments": [[i, t, n, c.hex()] for i, t, n, c in files],
        "users": sorted([address[i], n] for i, n in users.items()), "user_ids": sorted(users)}))
    openers = {t[2] for t in expected}
    helpers = {t[3].strip().lower() for t in tickets if t[3]}
    return {
        "report": {
            "tickets": len(expected), "comments": len(comments), "fee_cents_total": sum(t[5] for t in expected),
            "unknown_assignees": sorted(helpers & set(gone)), "added_users": sorted(openers & set(strangers))},
        "next_ticket": highest + 1,
        "log": {"/srv/helpdesk/helpdesk.db-wal": world.digest("/srv/helpdesk/helpdesk.db-wal")} if late else {},
        "migrations": {f"/srv/helpdesk/migrations/{name}": world.digest(f"/srv/helpdesk/migrations/{name}")
                       for name in ["0004.md", *(["notes.txt"] if world.knob("half_done") else [])]},
    }


def _rows(db):
    """Every row of version 3's tables, JSON-able."""
    return {table: [[value.hex() if isinstance(value, bytes) else value for value in row]
                    for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]
            for table in ["attachments", "comments", "tickets", "title_changes", "users"]}


def _insert(db, tickets, comments, files):
    db.executemany("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)", tickets)
    db.executemany("INSERT INTO comments VALUES (?, ?, ?, ?)", comments)
    db.executemany("INSERT INTO attachments VALUES (?, ?, ?, ?)", files)


def _broken_off(db, rows):
    """What the first attempt left: a table of the new shape with an older half of the tickets, under the old index's new name."""
    db.execute("CREATE TABLE tickets_v4 (id INTEGER PRIMARY KEY, title TEXT, opened_by INTEGER, assignee INTEGER, priority INTEGER,"
               " fee_cents INTEGER, opened_at TEXT, closed_at TEXT)")
    db.executemany("INSERT INTO tickets_v4 VALUES (?, ?, NULL, NULL, ?, ?, ?, NULL)", [(t[0], t[1], t[4], t[5] - t[5] % 5, t[6]) for t in rows])
    db.execute("CREATE TABLE email_map (email TEXT, user_id INTEGER)")


def _resalted(log):
    """The write-ahead log with fixed salts: SQLite draws them at random, and its checksums cover them (fileformat2, section 4)."""
    order = ">" if log[:4] == b"\x37\x7f\x06\x83" else "<"
    page = struct.unpack(">I", log[8:12])[0]

    def checksum(data, a, b):
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        for x, y in zip(words[::2], words[1::2]):
            a = (a + x + b) & 0xFFFFFFFF
            b = (b + y + a) & 0xFFFFFFFF
        return a, b

    salts = struct.pack(">II", 0x51A7ED00, 0x0BADCAFE)
    head = log[:16] + salts
    a, b = checksum(head, 0, 0)
    out = [head, struct.pack(">II", a, b)]
    for at in range(32, len(log), 24 + page):
        start, data = log[at:at + 8], log[at + 24:at + 24 + page]
        a, b = checksum(start + data, a, b)
        out += [start, salts, struct.pack(">II", a, b), data]
    return b"".join(out)
