# Slip: datetimes are compared as each server wrote them, not as moments
# Fails at: easy, medium, hard
#> Look first: the layout, what is asked for, the catalogues and how both sides write their values. The session answers show the real clocks.
cd /srv/extracts
cat README.md job.ini inventory.csv prod/session.json staging/session.json
ls -l prod/data staging/data
cat prod/catalog/indexes.csv staging/catalog/indexes.csv prod/catalog/columns.csv
for f in prod/data/*.csv staging/data/*.csv; do echo "== $f"; head -n 4 "$f"; done
#> Settle which tables are meant and what identifies their rows, before any row is compared: the primary key, else an unfiltered unique index without NULLs that both sides have, else nothing.
mkdir -p /tmp/rec
cat > /tmp/rec/meta.py <<'PY'
import configparser, csv, fnmatch
from collections import defaultdict
HOME = "/srv/extracts/"
job = configparser.ConfigParser()
job.read(HOME + "job.ini")
SIDES = [job["reconcile"]["source"], job["reconcile"]["target"]]
def rows(path):
    with open(HOME + path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))
columns = [defaultdict(dict) for _ in SIDES]
indexes = [defaultdict(lambda: defaultdict(list)) for _ in SIDES]
for i, side in enumerate(SIDES):
    for r in rows(side + "/catalog/columns.csv"):
        columns[i][r["table"]][r["column"]] = r
    for r in rows(side + "/catalog/indexes.csv"):
        indexes[i][r["table"]][r["index"]].append(r)
patterns = [p.strip() for p in job["reconcile"]["tables"].split(",")]
tables = sorted(t for t in columns[0] if any(fnmatch.fnmatchcase(t, p) for p in patterns))
def candidates(i, table):
    primary, unique = [], []
    for parts in indexes[i][table].values():
        names = [p["column"] for p in sorted(parts, key=lambda p: int(p["key_ordinal"]))]
        if parts[0]["is_primary_key"] == "1":
            primary.append(names)
        elif parts[0]["is_unique"] == "1" and parts[0]["has_filter"] == "0" and all(columns[i][table][n]["is_nullable"] == "0" for n in names):
            unique.append(names)
    return primary, unique
def key_of(table):
    (p0, u0), (p1, u1) = candidates(0, table), candidates(1, table)
    for names in p0 + u0:
        if names in p1 + u1:
            return names
    return None
def drift_of(table):
    a, b = columns[0][table], columns[1][table]
    found = []
    for c in sorted(set(a) | set(b)):
        if c not in b:
            found.append({"column": c, "kind": "only_source"})
        elif c not in a:
            found.append({"column": c, "kind": "only_target"})
        elif a[c]["type"] != b[c]["type"]:
            found.append({"column": c, "kind": "type"})
    return found
PY
cd /tmp/rec && python3 -c 'from meta import *
for t in tables: print(t, key_of(t), drift_of(t))'
#> Now normalise and compare by key: text without padding, decimals at the smaller declared scale, moments in UTC with the offset that each instance's own clock shows, NULL apart from the empty string.
cat > /tmp/rec/compare.py <<'PY'
import json, re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from meta import HOME, SIDES, columns, drift_of, key_of, rows, tables
def offset(side):
    with open(HOME + side + "/session.json") as f:
        s = json.load(f)
    return datetime.fromisoformat(s["sysdatetime"]) - datetime.fromisoformat(s["sysutcdatetime"])
offsets = [offset(side) for side in SIDES]
def scale(kind):
    return int(re.search(r",(\d+)\)", kind)[1])
def moment(text, i):
    m = re.match(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d+)?(?: ([+-])(\d\d):(\d\d))?$", text)
    shift = timedelta(0)
    if m[3]:
        shift = timedelta(hours=int(m[4]), minutes=int(m[5])) * (-1 if m[3] == "-" else 1)
    return datetime.fromisoformat(m[1]) - shift, (m[2] or "").rstrip("0.")
def normal(text, table, column, i):
    if text == "\\N":
        return None
    kinds = [columns[k][table][column]["type"] for k in (0, 1)]
    if kinds[i].startswith("decimal"):
        places = min(scale(k) for k in kinds if k.startswith("decimal"))
        return Decimal(text).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if kinds[i].startswith("datetime"):
        return moment(text, i)
    if kinds[i] == "int":
        return int(text)
    return text.strip()
report = {}
for table in tables:
    data = [rows(f"{side}/data/{table}.csv") for side in SIDES]
    key, drift = key_of(table), drift_of(table)
    entry = report[table] = {"source_rows": len(data[0]), "target_rows": len(data[1]), "key": key, "missing": None, "extra": None, "mismatches": None, "drift": drift, "result": "SKIPPED"}
    if key is None:
        continue
    both = [c for c in columns[0][table] if c in columns[1][table] and c not in key]
    by_key = [{tuple(r[c].strip() for c in key): r for r in side} for side in data]
    entry["missing"] = [list(k) for k in sorted(by_key[0]) if k not in by_key[1]]
    entry["extra"] = [list(k) for k in sorted(by_key[1]) if k not in by_key[0]]
    entry["mismatches"] = [{"key": list(k), "column": c} for k in sorted(by_key[0]) if k in by_key[1] for c in both
                           if normal(by_key[0][k][c], table, c, 0) != normal(by_key[1][k][c], table, c, 1)]
    entry["result"] = "DIFFERENCES FOUND" if entry["missing"] or entry["extra"] or entry["mismatches"] or drift else "IDENTICAL"
verdicts = [e["result"] for e in report.values()]
summary = {"passed": verdicts.count("IDENTICAL"), "failed": verdicts.count("DIFFERENCES FOUND"), "skipped": verdicts.count("SKIPPED")}
with open("/workspace/reconciliation.json", "w") as f:
    json.dump({"tables": report, "summary": summary}, f, indent=1)
PY
python3 /tmp/rec/compare.py
#> Check the result: the counts must add up for every table, and no column may differ in nearly every row, which would mean a wrong normalisation.
python3 - <<'PY'
import json
from collections import Counter
report = json.load(open("/workspace/reconciliation.json"))
print(report["summary"])
for name, e in report["tables"].items():
    if e["key"]:
        assert e["source_rows"] - len(e["missing"]) == e["target_rows"] - len(e["extra"]), name
        print(name, e["result"], e["key"], len(e["missing"]), len(e["extra"]), Counter(m["column"] for m in e["mismatches"]))
    else:
        print(name, e["result"], "no usable key")
PY
