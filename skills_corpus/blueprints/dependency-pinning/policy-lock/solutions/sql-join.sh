#> See what is imported and what the rules are. For the program: the packaging library judges versions and markers, the releases that are allowed and the pairs that exclude each other go into tables, and SQLite joins them, newest first.
cat requirements.in POLICY.md tickets/* deploy/* Containerfile 2>/dev/null | head -n 80
cat > /tmp/join.py <<'PY'
import datetime, glob, json, os, re, sqlite3
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name as canon
from packaging.version import Version
text = open("POLICY.md").read()
slurp = lambda pattern: "\n".join(open(p).read() for p in sorted(glob.glob(pattern)))
py = (re.findall(r'PYTHON: "(.*?)"', slurp("deploy/compose.yaml")) or re.findall(r"FROM python:([\d.]+)", slurp("Containerfile")) or re.findall(r"is Python (\d+\.\d+)", text))[0]
day = (re.findall(r"release is on ([\d-]+)", slurp("tickets/*")) or [None])[0]
hold = {}
for p in glob.glob("tickets/*"):
    t = open(p).read()
    if "State: open" in t:
        hold.update(re.findall(r"Freeze (\S+) at (\S+)", t))
fine = re.findall(r"(MIT|BSD-3-Clause|Apache-2\.0|MPL-2\.0)", "".join(l for l in text.splitlines() if "Licences" in l))
waived = {(e["package"], e["licence"]) for e in json.load(open("exceptions.json")) if e["last_day"] >= day} if os.path.exists("exceptions.json") else set()
env = {"python_version": py, "sys_platform": "linux", "extra": ""}
live = lambda reqs: [r for r in map(Requirement, reqs) if r.marker is None or r.marker.evaluate(env)]
direct = live(l for l in open("requirements.in").read().splitlines() if l and not l.startswith("#"))
asked = {canon(r.name): r.extras for r in direct}
cand = {}
for p in glob.glob("/srv/index/*.json"):
    d = json.load(open(p)); n = canon(d["name"])
    cand[n] = sorted((r for r in d["releases"] if not r.get("yanked") and not Version(r["version"]).is_prerelease and SpecifierSet(r["requires_python"]).contains(py)
        and (not fine or r["licence"] in fine or (n, r["licence"]) in waived) and hold.get(n, r["version"]) == r["version"]
        and (not day or datetime.date.fromisoformat(r["released"]) + datetime.timedelta(14) <= datetime.date.fromisoformat(day))), key=lambda r: Version(r["version"]), reverse=True)
for r in direct:
    cand[canon(r.name)] = [c for c in cand[canon(r.name)] if Version(c["version"]) in r.specifier]
order = sorted(cand, key=lambda n: (n not in asked, n != "http-base", n))
db = sqlite3.connect(":memory:")
db.execute("create table bad(a text, v text, b text, w text, primary key(a, v, b, w))")
for n in order:
    db.execute(f'create table "{n}"(v text, rank integer)')
    if n not in asked:
        db.execute(f'insert into "{n}" values ("-", 0)')
    for rank, c in enumerate(cand[n], 1):
        db.execute(f'insert into "{n}" values (?, ?)', (c["version"], rank))
        wants = c["requires"] + [x for e in asked.get(n, ()) for x in c.get("extras", {}).get(e, [])]
        for r in live(wants):
            m = canon(r.name)
            for w in ["-"] + [o["version"] for o in cand[m]]:
                if w == "-" or Version(w) not in r.specifier:
                    db.execute("insert or ignore into bad values (?,?,?,?)", (n, c["version"], m, w))
terms = [f'not exists (select 1 from bad where a="{a}" and v="{a}".v and b="{b}" and w="{b}".v)'.replace(f'a="{a}"', f"a='{a}'").replace(f'b="{b}"', f"b='{b}'")
         for a, b in db.execute("select distinct a, b from bad")]
rows = db.execute("select " + ", ".join(f'"{n}".v' for n in order) + " from " + " cross join ".join(f'"{n}"' for n in order)
                  + " where " + " and ".join(terms) + " order by " + ", ".join(f'"{n}".rank' for n in order) + " limit 1").fetchone()
open("requirements.lock", "w").write("".join(f"{n}=={v}\n" for n, v in zip(order, rows) if v != "-"))
PY
#> Solve, and see the lock as written.
python3 /tmp/join.py
cat requirements.lock
