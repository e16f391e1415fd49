#> Read the program, the contract and whatever was decided since, and look at the accepted day, before changing a line.
cat sessionise.py CONTRACT.md
for f in decisions/*; do [ -f "$f" ] && { echo "== $f"; cat "$f"; }; done
head -n 5 signed-off/events.jsonl signed-off/sessions.jsonl
grep -o '"kind": "[a-z]*"' signed-off/events.jsonl | sort | uniq -c
#> Take the rules from the papers. If there are decisions, an accepted one replaces the contract's gap, a proposed or superseded one does not. In case the wording leaves the limit itself open, both readings will be tried against the accepted day.
gap=$(grep -oP 'does nothing for (more than )?\K\d+' CONTRACT.md)
for f in decisions/*; do
  [ -f "$f" ] && grep -q '^Status: accepted' "$f" && g=$(grep -oP '^The gap is \K\d+' "$f") && gap=$g
done
longest=$(grep -oP 'No session runs for \K\d+' CONTRACT.md || echo 0)
zone=$(grep -oP 'date of the start in UTC\K[+-]\d+' CONTRACT.md || echo 0)
echo "gap $gap, longest $longest, zone $zone"
#> Rewrite the core: exact ids, instants instead of text, each event id once, only the events that count, sorted by instant, money as Decimal. Then see which reading of the limit gives the accepted day.
make_program() {
cat > sessionise.py <<PY
#!/usr/bin/env python3
"""Sessions by the contract, from a feed in any order and with repeats."""
import json
import sys
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from decimal import Decimal

GAP = timedelta(minutes=$gap)
SPLIT_AT_LIMIT = $1
LONGEST = timedelta(hours=$longest)
ZONE = timezone(timedelta(hours=$zone))
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(value):
    if isinstance(value, int):
        return EPOCH + timedelta(milliseconds=value)
    return datetime.fromisoformat(value.replace("Z", "+00:00")).astimezone(timezone.utc)


def splits(start, last, now):
    gap = now - last
    return gap > GAP or (SPLIT_AT_LIMIT and gap == GAP) or bool(LONGEST and now - start >= LONGEST)


def main():
    users, seen = defaultdict(list), set()
    for line in sys.stdin:
        if not line.strip():
            continue
        event = json.loads(line)
        if event["id"] in seen or event["kind"] == "ping":
            continue
        seen.add(event["id"])
        users[event["user"]].append((instant(event["at"]), event["id"], Decimal(event.get("amount", "0"))))
    for user, events in sorted(users.items()):
        session = []
        for event in sorted(events):
            if session and splits(session[0][0], session[-1][0], event[0]):
                write(user, session)
                session = []
            session.append(event)
        write(user, session)


def write(user, session):
    form = "%Y-%m-%dT%H:%M:%SZ"
    print(json.dumps({
        "user": str(user),
        "start": session[0][0].strftime(form),
        "end": session[-1][0].strftime(form),
        "events": len(session),
        "revenue": f"{sum(amount for _, _, amount in session):.2f}",
        "day": session[0][0].astimezone(ZONE).strftime("%Y-%m-%d"),
    }))


if __name__ == "__main__":
    main()
PY
}
sort signed-off/sessions.jsonl > /tmp/accepted
for reading in True False; do
  make_program $reading
  python3 sessionise.py < signed-off/events.jsonl | sort > /tmp/ours
  if cmp -s /tmp/accepted /tmp/ours; then echo "the accepted day says: split exactly at the limit = $reading"; break; fi
done
#> Check: the accepted day comes out line for line, also replayed in another order and doubled, and an empty feed is quiet.
diff /tmp/accepted /tmp/ours && echo same
cat signed-off/events.jsonl signed-off/events.jsonl | sort -R | python3 sessionise.py | sort | cmp - /tmp/accepted && echo invariant
python3 sessionise.py < /dev/null; echo "exit $?"
