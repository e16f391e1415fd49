#> Rules first: the runbook, and a risk register and holds if there are any beside it. Then the deployed pins and every advisory, in full.
cat RUNBOOK.md requirements.in requirements.lock
cat risk-register.json holds/* 2>/dev/null
cat /srv/advisories/*.json
#> Now what could be installed: one package of the index whole, and of all of them a line per release: version, Python, what it requires, and whether it is yanked.
cat /srv/index/gateway.json
for f in /srv/index/*.json; do jq -r '.name as $n | .releases[] | [$n, .version, .requires_python, (.requires | join(" ")), (if .yanked then "yanked" else "" end)] | join("  ")' "$f"; done
#> The runbook says which advisories concern us; their pins have to move, with versions compared by number. Try those pins alone, then with one more, with two, ... until a set satisfies everything: that is the smallest. Then split it: the smallest part that leaves a valid lock goes first.
cat > /tmp/plan.py <<'PY'
import glob, itertools, json, os, re
today = re.search(r"Day of this plan: ([\d-]+)", open("RUNBOOK.md").read())[1]
python = re.search(r"Python ([\d.]+\d)", open("RUNBOOK.md").read())[1]
lock = dict(line.strip().split("==") for line in open("requirements.lock"))
direct = open("requirements.in").read().split()
index = {}
for path in glob.glob("/srv/index/*.json"):
    package = json.load(open(path))
    index[package["name"]] = {r["version"]: r for r in package["releases"]}
held = {re.search(r"hold on (\S+)", t)[1] for t in (open(p).read() for p in glob.glob("holds/*")) if "State: open" in t}
accepted = set()
if os.path.exists("risk-register.json"):
    accepted = {r["advisory"] for r in json.load(open("risk-register.json")) if r["decision"] == "accepted" and r["until"] >= today}

def num(version):
    release, rc = re.fullmatch(r"([\d.]+?)(?:rc(\d+))?", version).groups()
    parts = [int(p) for p in release.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts), rc is None, int(rc or 0)

def meets(version, spec):
    for op, bound in re.findall(r"(>=|<=|==|!=|<|>)([\w.]+)", spec):
        a, b = num(version), num(bound)
        if not {">=": a >= b, "<=": a <= b, "==": a == b, "!=": a != b, "<": a < b, ">": a > b}[op]:
            return False
    return True

def inside(version, entry):
    return any(num(r["introduced"]) <= num(version) < num(r["fixed"]) for r in entry["affected"])

records = [json.load(open(p)) for p in sorted(glob.glob("/srv/advisories/*.json"))]
void = {r["supersedes"] for r in records if "supersedes" in r}
ours = [r for r in records if r["ecosystem"] == "PyPI" and "withdrawn" not in r and r["id"] not in void | accepted
        and r["package"] in lock and inside(lock[r["package"]], r)]
print("concern us:", [(r["id"], r["package"]) for r in ours])

def complete(pins):
    seen, todo = set(), list(direct)
    while todo:
        name = todo.pop()
        if name not in pins:
            return False
        if name in seen:
            continue
        seen.add(name)
        for text in index[name][pins[name]]["requires"]:
            other, spec = re.match(r"([\w-]+)(.*)", text).groups()
            if other not in pins or not meets(pins[other], spec):
                return False
            todo.append(other)
    return seen == set(pins)

def may(name, version):
    r = index[name][version]
    return not r.get("yanked") and "rc" not in version and meets(python, r["requires_python"]) and name not in held and (name not in lock or num(version) > num(lock[name]))

choices = {n: sorted((v for v in index[n] if may(n, v)), key=num) for n in index}

def search():
    known = sorted({r["package"] for r in ours})
    cured = {n: [v for v in choices[n] if not any(r["package"] == n and inside(v, r) for r in ours)] for n in choices}
    for size in range(6):
        for extra in itertools.combinations([n for n in sorted(cured) if cured[n] and n not in known], size):
            for versions in itertools.product(*(cured[n] for n in [*known, *extra])):
                moved = dict(zip([*known, *extra], versions))
                if complete({**lock, **moved}):
                    return moved

left, now, steps = search(), dict(lock), []
while left:
    for part in (p for size in range(1, len(left) + 1) for p in itertools.combinations(sorted(left), size)):
        step = {name: left[name] for name in part}
        if complete({**now, **step}):
            steps.append({"pins": step})
            now.update(step)
            left = {n: v for n, v in left.items() if n not in step}
            break
json.dump({"advisories": [r["id"] for r in ours], "steps": steps}, open("plan.json", "w"), indent=1)
PY
python3 /tmp/plan.py
#> Replay the plan as written, with the packaging library as a second opinion on every requirement after every step.
cat > /tmp/replay.py <<'PY'
import json
from packaging.requirements import Requirement
lock = dict(line.strip().split("==") for line in open("requirements.lock"))
plan = json.load(open("plan.json"))
for number, step in enumerate(plan["steps"], 1):
    lock.update(step["pins"])
    for name, version in lock.items():
        for r in json.load(open(f"/srv/index/{name}.json"))["releases"]:
            if r["version"] == version:
                assert all(lock[q.name] in q.specifier for q in map(Requirement, r["requires"])), (number, name)
    print("step", number, step["pins"], "holds")
PY
python3 /tmp/replay.py
