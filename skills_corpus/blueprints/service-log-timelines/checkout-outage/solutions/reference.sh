#> First see which files there are, rotated ones too if any, how each service writes a line, and by which clock.
ls -laR /var/log/shop
cat /etc/shop/gateway/gateway.toml
grep -H pattern /etc/shop/*/logback.xml
head -n 2 /var/log/shop/gateway/access.log; head -n 12 /var/log/shop/payments/payments.log
#> Put every service's log into one table of records: oldest file first, continuation lines with the record they belong to, and each with its file and line. The logs themselves are only read.
cat > /tmp/load.py <<'PY'
import datetime as d, glob, gzip, json, re
START = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3})Z? (.*)")
def age(path):
    n = re.search(r"\.log\.(\d+)", path)
    return -int(n[1]) if n else 0
def load(service):
    records = []
    for path in sorted(glob.glob(f"/var/log/shop/{service}/*"), key=age):
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8") as lines:
            for n, line in enumerate(lines, 1):
                line = line.rstrip("\n")
                if service == "gateway":
                    r = json.loads(line)
                    records.append({**r, "t": d.datetime.fromisoformat(r["ts"][:-1]), "file": path, "line": n})
                elif (m := START.match(line)):
                    rid = re.search(r"\[([0-9a-f]{12})\]", m[2])
                    records.append({"t": d.datetime.fromisoformat(m[1]), "rid": rid and rid[1], "text": [m[2]], "file": path, "line": n})
                else:
                    records[-1]["text"].append(line)
    return records
PY
cd /tmp && python3 -c "
from load import load
for s in ('gateway', 'orders', 'payments', 'stock'): r = load(s); print(s, len(r), r[0]['t'], r[-1]['t'])"
#> Only the gateway's clock is vouched for, so measure the others instead of trusting zones and clocks: for each request, a service's first word against the moment the request reached the gateway (its answer less its duration). The median is the service's offset, zone and skew in one.
cat > /tmp/clocks.py <<'PY'
import datetime as d, statistics
from load import load
gateway = load("gateway")
begun = {}
for r in gateway:
    begun.setdefault(r["rid"], r["t"] - d.timedelta(milliseconds=r["ms"]))
def offset(records):
    first = {}
    for r in records:
        if r["rid"]:
            first.setdefault(r["rid"], r["t"])
    gaps = [(t - begun[rid]).total_seconds() for rid, t in first.items() if rid in begun]
    return d.timedelta(seconds=round(statistics.median(gaps)))
OFFSET = {s: offset(load(s)) for s in ("orders", "payments", "stock")}
if __name__ == "__main__":
    print({s: str(o) for s, o in OFFSET.items()})
PY
python3 /tmp/clocks.py
#> The outage: checkouts by request id in order of arrival, failed if the last answer was 5xx, and the longest unbroken row of them. Then what the services say about exactly these requests, and which changes there were around the first.
cat > /tmp/outage.py <<'PY'
from collections import Counter
from itertools import groupby
from clocks import OFFSET, gateway
from load import load
tries = {}
for r in gateway:
    if r["method"] == "POST" and r["path"] == "/checkout":
        tries.setdefault(r["rid"], []).append(r)
rows = [list(g) for bad, g in groupby(tries.values(), key=lambda a: a[-1]["status"] >= 500) if bad]
row = max(rows, key=len)
ids = {a[0]["rid"] for a in row}
answers = sorted((r for a in row for r in a if r["status"] >= 500), key=lambda r: r["t"])
changes, traces = [], []
for service in OFFSET:
    for r in load(service):
        r["true"], r["service"] = r["t"] - OFFSET[service], service
        if " applied: " in r["text"][0]:
            changes.append(r)
        causes = [(n, line[11:].split(":")[0]) for n, line in enumerate(r["text"]) if line.startswith("Caused by: ")]
        if causes and r["rid"] in ids:
            traces.append((service, causes[-1][1], r, causes[-1][0]))
if __name__ == "__main__":
    print("rows of failures:", [len(x) for x in rows], answers[0]["ts"], answers[-1]["ts"])
    print(Counter((s, c) for s, c, _, _ in traces))
    for c in sorted(changes, key=lambda r: r["true"]):
        print(c["true"], c["service"], c["text"][0])
    print(traces[0][2]["text"])
    print("last good checkout before:", [a[-1]["ts"] for a in tries.values() if a[-1]["status"] < 500 and a[0]["t"] < answers[0]["t"]][-1])
PY
python3 /tmp/outage.py
#> orders only repeats what the service below it answered; there all traces of these requests end in the same exception, and that service's last change before the first failure came seconds earlier. After the changes before that one, checkouts still went well. Write it up with file and line.
cat > /tmp/report.py <<'PY'
import json
from outage import answers, changes, ids, row, traces
service, exception, trace, depth = next(t for t in traces if t[0] != "orders")
trigger = max((c for c in changes if c["service"] == service and c["true"] < answers[0]["t"]), key=lambda c: c["true"])
cite = lambda r, n=0: {"file": r["file"], "line": r["line"] + n}
stamp = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
json.dump({"started_at": stamp(answers[0]["t"]), "ended_at": stamp(answers[-1]["t"]), "failed_checkouts": len(ids), "first_request": row[0][0]["rid"],
           "root_service": service, "root_exception": exception,
           "trigger": {"service": service, "change": trigger["text"][0].split(" applied")[0].split()[-1], "at": stamp(trigger["true"])},
           "evidence": {"first_failure": cite(answers[0]), "last_failure": cite(answers[-1]), "root_exception": cite(trace, depth), "trigger": cite(trigger)}},
          open("/workspace/incident.json", "w"), indent=1)
PY
python3 /tmp/report.py
cat /workspace/incident.json
#> Open every citation as a reader would, and see whether the exception speaks of what the change had set.
jq -r '.evidence[] | "\(.file) \(.line)"' /workspace/incident.json | while read -r file line; do
  case $file in *.gz) zcat "$file";; *) cat "$file";; esac | sed -n "${line}p"
done
