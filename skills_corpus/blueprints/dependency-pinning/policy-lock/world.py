"""A package index of a small company with yanked, young, relicensed and conflicting releases, and the papers of one service."""

import json
import re

WIN = '; sys_platform == "win32"'
OLD = '; python_version < "3.11"'


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def build(world):
    rng = world.rng
    conflict, licences, papers = world.knob("conflict"), world.knob("licences"), world.knob("papers")
    web, http, orm, task, pay, pg = (rng.randint(1, 5) for _ in range(6))
    tmpl = rng.randint(2, 6)
    python = rng.choice(["3.10", "3.11"]) if conflict else "3.11"
    minor = [int(part) for part in python.split(".")]
    freeze_day = rng.randint(3, 9)
    index = {}

    def release(name, version, requires=(), licence="MIT", python_spec=">=3.8", yanked="", day="2026-01-15", extras=None):
        entry = {"version": version, "released": day, "licence": licence, "requires_python": python_spec, "requires": list(requires)}
        if yanked:
            entry["yanked"] = yanked
        if extras:
            entry["extras"] = extras
        index.setdefault(name, []).append(entry)

    release("webcore", f"{web}.8.0", [f"httpbase>={http}.1", "legacy-forms>=1.0"])
    release("webcore", f"{web}.9.2", [f"httpbase>={http}.1", "legacy-forms>=1.0", f"templ~={tmpl}.4"])
    release("webcore", f"{web}.10.0", [f"httpbase>={http}.2", f"templ~={tmpl}.4.1"])
    release("webcore", f"{web}.10.1", [f"httpbase>={http}.2", f"templ~={tmpl}.4.1"])
    release("webcore", f"{web}.10.3", [f"httpbase>={http}.2", f"templ~={tmpl}.4.1"], yanked="corrupts uploads over 2 GB")
    release("webcore", f"{web}.11.0rc1", [f"httpbase>={http}.9", f"templ>={tmpl + 1}"])
    release("legacy-forms", "1.0"), release("legacy-forms", "1.2.0")
    for n in (1, 2, 9, 12):
        release("httpbase", f"{http}.{n}.{rng.randint(0, 5)}", ["certstore>=2025.11"])
    release("httpbase", f"{http}.13.0", ["certstore>=2025.11"], python_spec=">=3.12")
    for version in ("4.0", "4.1", "4.9", "4.10", "4.11rc2"):
        release("templ", f"{tmpl}.{version}")
    release("templ", f"{tmpl + 1}.0")
    grammar = [f"2.4.{rng.randint(0, 4)}", f"2.10.{rng.randint(0, 4)}", "3.0", f"3.{rng.randint(1, 3)}.1"]
    for version in grammar:
        release("sqlgrammar", version)
    drive = {"pg": [f"pgdriver>={pg}.1"]}
    release("ormkit", f"{orm}.1.0", ["sqlgrammar>=2,<3"], extras=drive)
    release("ormkit", f"{orm}.1.{rng.randint(1, 6)}", ["sqlgrammar>=2.4,<3", "Templ>=1"], extras=drive)
    release("ormkit", f"{orm}.2.0", ["sqlgrammar>=3"], extras=drive)
    release("ormkit", f"{orm}.2.{rng.randint(1, 6)}", ["sqlgrammar>=3"], extras=drive)
    bound = ",<3" if conflict else ""
    release("taskrunner", f"{task}.4.0", [f"sqlgrammar>=2{bound}", "backport-toml>=1.1" + OLD], python_spec=">=3.8")
    release("taskrunner", f"{task}.9.1", [f"sqlgrammar>=2.4{bound}", f"Http.Base>={http}.2"], python_spec=">=3.9")
    release("taskrunner", f"{task}.10.0", [f"sqlgrammar>=2.4{bound}", f"Http.Base>={http}.2"], python_spec=">=3.9")
    release("taskrunner", f"{task}.11.0", ["sqlgrammar>=3"], python_spec=">=3.12")
    release("Pay_Client", f"{pay}.3.0", [f"http-base>={http}.1"])
    release("Pay_Client", f"{pay}.4.{rng.randint(0, 7)}", [f"http-base>={http}.1", "certstore"])
    release("Pay_Client", f"{pay}.5.0", [f"http-base>={http}.1", "certstore"], licence="AGPL-3.0-only" if licences else "MIT")
    release("pgdriver", f"{pg}.1.0", licence="BSD-3-Clause")
    release("pgdriver", f"{pg}.1.{rng.randint(1, 9)}", licence="BSD-3-Clause")
    release("pgdriver", f"{pg}.2.0", licence="LGPL-3.0-only" if licences else "BSD-3-Clause")
    release("certstore", "2025.11.2", licence="MPL-2.0")
    release("certstore", f"2026.2.{rng.randint(0, 9)}", licence="MPL-2.0")
    release("certstore", f"2026.6.{rng.randint(10, 20)}", licence="MPL-2.0", day="2026-06-02")
    release("certstore", f"2026.7.{rng.randint(1, 3)}", licence="MPL-2.0", day="2026-07-02")
    release("backport-toml", "1.0"), release("backport-toml", "1.1.4"), release("backport-toml", "2.0.1")
    release("winsvc", "300"), release("winsvc", "306")
    index["http-base"] = index.pop("httpbase")
    for entries in index.values():
        for entry in entries:
            entry["requires"] = [text.replace("httpbase", "http-base") for text in entry["requires"]]
        rng.shuffle(entries)
    for name, entries in index.items():
        world.write(f"/srv/index/{normal(name)}.json", json.dumps({"name": name, "releases": entries}, indent=1) + "\n")

    direct = [f"webcore>={web}.8,!={web}.10.1", "ormkit[pg]", f"taskrunner>={task}.4", "Pay_Client", "winsvc" + WIN, "backport_toml>=1.0" + OLD]
    world.write("/workspace/requirements.in", "# what the service imports\n" + "\n".join(direct) + "\n")

    allowed = ["MIT", "BSD-3-Clause", "Apache-2.0"] + ([] if papers else ["MPL-2.0"])
    exceptions, frozen = {}, {}
    rules = ["A lock pins the closure of `requirements.in` on Linux for the deployed interpreter: every package that is needed, nothing else.",
             "Never pin a yanked release, never a pre-release, and nothing whose `requires_python` excludes the interpreter."]
    if licences:
        rules.append("Licences of a pinned release: " + ", ".join(allowed) + (", or what `exceptions.json` allows on the day of the freeze." if papers else "."))
    if papers:
        rules += ["A release must be 14 days old or older on the day of the freeze (days between the two dates).",
                  "A package with an open freeze ticket (`tickets/`) stays at the version that the ticket names."]
        frozen = {"templ": f"{tmpl}.4.9"}
        exceptions = {"pgdriver": {"LGPL-3.0-only": "2026-06-30"}, "certstore": {"MPL-2.0": "2027-01-31"}}
        world.write("/workspace/exceptions.json", json.dumps([
            {"package": name, "licence": licence, "last_day": day, "by": "legal"} for name, e in exceptions.items() for licence, day in e.items()], indent=1) + "\n")
        world.write("/workspace/tickets/OPS-412.md", f"# OPS-412 Freeze templ at {tmpl}.4.9\n\nState: open\n\nThe mail templates break with anything newer. Stays frozen until they are rewritten.\n")
        world.write("/workspace/tickets/OPS-398.md", f"# OPS-398 Freeze http-base at {http}.9\n\nState: closed (2026-05-11)\n\nProxy is fixed, no longer needed.\n")
        world.write("/workspace/tickets/OPS-421.md", f"# OPS-421 Code freeze\n\nState: open\n\nThe freeze for the July release is on 2026-07-{freeze_day:02d}.\n")
        world.write("/workspace/README.md", "# ledger-api\n\nRuns on Python 3.12 (soon).\n")
        world.write("/workspace/deploy/Containerfile", "ARG PYTHON=3.12\nFROM python:${PYTHON}-slim\nCOPY requirements.lock .\nRUN pip install --no-deps -r requirements.lock\n")
        world.write("/workspace/deploy/compose.yaml", f"services:\n  api:\n    build:\n      context: ..\n      dockerfile: deploy/Containerfile\n      args:\n        PYTHON: \"{python}\"\n")
    elif conflict:
        world.write("/workspace/Containerfile", f"FROM python:{python}-slim\nCOPY requirements.lock .\nRUN pip install --no-deps -r requirements.lock\n")
    else:
        rules.append(f"The deployed interpreter is Python {python}.")
    world.write("/workspace/POLICY.md", "# Dependency policy\n\n" + "\n".join(f"{n}. {rule}" for n, rule in enumerate(rules, 1)) + "\n")

    def active(marker):
        return not marker or ("python_version" in marker and minor < [3, 11])

    def parsed(text):
        requirement, _, marker = text.partition(";")
        name, extra, spec = re.fullmatch(r"([A-Za-z0-9._-]+?)(?:\[(\w+)\])?\s*((?:[<>=!~].*)?)", requirement.strip()).groups()
        return {"name": normal(name), "extra": extra or "", "spec": spec} if active(marker.strip()) else None

    truth_index = {}
    for name, entries in index.items():
        name = normal(name)
        for e in entries:
            floor = [int(part) for part in e["requires_python"][2:].split(".")]
            until = exceptions.get(name, {}).get(e["licence"], "")
            old = e["released"][:7] < "2026-06" or (e["released"] == "2026-06-02")
            flaws = {"yanked": "yanked" in e, "pre-release": "rc" in e["version"], "interpreter": minor < floor,
                     "licence": licences and e["licence"] not in allowed and until < f"2026-07-{freeze_day:02d}",
                     "age": papers and not old, "frozen": frozen.get(name, e["version"]) != e["version"]}
            needs = [r for r in map(parsed, e["requires"]) if r]
            extras = {k: [r for r in map(parsed, v) if r] for k, v in e.get("extras", {}).items()}
            truth_index.setdefault(name, {})[e["version"]] = {"flaws": [k for k, v in flaws.items() if v], "requires": needs, "extras": extras}
    files = ["/workspace/requirements.in", "/workspace/POLICY.md"] + [f"/srv/index/{normal(name)}.json" for name in index]
    return {"index": truth_index, "direct": [r for r in map(parsed, direct) if r], "inputs": {path: world.digest(path) for path in files}}
