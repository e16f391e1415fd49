#> Policy first, then its numbers with any exceptions per host, and what the data look like.
cat /workspace/POLICY.md
head -n 50 /etc/backup/retention.toml /etc/backup/retention.d/* 2>/dev/null
cat /srv/backup/holds.tsv
head -n 3 /srv/backup/catalog.jsonl
ls -l /srv/backup; head -n 4 /srv/backup/verify.log 2>/dev/null
jq -r '[.host, .kind, .verified] | @tsv' /srv/backup/catalog.jsonl | sort | uniq -c
#> Now the decision, rule by rule as the policy states them: latest verification, usable sets with their whole lineage, periods in the policy's zone with ISO weeks, holds, unverified sets, chains. Deletion goes from the newest to the oldest, so children leave before their parents.
cat > /tmp/plan.py <<'PY'
import json, os, re, tomllib
from datetime import datetime, timedelta, timezone
sets = {s["id"]: s for s in map(json.loads, open("/srv/backup/catalog.jsonl"))}
zone = re.search(r"in UTC([+-]\d\d)?", open("/workspace/POLICY.md").read())
tz = timezone(timedelta(hours=int(zone.group(1) or 0)))
latest = {key: s["verified"] for key, s in sets.items()}
if os.path.exists("/srv/backup/verify.log"):
    for line in sorted(open("/srv/backup/verify.log")):
        key, result = re.search(r"set=(\w+) result=(\w+)", line).groups()
        latest[key] = result
def lineage(key):
    while sets[key]["parent"]:
        key = sets[key]["parent"]
        yield key
def is_usable(key):
    return latest[key] == "ok" and all(latest[a] == "ok" for a in lineage(key))
def period(reason, moment):
    if reason == "weekly":
        return moment.isocalendar()[:2]
    return moment.strftime("%Y-%m-%d" if reason == "daily" else "%Y-%m")
finished = {key: datetime.fromisoformat(s["finished"]).astimezone(tz) for key, s in sets.items()}
keep = {}
for host in sorted({s["host"] for s in sets.values()}):
    numbers = tomllib.load(open("/etc/backup/retention.toml", "rb"))
    special = f"/etc/backup/retention.d/{host}.toml"
    if os.path.exists(special):
        numbers.update(tomllib.load(open(special, "rb")))
    usable = sorted((k for k, s in sets.items() if s["host"] == host and is_usable(k)), key=finished.get, reverse=True)
    for reason in ("daily", "weekly", "monthly"):
        newest = {}
        for key in usable:
            newest.setdefault(period(reason, finished[key]), key)
        for key in list(newest.values())[: numbers[reason]]:
            keep.setdefault(key, []).append(reason)
last = {}
for line in open("/srv/backup/holds.tsv").read().splitlines()[1:]:
    _, key, action, _ = line.split("\t")
    last[key] = action
for key, action in last.items():
    if action == "hold":
        keep.setdefault(key, []).append("hold")
for key, result in latest.items():
    if result == "never":
        keep.setdefault(key, []).append("unverified")
for key in {a for key in list(keep) for a in lineage(key)}:
    keep.setdefault(key, []).append("chain")
delete = sorted(set(sets) - set(keep), key=finished.get, reverse=True)
json.dump({"keep": dict(sorted(keep.items())), "delete": delete, "freed_bytes": sum(sets[k]["bytes"] for k in delete)}, open("/workspace/plan.json", "w"), indent=1)
PY
python3 /tmp/plan.py
#> Check the plan against the catalogue: nothing that stays may build on something that goes (a count of 0), no set in `delete` may stand after its parent (again 0), and the two lists together have to be as long as the catalogue.
jq -s '.[0] as $p | .[1:] | map(select((.id | in($p.keep)) and .parent != null and (.parent | in($p.keep) | not))) | length' /workspace/plan.json /srv/backup/catalog.jsonl
jq -s '(.[0].delete | to_entries | map({key: .value, value: .key}) | from_entries) as $at | .[1:] | map(select(.parent != null and $at[.id] != null and $at[.parent] != null and $at[.id] > $at[.parent])) | length' /workspace/plan.json /srv/backup/catalog.jsonl
jq '{keep: (.keep | length), delete: (.delete | length), freed_bytes}' /workspace/plan.json
wc -l < /srv/backup/catalog.jsonl
