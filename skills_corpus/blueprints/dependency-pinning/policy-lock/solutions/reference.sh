#> Collect the rules first: what is imported, the policy, everything it refers to, and how the service is deployed.
cat requirements.in POLICY.md
for f in Containerfile README.md exceptions.json tickets/* deploy/*; do [ -f "$f" ] && { echo "== $f"; cat "$f"; }; done
ls /srv/index
head -n 30 /srv/index/webcore.json
#> Write the rules down as data. The interpreter is the deployed one: the policy may name it, a Containerfile outranks that, and a build argument in a compose file beats a Containerfile's default. If there are tickets, they give the day of the freeze and what open ones hold back.
python=$(grep -ohP 'interpreter is Python \K[\d.]+' POLICY.md | sed 's/\.$//')
[ -f Containerfile ] && python=$(grep -oP '^FROM python:\K[\d.]+' Containerfile)
[ -f deploy/compose.yaml ] && python=$(grep -oP 'PYTHON: "\K[\d.]+' deploy/compose.yaml)
freeze=$(grep -ohP 'freeze for the \w+ release is on \K[\d-]+' tickets/* 2>/dev/null)
: > /tmp/frozen
for t in tickets/*; do
  [ -f "$t" ] && grep -q '^State: open' "$t" && grep -oP '^# \S+ Freeze \K\S+ at \S+' "$t" >> /tmp/frozen
done
echo "python $python, freeze ${freeze:-none}"; cat /tmp/frozen
#> Filter the releases one by one with a reason for each refusal, then resolve with backtracking, newest first.
cat > /tmp/resolve.py <<'PY'
import datetime, json, pathlib, re, sys
PYTHON, FREEZE = sys.argv[1], sys.argv[2]
policy = pathlib.Path("POLICY.md").read_text()
day = datetime.date.fromisoformat
licences = re.search(r"Licences of a pinned release: (.*?)(?:, or what|\.\n)", policy)
licences = licences and set(licences[1].split(", "))
exceptions = json.loads(pathlib.Path("exceptions.json").read_text()) if FREEZE else []
frozen = dict(line.split(" at ") for line in open("/tmp/frozen").read().splitlines())

def norm(name):
    return re.sub(r"[-_.]+", "-", name).lower()

def numbers(version):
    digits, rc = re.fullmatch(r"([\d.]+)(?:rc(\d+))?", version).groups()
    parts = [int(p) for p in digits.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts), rc is None, int(rc or 0)

def fits(version, spec):
    for clause in spec.replace(" ", "").split(",") if spec.strip() else []:
        op, bound = re.match(r"(~=|[<>=!]=|[<>])(.*)", clause).groups()
        a, b = numbers(version), numbers(bound)
        if op == "~=":
            stem = tuple(int(p) for p in bound.split(".")[:-1])
            have = tuple(int(p) for p in re.match(r"[\d.]+", version)[0].split(".")) + (0,) * 5
            ok = a >= b and have[:len(stem)] == stem
        else:
            ok = {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
        if not ok:
            return False
    return True

def requirement(text):
    text, _, marker = text.partition(";")
    if marker:
        variable, op, value = re.match(r'\s*(\w+)\s*(\S+)\s*"(.*)"', marker).groups()
        holds = fits(PYTHON, op + value) if variable == "python_version" else (value == "linux") == (op == "==")
        if not holds:
            return None
    name, extras, spec = re.match(r"([\w.-]+)(?:\[(.*?)\])?(.*)", text.strip()).groups()
    return norm(name), (extras or "").split(","), spec

def refused(name, r):
    if r.get("yanked"): return "yanked: " + r["yanked"]
    if "rc" in r["version"]: return "pre-release"
    if not fits(PYTHON, r["requires_python"]): return "needs Python " + r["requires_python"]
    if licences and r["licence"] not in licences and not any(
            e["package"] == name and e["licence"] == r["licence"] and e["last_day"] >= FREEZE for e in exceptions): return r["licence"]
    if FREEZE and (day(FREEZE) - day(r["released"])).days < 14: return "too young: " + r["released"]
    if frozen.get(name, r["version"]) != r["version"]: return "frozen"

usable = {}
for path in sorted(pathlib.Path("/srv/index").glob("*.json")):
    package = json.loads(path.read_text())
    name = norm(package["name"])
    usable[name] = {}
    for r in sorted(package["releases"], key=lambda r: numbers(r["version"]), reverse=True):
        why = refused(name, r)
        if why:
            print("refused", name, r["version"], why)
        else:
            usable[name][r["version"]] = r

def needs(name, extras, release):
    texts = list(release["requires"])
    for extra in extras:
        texts += release.get("extras", {}).get(extra, [])
    return [n for n in map(requirement, texts) if n]

def resolve(todo, pins, specs):
    if not todo:
        return pins
    (name, extras, spec), rest = todo[0], todo[1:]
    specs = {**specs, name: specs.get(name, []) + [spec]}
    if name in pins:
        return resolve(rest, pins, specs) if fits(pins[name], spec) else None
    for version, release in usable[name].items():
        if all(fits(version, s) for s in specs[name]):
            found = resolve(rest + needs(name, extras, release), {**pins, name: version}, specs)
            if found:
                return found
    return None

lines = [line.split("#")[0].strip() for line in open("requirements.in")]
pins = resolve([r for r in map(requirement, filter(None, lines)) if r], {}, {})
with open("requirements.lock", "w") as out:
    for name in sorted(pins):
        print(f"{name}=={pins[name]}", file=out)
PY
python3 /tmp/resolve.py "$python" "$freeze"
cat requirements.lock
#> Check the file as written, with the packaging library instead of my own comparisons: every requirement of requirements.in with its extras, and of every pin; and no pin that nobody needs.
cat > /tmp/prove.py <<'PY'
import json, re, sys
from packaging.requirements import Requirement
lock = dict(line.strip().split("==") for line in open("requirements.lock"))
here = {"python_version": sys.argv[1], "sys_platform": "linux", "extra": ""}
canon = lambda name: re.sub("[-_.]+", "-", name).lower()
lines = [line.split("#")[0].strip() for line in open("requirements.in")]
todo = [("requirements.in", Requirement(line)) for line in lines if line]
needed, seen = set(), 0
while todo:
    who, need = todo.pop()
    if need.marker is not None and not need.marker.evaluate(here):
        continue
    name = canon(need.name)
    assert lock[name] in need.specifier, (who, str(need))
    seen += 1
    release = next(r for r in json.load(open(f"/srv/index/{name}.json"))["releases"] if r["version"] == lock[name])
    texts = [] if name in needed else list(release["requires"])
    for extra in need.extras:
        texts += release.get("extras", {}).get(extra, [])
    needed.add(name)
    todo += [(name, Requirement(text)) for text in texts]
assert needed == set(lock), needed ^ set(lock)
print(seen, "requirements hold, all", len(lock), "pins are needed")
PY
python3 /tmp/prove.py "$python"
