"""A catalogue of backup sets over the turn of a year, with failures, chains, holds and days that depend on the offset."""

import json
from datetime import datetime, timedelta, timezone

HOSTS = ["fox", "heron", "otter", "badger", "marten"]
STORE = "/srv/backup"
CHAIN_TEXT = """\
- A set is *usable* if its last verification was ok and the same holds for all sets that it builds on, directly or indirectly.
"""


def policy(offset, log):
    zone = f"UTC{'+' if offset >= 0 else '-'}{abs(offset):02d}:00" if offset else "UTC"
    verified = ("The last verification of a set is its latest entry in `/srv/backup/verify.log`, by time of verification: two machines write there, so the lines are "
                "not in order. The field `verified` of the catalogue was filled in when the set was registered; it counts only where the log has no entry."
                if log else "The last verification of a set is the field `verified` of the catalogue (`ok`, `failed` or `never`).")
    return f"""\
# Retention of backup sets

Numbers are in `/etc/backup/retention.toml`. A file `/etc/backup/retention.d/HOST.toml` replaces single numbers for one host.
All rules are applied to each host by itself.

## Which sets count

- {verified}
{CHAIN_TEXT}- Only usable sets fill the schedule. A set belongs to the day, the ISO week (Monday to Sunday) and the month in which it *finished*, in {zone}.

## What stays

- `daily` = N: of each of the N most recent days that have a usable set, the newest usable set.
- `weekly`, `monthly`: the same for ISO weeks and for months.
- `hold`: sets on hold by `/srv/backup/holds.tsv`. The register is kept in the order of time; a set is on hold if its last entry is `hold`.
- `unverified`: sets that were never verified, until they are.
- `chain`: every set on which a set that stays builds, directly or indirectly, for whatever reason that one stays, be it usable or not.

All else is deleted.
"""


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def host_sets(world, host, ids):
    """Sets of one host, oldest first, over seventy days that end in mid-January."""
    rng, chains = world.rng, world.knob("chains")
    days = 70
    last = datetime(2026, 1, 13 + rng.randint(0, 2), tzinfo=timezone.utc)
    turn = [k for k in range(days) if "2025-12-21" <= stamp(last - timedelta(days=days - 1 - k))[:10] <= "2026-01-04"]  # no gaps here
    gaps = set(rng.sample(sorted(set(range(8, days - 9)) - set(turn)), 6)) | {days - 3 - rng.randint(1, 2)}
    sets = []
    for k in range(days):
        if k in gaps:
            continue
        day = last - timedelta(days=days - 1 - k)
        hour, minute = rng.choice([(21, 40), (22, 25)])
        if k == days - 7 or (k == days - 6 and days - 6 in gaps):
            hour, minute = 22, 25  # after midnight where days begin two hours earlier
        if k == days - 6:
            hour, minute = 21, 40
        if stamp(day)[:10] in ("2025-12-21", "2025-12-28"):  # Sundays, in the policy's zone Mondays: what fails on the 27th is the last of its week
            hour, minute = 22, 25
        full = not chains or day.weekday() == 6 or not sets
        sets.append({"id": ids.pop(), "host": host, "kind": "full" if full else "incremental", "parent": None if full else sets[-1]["id"],
                     "finished": stamp(day + timedelta(hours=hour, minutes=minute + rng.randint(0, 9), seconds=rng.randint(0, 59))),
                     "bytes": rng.randint(40_000_000_000, 90_000_000_000) if full else rng.randint(200_000_000, 6_000_000_000), "verified": "ok"})
    sets[-2]["verified"] = "failed"
    next(s for s in sets if s["finished"].startswith("2025-12-27"))["verified"] = "failed"  # the last of its ISO week
    if world.knob("pending"):
        sets[rng.randint(18, 24)]["verified"] = "never"
    return sets


def decide(sets, latest, numbers, on_hold, offset):
    """Reasons of each set that stays, by the policy."""
    by_id = {s["id"]: s for s in sets}
    keep = {}

    def lineage(s):
        while s["parent"]:
            s = by_id[s["parent"]]
            yield s

    usable = [s for s in sets if latest[s["id"]] == "ok" and all(latest[a["id"]] == "ok" for a in lineage(s))]
    usable.sort(key=lambda s: s["finished"], reverse=True)
    local = {s["id"]: datetime.strptime(s["finished"], "%Y-%m-%dT%H:%M:%SZ") + timedelta(hours=offset) for s in sets}
    periods = {"daily": lambda d: (d.year, d.month, d.day), "weekly": lambda d: tuple(d.isocalendar())[:2], "monthly": lambda d: (d.year, d.month)}
    for reason, period in periods.items():
        seen = set()
        for s in usable:
            if period(local[s["id"]]) not in seen and len(seen) < numbers[reason]:
                seen.add(period(local[s["id"]]))
                keep.setdefault(s["id"], set()).add(reason)
    for s in sets:
        if s["id"] in on_hold:
            keep.setdefault(s["id"], set()).add("hold")
        if latest[s["id"]] == "never":
            keep.setdefault(s["id"], set()).add("unverified")
    for s in [by_id[i] for i in list(keep)]:
        for ancestor in lineage(s):
            keep.setdefault(ancestor["id"], set()).add("chain")
    return keep


