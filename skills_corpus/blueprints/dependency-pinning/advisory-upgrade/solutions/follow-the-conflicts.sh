#> Read the runbook, the pins, and what the runbook may refer to: a risk register and holds, if there are any. Then one line for each advisory, with every field it has, since any of them may decide whether it concerns us.
cat RUNBOOK.md; paste -sd' ' requirements.in; cat requirements.lock
for f in risk-register.json holds/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
for f in /srv/advisories/*; do tr -d '\n' < "$f" | tr -s ' '; echo; done
#> And the index: a line for each release, with the Python it asks for, what it requires, and whatever else is said about it.
python3 - <<'PY'
import glob, json
for path in sorted(glob.glob("/srv/index/*")):
    package = json.load(open(path))
    for r in package["releases"]:
        print(package["name"], r.pop("version"), *r.values() if set(r) == {"requires_python", "requires"} else [r])
PY
#> Write the search: raise each pin that an advisory hits, follow the requirements that this breaks, and branch on which side gives way. The fewest moves win; moves that need each other become one step.
cat > /tmp/chase.py <<'PY'
import glob, json, pathlib
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version as V
here = pathlib.Path("/workspace")
pins = dict(l.split("==") for l in (here / "requirements.lock").read_text().split())
day = (here / "RUNBOOK.md").read_text().split("Day of this plan: ")[1][:10]
repo = {d["name"]: {r["version"]: r for r in d["releases"]} for d in (json.loads(open(p).read()) for p in glob.glob("/srv/index/*"))}
stop = [t.split("hold on ")[1].split()[0] for t in (p.read_text() for p in here.glob("holds/*")) if "\nState: open" in t]
risk = here / "risk-register.json"
okay = {r["advisory"] for r in json.loads(risk.read_text()) if r["until"] >= day} if risk.exists() else set()
advs = [json.loads(open(p).read()) for p in glob.glob("/srv/advisories/*")]
okay |= {a.get("supersedes") for a in advs}
hit = lambda a, v: any(V(r["introduced"]) <= V(v) < V(r["fixed"]) for r in a["affected"])
live = [a for a in advs if a["ecosystem"] == "PyPI" and not a.get("withdrawn") and a["id"] not in okay and hit(a, pins.get(a["package"], "999999"))]

def higher(name, than):
    return sorted((v for v, r in repo[name].items() if name not in stop and V(v) > V(than) and not V(v).is_prerelease
                   and not r.get("yanked") and SpecifierSet(r["requires_python"]).contains("3.11")), key=V)

def trouble(state):
    for a in live:
        if hit(a, state[a["package"]]):
            yield [a["package"]]
    for n, v in state.items():
        for q in map(Requirement, repo[n][v]["requires"]):
            if q.name not in state or state[q.name] not in q.specifier:
                yield [n, q.name]

best = []
def chase(state, moved):
    if best and len(moved) >= len(best[0]):
        return
    first = next(trouble(state), None)
    if first is None:
        best[:] = [dict(moved)]
        return
    for n in first:
        if n in state and n not in moved:
            for v in higher(n, state[n]):
                chase({**state, n: v}, {**moved, n: v})

chase(pins, {})
todo, out = best[0], []
ok = lambda s: next((t for t in trouble(s) if len(t) == 2), None) is None
def grow(s, part):  # what has to come along with a part, by following broken requirements among the moves
    while True:
        broken = [t for t in trouble({**s, **part}) if len(t) == 2]
        add = {n: todo[n] for t in broken for n in t if n in todo and n not in part}
        if not broken or not add:
            return part if not broken else None
        part = {**part, **add}
while todo:
    parts = [p for p in (grow(pins, {n: v}) for n, v in todo.items()) if p]
    step = min(parts, key=len)
    out.append({"pins": step}); pins.update(step)
    todo = {n: v for n, v in todo.items() if n not in step}
(here / "plan.json").write_text(json.dumps({"steps": out, "advisories": sorted(a["id"] for a in live)}))
PY
#> Run it and read the plan: how many pins move, against the board's limit, and which of them move together.
python3 /tmp/chase.py
cat plan.json; echo
#> Go through the plan step by step, as the rollout would: after each step no pin may be missing what it requires, and at the end no advisory that counts may hit a pin. What the program knows is loaded without its search.
cat > /tmp/walk.py <<'PY'
exec(open("/tmp/chase.py").read().split("best = []")[0])
plan = json.loads((here / "plan.json").read_text())
for number, step in enumerate(plan["steps"], 1):
    pins.update(step["pins"])
    print(number, step["pins"], "broken:", [t for t in trouble(pins) if len(t) == 2], "still hit:", [t[0] for t in trouble(pins) if len(t) == 1])
print("moves:", sum(len(step["pins"]) for step in plan["steps"]), "fixed:", [(a["id"], a["package"], pins[a["package"]]) for a in live])
PY
python3 /tmp/walk.py
