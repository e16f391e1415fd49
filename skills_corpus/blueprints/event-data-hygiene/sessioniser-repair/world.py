"""A sessioniser that came over from a prototype, its contract, a signed-off day to compare with, and hidden days to judge it."""

import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal

PROTOTYPE = '''#!/usr/bin/env python3
"""Sessions from click events: JSON Lines on standard input, one session a line on standard output."""
import json
import sys
from collections import defaultdict

GAP_MINUTES = 30


def minutes(stamp):
    hour, minute, second = stamp[11:19].split(":")
    return int(stamp[8:10]) * 1440 + int(hour) * 60 + int(minute) + int(second) / 60


def main():
    users = defaultdict(list)
    for line in sys.stdin:
        event = json.loads(line)
        users[float(event["user"])].append(event)
    for user, events in users.items():
        session = []
        for event in events:
            if session and minutes(event["at"]) - minutes(session[-1]["at"]) > GAP_MINUTES:
                write(user, session)
                session = []
            session.append(event)
        write(user, session)


def write(user, session):
    print(json.dumps({
        "user": str(int(user)),
        "start": session[0]["at"],
        "end": session[-1]["at"],
        "events": len(session),
        "revenue": str(sum(float(event.get("amount", 0)) for event in session)),
        "day": session[0]["at"][:10],
    }))


if __name__ == "__main__":
    main()
'''


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def sessions(events, rules):
    """The expected sessions: an independent statement of the contract over (id, user, instant, kind, cents)."""
    found = []
    for user in sorted({e[1] for e in events}):
        mine = sorted({e[0]: e for e in events if e[1] == user and e[3] != "ping"}.values(), key=lambda e: e[2])
        current = []
        for event in mine:
            if current:
                gap = event[2] - current[-1][2]
                split = gap > rules["gap"] or (rules["inclusive"] and gap == rules["gap"])
                if split or (rules["longest"] and event[2] - current[0][2] >= rules["longest"]):
                    found.append(current)
                    current = []
            current.append(event)
        if current:
            found.append(current)
    return [{"user": str(s[0][1]), "start": iso(s[0][2]), "end": iso(s[-1][2]), "events": len(s),
             "revenue": str(Decimal(sum(e[4] for e in s)).scaleb(-2).quantize(Decimal("0.01"))),
             "day": (s[0][2] + rules["zone"]).strftime("%Y-%m-%d")} for s in found]