def build(world):
    rng = world.rng
    ids = [f"{n:06x}" for n in rng.sample(range(1 << 20, 1 << 24), 400)]
    offset = world.knob("offset")
    hosts = rng.sample(HOSTS, world.knob("hosts"))
    general = {"daily": rng.randint(6, 9), "weekly": rng.randint(4, 6), "monthly": 3}
    numbers = {host: dict(general) for host in hosts}
    world.write("/etc/backup/retention.toml", "".join(f"{key} = {value}\n" for key, value in general.items()))
    if world.knob("overrides"):
        special = {"daily": general["daily"] + rng.randint(3, 5), "weekly": 2}
        numbers[hosts[1]].update(special)
        world.write(f"/etc/backup/retention.d/{hosts[1]}.toml", f"# agreed with the owners of {hosts[1]}\n" + "".join(f"{k} = {v}\n" for k, v in special.items()))
    sets = {host: host_sets(world, host, ids) for host in hosts}

    latest = {s["id"]: s["verified"] for host in hosts for s in sets[host]}
    log = []
    if world.knob("verify_log"):
        for host in hosts:
            log.append((f"2026-01-17T0{rng.randint(1, 4)}:12:44Z", sets[host][-2]["id"], "ok"))  # transferred again, and sound now
            day = rng.choice(["2025-12-23", "2025-12-24"])
            first = next(s for s in sets[host] if s["finished"].startswith(day))
            log.append((f"2026-01-16T0{rng.randint(1, 4)}:31:02Z", first["id"], "ok"))
            log.append((f"2026-01-18T0{rng.randint(1, 4)}:09:57Z", first["id"], "failed"))
            log.append((f"2026-01-12T0{rng.randint(1, 4)}:44:13Z", sets[host][30]["id"], "failed"))
            log.append((f"2026-01-15T0{rng.randint(1, 4)}:51:20Z", sets[host][30]["id"], "ok"))
        for _, key, result in sorted(log):
            latest[key] = result
        rng.shuffle(log)
        twice = sorted({entry[1] for entry in log if sum(other[1] == entry[1] for other in log) == 2})
        for key in twice:  # of two entries the newer stands first
            older, newer = (log.index(entry) for entry in sorted(entry for entry in log if entry[1] == key))
            if older < newer:
                log[older], log[newer] = log[newer], log[older]
        world.write(f"{STORE}/verify.log", "".join(f"{when} verify set={key} result={result}\n" for when, key, result in log))

    register = []
    for host in hosts:
        held, freed = (sets[host][i]["id"] for i in rng.sample(range(3, 17), 2))
        register.append((f"2025-12-0{rng.randint(1, 9)}", held, "hold", "legal"))
        if world.knob("releases"):
            register.append((f"2025-12-1{rng.randint(0, 4)}", freed, "hold", "audit"))
            register.append((f"2025-12-2{rng.randint(0, 4)}", freed, "release", "audit"))
    if world.knob("releases"):  # one was released and is held again
        register.append((f"2025-12-2{rng.randint(5, 9)}", register[0][1], "release", "legal"))
        register.append((f"2026-01-0{rng.randint(1, 9)}", register[0][1], "hold", "legal, appeal"))
    register.sort(key=lambda entry: entry[0])
    world.write(f"{STORE}/holds.tsv", "date\tset\taction\treason\n" + "".join("\t".join(entry) + "\n" for entry in register))
    on_hold = {key for key, action in {entry[1]: entry[2] for entry in register}.items() if action == "hold"}

    rows = sorted((s for host in hosts for s in sets[host]), key=lambda s: s["id"])
    world.write(f"{STORE}/catalog.jsonl", "".join(json.dumps(s) + "\n" for s in rows))
    world.write("/workspace/POLICY.md", policy(offset, bool(log)))
    keep = {}
    for host in hosts:
        keep.update(decide(sets[host], latest, numbers[host], on_hold, offset))
    inputs = [f"{STORE}/catalog.jsonl", f"{STORE}/holds.tsv", "/etc/backup/retention.toml"]
    inputs += [f"{STORE}/verify.log"] if log else []
    inputs += [f"/etc/backup/retention.d/{hosts[1]}.toml"] if world.knob("overrides") else []
    return {"keep": {key: sorted(reasons) for key, reasons in keep.items()}, "delete": sorted(s["id"] for s in rows if s["id"] not in keep),
            "parents": {s["id"]: s["parent"] for s in rows}, "freed_bytes": sum(s["bytes"] for s in rows if s["id"] not in keep),
            "inputs": {path: world.digest(path) for path in inputs}}
