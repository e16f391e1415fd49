#> Read the contract and, if there are any, the decisions since. The gap comes from the contract, unless an accepted decision gives another.
cat CONTRACT.md decisions/* 2>/dev/null
awk '/^Status: accepted/ {ok = 1} /^The gap is/ && ok {print $4} FNR == 1 {ok = 0}' CONTRACT.md decisions/*.md 2>/dev/null | tail -n 1 > /tmp/gap
[ -s /tmp/gap ] || sed -n 's/.*does nothing for \(more than \)\{0,1\}\([0-9]*\) min.*/\2/p' CONTRACT.md > /tmp/gap
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
python3 sessionise.py < signed-off/events.jsonl | sort | diff - <(sort signed-off/sessions.jsonl) && echo same
