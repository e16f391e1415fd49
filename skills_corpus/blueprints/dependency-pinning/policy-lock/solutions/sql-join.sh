#> See what is imported, what the rules are and all the papers that may lie beside them: how the service is deployed, tickets, exceptions. Each with its name, since one may outrank another.
head -n 20 requirements.in POLICY.md
for f in exceptions.json Containerfile deploy/* tickets/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> Now the index: its packages, how a release is described, and what the fields hold in all of them, for names and specifiers may be spelled in several ways.
cd /srv/index; ls; python3 -c 'import packaging; print("packaging", packaging.__version__)'
head -n 14 webcore.json; grep -n -A 4 '"extras"' *.json | head -n 8
grep -ohE '"(licence|requires_python|yanked)": .*' *.json | sort | uniq -c
grep -ohE '"[A-Za-z][A-Za-z0-9_.-]*(\[[a-z]+\])?[ ;<>=!~]+[^"]*.*"' *.json | sort -u | head -n 30
cd /workspace
#> For the program: the packaging library judges versions and markers, the releases that are allowed and the pairs that exclude each other go into tables, and SQLite joins them, newest first. What is imported comes first, then what the others require most.
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
wanted = [canon(r.name) for n in cand for c in cand[n] for r in live(c["requires"])]
order = sorted(cand, key=lambda n: (n not in asked, -wanted.count(n), n))
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
#> Look at the lock from the other side: ask of every pin who needs it, whether each requirement on it holds, and whether a newer release in the index that the rules allow would fit as well, with all others as they are. The program's lists are at hand for that.
cat > /tmp/look.py <<'PY'
exec(open("/tmp/join.py").read().split("order = sorted")[0])
pins = dict(l.split("==") for l in open("requirements.lock").read().split())
def release(n, v): return next(c for c in cand[n] if c["version"] == v)
def broken(pins):
    reqs = [("requirements.in", r) for r in direct]
    for n, v in pins.items():
        c = release(n, v)
        reqs += [(n, r) for r in live(c["requires"] + [x for e in asked.get(n, ()) for x in c.get("extras", {}).get(e, [])])]
    faults = [(who, str(r)) for who, r in reqs if canon(r.name) not in pins or Version(pins[canon(r.name)]) not in r.specifier]
    return faults, {canon(r.name): [w for w, q in reqs if canon(q.name) == canon(r.name)] for _, r in reqs}
faults, users = broken(pins)
print("python", py, "day", day, "broken:", faults, "not needed:", sorted(set(pins) - set(users)))
for n, v in pins.items():
    newer = [c["version"] for c in cand[n] if Version(c["version"]) > Version(v)]
    print(n, v, "for", ", ".join(users.get(n, [])), "| newer:", [(w, broken({**pins, n: w})[0][:1] or "FITS") for w in newer])
PY
python3 /tmp/look.py
