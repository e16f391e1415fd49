#> The policy comes before the logs: which requests count, what is bad, and which later decisions, if any, are in force.
ls -laR /etc/slo /var/log/api
cat /etc/slo/policy.md /etc/slo/slo.yaml
if [ -d /etc/slo/records ]; then cat /etc/slo/records/*; fi
#> Now the lines: their format, and one from each end of each file. Rotated files may be compressed, cut off, and overlap.
cat /etc/nginx/nginx.conf
for f in /var/log/api/*; do echo "== $f"; case $f in *.gz) zcat "$f";; *) cat "$f";; esac | sed -n '1p;$p'; done
#> Write the program: each request once by its id, times as instants, paths matched at a slash, the allowance in exact decimals. A 499 is treated apart only if an accepted decision record says so; look whether one does, and from how many ms on.
patience=0
for record in $(find /etc/slo -name 'DR-*' -exec grep -l '^Status: accepted' {} +); do
  if grep -q 'A 499 after' "$record"; then patience=$(sed -n 's/.*A 499 after \([0-9]*\) ms.*/\1/p' "$record"); fi
done
echo "a 499 counts from $patience ms on"
cat > /workspace/error-budget <<'PY'
#!/usr/bin/env python3
"""Prints the error budget of every objective: error-budget SLO_FILE LOG..."""
import gzip, json, re, sys
from collections import Counter
from datetime import datetime, timezone
from decimal import Decimal
import yaml

PATIENCE_MS = @PATIENCE@  # a 499 before that is no valid request
PLAIN = re.compile(r'\S+ - - \[([^\]]+)\] "\S+ (\S+) [^"]*" (\d{3}) \d+ (\d+\.\d{3}) "([^"]*)" ([0-9a-f]+)$')


def instant(text):
    moment = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("{"):
                try:
                    r = json.loads(line)
                except ValueError:
                    continue
                yield r["request_id"], instant(r["time"]), r["path"], r["status"], r["duration_ms"], r["user_agent"]
            elif m := PLAIN.match(line.rstrip("\n")):
                when, route, status, seconds, agent, rid = m.groups()
                yield rid, datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z"), route, int(status), Decimal(seconds) * 1000, agent


slo = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
start, end = instant(slo["window"]["start"]), instant(slo["window"]["end"])
quiet = [(instant(m["from"]), instant(m["to"])) for m in slo.get("maintenance") or []]
probes = tuple(slo.get("probes") or [])
requests = {rid: rest for path in sys.argv[2:] for rid, *rest in read(path)}
figures = {}
for goal in slo["objectives"]:
    valid, hours = 0, Counter()
    for when, path, status, ms, agent in requests.values():
        path = path.split("?")[0]
        if not any(path == route or path.startswith(route + "/") for route in goal["routes"]):
            continue
        if not start <= when < end or any(a <= when < b for a, b in quiet) or (probes and agent.startswith(probes)):
            continue
        if status == 499 and ms < PATIENCE_MS:
            continue
        valid += 1
        if status >= 500 or status == 499 or ("slower_than_ms" in goal and ms > goal["slower_than_ms"]):
            hours[when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:00Z")] += 1
    bad = sum(hours.values())
    allowed = int(valid * (100 - Decimal(str(goal["availability"]))) / 100)
    worst = min(hours, key=lambda h: (-hours[h], h)) if hours else None
    figures[goal["name"]] = {"valid": valid, "bad": bad, "allowed": allowed, "left": allowed - bad, "worst_hour": worst}
print(json.dumps(figures, indent=1))
PY
sed -i "s/@PATIENCE@/$patience/" /workspace/error-budget
chmod +x /workspace/error-budget
#> Try it on a small made-up log with a result known by hand: 500 requests, of which 98.4 per cent must be good, so 8 may be bad; one failed; one more, at the very end of the window and in another offset, must not count; and the file is given twice.
mkdir -p /tmp/small && cd /tmp/small
printf 'window: {start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z"}\nobjectives:\n  - name: a\n    routes: [/x]\n    availability: 98.4\n' > slo.yaml
{ for i in $(seq 1 500); do printf '203.0.113.9 - - [01/Mar/2026:12:00:00 +0000] "GET /x/%s HTTP/1.1" %s 10 0.100 "curl" %016x\n' "$i" $((i == 7 ? 503 : 200)) "$i"; done
  printf '203.0.113.9 - - [02/Mar/2026:05:30:00 +0530] "GET /x HTTP/1.1" 503 10 0.100 "curl" ffff\n'; } > a.log
/workspace/error-budget slo.yaml a.log a.log
#> As expected: 500 valid, 1 bad, 8 allowed. Make the report, and see that neither order nor repetition of the files changes it.
cd /workspace
./error-budget /etc/slo/slo.yaml /var/log/api/* > budget.json
cat budget.json
./error-budget /etc/slo/slo.yaml $(ls -r /var/log/api/*) /var/log/api/access.log | cmp - budget.json && echo "same in any order"