def build(world):
    rng = world.rng
    rich = world.knob("inputs") == "mixed"
    gap = rng.choice([20, 25, 35, 40]) + rng.randint(0, 4) + 10 * (world.seed % 3)
    longest = rng.choice([3, 4, 5]) if rich else 0
    zone = rng.choice([-8, -5, 3, 9]) if rich else 0
    inclusive = True  # the prototype says "more than"
    rules = {"gap": timedelta(minutes=gap), "inclusive": inclusive, "longest": timedelta(hours=longest), "zone": timedelta(hours=zone)}
    base = 9007199254740992 + 2 * rng.randrange(1000, 90000)

    def day(start, people, tag):
        """Events of a day: every user meets the gap limit exactly, one second short of it, and one second past it."""
        events = []
        for n in range(people):
            user = base + n
            moment = start + timedelta(seconds=rng.randrange(9 * 3600))
            steps = [rules["gap"], rules["gap"] - timedelta(seconds=1), rules["gap"] + timedelta(seconds=1)]
            steps += [timedelta(seconds=rng.randint(5, 60 * gap - 2)) for _ in range(rng.randint(3, 9))]
            steps += [timedelta(minutes=gap + rng.randint(20, 200)) for _ in range(2)]
            rng.shuffle(steps)
            if rich and n % 4 == 0:  # one long evening without a pause
                steps += [timedelta(minutes=gap - 3)] * (longest * 60 // (gap - 3) + 2)
            for step in [timedelta(0)] + steps:
                moment += step
                kind = rng.choice(["view", "view", "click", "order"])
                cents = rng.choice([10, 20, 30, 1010, 2999, 123456]) if kind == "order" else 0
                events.append((f"{tag}{rng.getrandbits(36):09x}", user, moment, kind, cents))
                if rich and rng.random() < 0.4:  # a page left open
                    for k in range(1, 4):
                        events.append((f"{tag}{rng.getrandbits(36):09x}", user, moment + timedelta(minutes=k * (gap - 1)), "ping", 0))
        return events

    def line(event, form):
        ident, user, moment, kind, cents = event
        at = iso(moment)
        if rich and form == 1:
            at = int(moment.timestamp()) * 1000
        elif rich and form > 1:
            hours = (-5, 2, 11)[form - 2]
            at = (moment + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S") + f"{'-' if hours < 0 else '+'}{abs(hours):02d}:00"
        body = {"id": ident, "user": user, "at": at, "kind": kind}
        if kind == "order":
            body["amount"] = f"{cents // 100}.{cents % 100:02d}"
        return json.dumps(body)

    def stream(events, repeats, shuffle):
        rows = sorted(events, key=lambda e: (e[2], e[0]))
        rows += rng.sample(rows, int(len(rows) * repeats))
        if shuffle:
            rng.shuffle(rows)
        return "".join(line(e, rng.randrange(5)) + "\n" for e in rows)

    start = datetime(2026, 3, 9, 16, 0, tzinfo=timezone.utc)
    sample = day(start - timedelta(days=7), 6, "s")
    world.write("/workspace/signed-off/events.jsonl", stream(sample, 0.1, True))
    world.write("/workspace/signed-off/sessions.jsonl", "".join(json.dumps(s) + "\n" for s in sessions(sample, rules)))
    world.write("/workspace/sessionise.py", PROTOTYPE, mode=0o755)

    rule_gap = f"- A session ends where a user does nothing for {gap} minutes or more.\n"
    if world.knob("decisions"):
        old = gap - rng.choice([7, 11])
        rule_gap = f"- A session ends where a user does nothing for {old} minutes.\n"
        world.write("/workspace/decisions/0003-session-gap.md", f"# 3. Session gap\n\nStatus: superseded by 6\n\nThe gap is {old + 15} minutes.\n")
        world.write("/workspace/decisions/0006-session-gap.md", f"# 6. Session gap\n\nStatus: accepted, 2026-02-02\n\nThe gap is {gap} minutes from now on. Analytics signed off the second of March, computed with it.\n")
        world.write("/workspace/decisions/0007-pings.md", "# 7. Pings\n\nStatus: accepted, 2026-02-05\n\nPings stay in the feed. Contract unchanged.\n")
        world.write("/workspace/decisions/0009-session-gap.md", f"# 9. Session gap on mobile\n\nStatus: proposed\n\nThe gap would be {gap + 5} minutes for everybody.\n")
    more = ""
    if rich:
        more = (f"- No session runs for {longest} hours: the first event that lies {longest} hours or more after a session's start begins the next one.\n"
                "- `ping` is sent by a page left open. It is nobody's doing: it is not counted and keeps no session alive.\n"
                "- `at` is ISO 8601 with any offset, or an integer: milliseconds since 1970 UTC.\n")
    name = f"UTC{zone:+d}" if zone else "UTC"
    world.write("/workspace/CONTRACT.md", (
        "# Sessions\n\nIn: one event a line, at least once, in any order. `id` (an event delivered twice is one event), `user` (integer, up to 64 bits),\n"
        "`at`, `kind`, and for `order` also `amount` (text, two decimals).\n\n## Rules\n\n"
        f"{rule_gap}{more}\n## Out\n\nOne session a line, in any order: `user` (text, all digits), `start` and `end` (first and last counted event, UTC, like\n"
        "`2026-03-02T09:30:00Z`), `events` (number of counted events), `revenue` (sum of `amount`, text with two decimals, exact) and\n"
        f"`day` (date of the start in {name}).\n"))

    main = day(start, 14, "m")
    shift = timedelta(days=rng.randint(20, 60))
    moved = [(e[0], e[1], e[2] + shift, e[3], e[4]) for e in main]
    world.hide("ordered.jsonl", stream(main, 0, False))
    world.hide("shuffled.jsonl", stream(main, 0, True))
    world.hide("repeated.jsonl", stream(main, 0.6, True))
    world.hide("shifted.jsonl", stream(moved, 0.1, True))
    return {"sessions": sessions(main, rules), "shifted": sessions(moved, rules), "gap_minutes": gap, "inclusive": inclusive,
            "longest_hours": longest, "zone_hours": zone}
