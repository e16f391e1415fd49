#> Read the runbook and the pins, and write the search: raise each pin that an advisory hits, follow the requirements that this breaks, and branch on which side gives way. The fewest moves win; moves that need each other become one step.
cat RUNBOOK.md requirements.lock
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
cat plan.json
