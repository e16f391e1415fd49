#> Read the program that is to be repaired, the contract and, if there are any, the decisions since, each with its name and status.
cat sessionise.py CONTRACT.md
for f in decisions/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> Then the accepted day: how events and sessions look, how often each kind comes, which fields there are, in which forms the times are written, how many lines are repeats, and how long the ids of users are.
head -n 3 signed-off/events.jsonl signed-off/sessions.jsonl
wc -l signed-off/*.jsonl
python3 - <<'PY'
import collections, json, re
events = [json.loads(line) for line in open("signed-off/events.jsonl")]
count = lambda values: dict(collections.Counter(values))
print("kinds and fields", count((e["kind"], *sorted(set(e) - {"id", "user", "at", "kind"})) for e in events))
print("times", count(re.sub(r"\d", "9", json.dumps(e["at"])) for e in events))
print("distinct ids", len({e["id"] for e in events}), "users", sorted({e["user"] for e in events})[:2], "2^53 is", 2 ** 53)
print("amounts", count(re.sub(r"\d", "9", e["amount"]) for e in events if "amount" in e))
PY
#> The gap comes from the contract, unless an accepted decision gives another.
awk '/^Status: accepted/ {ok = 1} /^The gap is/ && ok {print $4} FNR == 1 {ok = 0}' CONTRACT.md decisions/*.md 2>/dev/null | tail -n 1 > /tmp/gap
[ -s /tmp/gap ] || sed -n 's/.*does nothing for \(more than \)\{0,1\}\([0-9]*\) min.*/\2/p' CONTRACT.md > /tmp/gap
echo "gap: $(cat /tmp/gap) minutes"
#> The program loads events into SQLite and cuts runs with window functions; a limit to a session's length, if set, needs a walk. Does a pause of exactly the gap split? Take the reading that gives the accepted day's number of sessions, then compare line by line.
cat > /tmp/body.py <<'PY'
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("create table e(id text primary key, u integer, t integer, c integer)")

def seconds(at):
    if isinstance(at, int):
        return at // 1000
    (base,) = db.execute("select cast(strftime('%s', ?) as integer)", (at,)).fetchone()
    return base

for raw in sys.stdin:
    if raw.strip():
        r = json.loads(raw)
        if r["kind"] != "ping":
            db.execute("insert or ignore into e values (?,?,?,?)", (r["id"], r["user"], seconds(r["at"]), int(r.get("amount", "0.00").replace(".", ""))))
runs = db.execute("""with g as (select u, t, c, t - lag(t) over (partition by u order by t, id) d, id from e)
  select u, t, c, sum(case when d is null or d >= ? then 1 else 0 end) over (partition by u order by t, id) run from g order by u, t, id""", (LIMIT,))
out, key = [], None
for u, t, c, run in runs:
    if key != (u, run) or (LONGEST and t - out[-1][1] >= LONGEST):
        out.append([u, t, t, 0, 0])
        key = (u, run)
    out[-1][2] = t
    out[-1][3] += 1
    out[-1][4] += c
for u, a, b, n, c in out:
    z, y, d = db.execute("select strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch'), date(?, 'unixepoch')", (a, b, a + ZONE)).fetchone()
    print(json.dumps({"user": str(u), "start": z, "end": y, "events": n, "revenue": "%d.%02d" % divmod(c, 100), "day": d}))
PY
gap=$(cat /tmp/gap)
hours=$(sed -n 's/.*No session runs for \([0-9]*\) hours.*/\1/p' CONTRACT.md)
zone=$(sed -n 's/.*date of the start in UTC\([-+][0-9]*\).*/\1/p' CONTRACT.md)
want=$(wc -l < signed-off/sessions.jsonl)
for extra in 0 1; do
  { echo "LIMIT, LONGEST, ZONE = $((gap * 60 + extra)), $((${hours:-0} * 3600)), $((${zone:-0} * 3600))"; cat /tmp/body.py; } > sessionise.py
  [ "$(python3 sessionise.py < signed-off/events.jsonl | wc -l)" = "$want" ] && break
done
head -n 1 sessionise.py
python3 sessionise.py < signed-off/events.jsonl | sort | diff - <(sort signed-off/sessions.jsonl) && echo same
#> Now the feeds that made trouble: the day shuffled and delivered twice must give the sessions of the day again, an empty feed nothing at all and exit code 0, and tails of money or melted ids would show in the users and sums.
for n in 1 2 3; do cat signed-off/events.jsonl signed-off/events.jsonl | shuf | python3 sessionise.py | sort | cmp - <(sort signed-off/sessions.jsonl) && echo "shuffled and doubled: same"; done
python3 sessionise.py < /dev/null | wc -c; python3 sessionise.py < /dev/null; echo "exit $?"
python3 sessionise.py < signed-off/events.jsonl | head -n 3
cd / && python3 -I /workspace/sessionise.py < /workspace/signed-off/events.jsonl | wc -l; cd /workspace; ls
