"""A deployed lock with vulnerable pins, advisories of several kinds, and an index in which some fixes pull companions along."""

import itertools
import json

TODAY = "2026-09-14"


def key(version):
    head, _, candidate = version.partition("rc")
    numbers = [int(part) for part in head.split(".")]
    return numbers + [0] * (5 - len(numbers)), not candidate, int(candidate or 0)


def fits(version, spec):
    for clause in spec.split(",") if spec else []:
        sign = clause[:2] if clause[1] == "=" else clause[:1]
        a, b = key(version), key(clause[len(sign):])
        if not {">=": a >= b, "<=": a <= b, "<": a < b, ">": a > b, "==": a == b, "!=": a != b}[sign]:
            return False
    return True


def build(world):
    rng = world.rng
    companions, papers = world.knob("companions"), world.knob("papers")
    gate, net, img, view, codec, queue, auth = (rng.randint(1, 6) for _ in range(7))
    pix = rng.randint(2, 7)
    small = lambda: rng.randint(1, 7)  # noqa: E731
    index = {}

    def release(name, version, requires=(), python=">=3.8", yanked=""):
        index.setdefault(name, {})[version] = {"version": version, "requires_python": python, "requires": list(requires), **({"yanked": yanked} if yanked else {})}

    lock = {}

    def deployed(name, version, *args, **more):
        release(name, version, *args, **more)
        lock[name] = version

    net_patch = small()
    deployed("netcore", f"{net}.2.{net_patch}", ["certs>=1"])
    release("netcore", f"{net}.2.{net_patch + 1}", ["certs>=1"], yanked="breaks proxies")
    release("netcore", f"{net}.2.{net_patch + 2}", ["certs>=1"])
    release("netcore", f"{net}.10.0", ["certs>=2"])
    release("netcore", f"{net}.11.{small()}", ["certs>=2"])
    release("netcore", f"{net + 1}.0.0", ["certs>=2", "h3>=0.4"], python=">=3.12")
    deployed("certs", f"1.{small()}", []), release("certs", f"2.{small()}"), release("certs", "2.12")
    release("h3", "0.4.1")
    fixed_image = f"{img}.2.{small()}"
    old_codec, new_codec = f"{codec}.9.{small()}", f"{codec + 1}.0.{small()}"
    wide = f"codec>={codec}" + (f",<{codec + 1}" if companions else "")
    deployed("imgtool", f"{img}.1.9", [wide, f"pixfmt>={pix}"])
    release("imgtool", f"{img}.1.10", [wide, f"pixfmt>={pix}"])
    if companions:
        release("imgtool", f"{img}.1.11", [f"codec>={codec},<{codec + 1}", f"pixfmt>={pix + 1}"] if papers else [f"codec>={codec + 1}", f"pixfmt>={pix + 1}"])
    release("imgtool", fixed_image, [f"codec>={codec + 1}", f"pixfmt>={pix}"] if companions else [f"codec>={codec}", f"pixfmt>={pix}"])
    release("imgtool", f"{img + 1}.0.0", [f"codec>={codec + 1}", f"pixfmt>={pix + 1}", "shader>=1"])
    release("shader", "1.0")
    deployed("codec", old_codec), release("codec", new_codec), release("codec", f"{codec + 1}.1.0rc1")
    deployed("viewer", f"{view}.4.{small()}", [f"codec>={codec}" + (f",<{codec + 1}" if companions else ""), "pixfmt"])
    release("viewer", f"{view}.5.{small()}", [f"codec>={codec}", "pixfmt"]), release("viewer", f"{view}.10.0", [f"codec>={codec + 1}", "pixfmt"])
    deployed("pixfmt", f"{pix}.{small()}.0"), release("pixfmt", f"{pix + 1}.0.0")
    deployed("queuelib", f"{queue}.10.{small()}"), release("queuelib", f"{queue}.12.0")
    g = small()
    deployed("gateway", f"{gate}.3.{g}", [f"netcore>={net}.2", "authlib"])
    release("gateway", f"{gate}.3.{g + 1}", [f"netcore>={net}.2", "authlib"])
    release("gateway", f"{gate}.3.{g + 2}", [f"netcore>={net}.2", f"authlib>={auth}.5"])
    release("gateway", f"{gate}.10.0", [f"netcore>={net}.10", f"authlib>={auth}.5"])
    deployed("authlib", f"{auth}.4.{small()}"), release("authlib", f"{auth}.5.{small()}"), release("authlib", f"{auth}.6.0")
    deployed("mailkit", f"4.{small()}.1", ["certs"]), release("mailkit", "4.20.0", ["certs"])
    direct = {"gateway": "", "imgtool": "", "viewer": "", "queuelib": "", "mailkit": ""}
    for name, releases in sorted(index.items()):
        entries = list(releases.values())
        rng.shuffle(entries)
        world.write(f"/srv/index/{name}.json", json.dumps({"name": name, "releases": entries}, indent=1) + "\n")
    world.write("/workspace/requirements.in", "".join(f"{name}\n" for name in direct))
    world.write("/workspace/requirements.lock", "".join(f"{name}=={lock[name]}\n" for name in sorted(lock)))

    numbers = iter(rng.sample(range(1000, 9999), 12))
    must, ids = [], {}

    def advisory(label, package, ranges, binding=True, **more):
        ident = f"ADV-2026-{next(numbers)}"
        ids[label] = ident
        record = {"id": ident, "ecosystem": "PyPI", "package": package, "published": f"2026-0{rng.randint(5, 7)}-{rng.randint(10, 28)}",
                  "affected": [{"introduced": a, "fixed": b} for a, b in ranges], **more}
        world.write(f"/srv/advisories/{ident}.json", json.dumps(record, indent=1) + "\n")
        if binding:
            must.append({"id": ident, "package": package, "ranges": ranges})

    advisory("net", "netcore", [(f"{net}.0", f"{net}.2.{net_patch + 1}"), (f"{net}.10.0", f"{net}.11.0")])
    advisory("img", "imgtool", [(f"{img}.0", fixed_image if companions and not papers else f"{img}.1.{11 if companions else 10}")])
    advisory("queue", "queuelib", [(f"{queue}.2", f"{queue}.9.3")], binding=False)
    advisory("absent", "h3", [("0", "0.5")], binding=False)
    if companions:
        advisory("npm", "viewer", [("0", f"{view}.10.0")], binding=False, ecosystem="npm")
        advisory("withdrawn", "mailkit", [("0", "4.20.0")], binding=False, withdrawn="2026-08-01")
    if papers:
        advisory("gate-old", "gateway", [(f"{gate}.0", f"{gate}.3.{g + 1}")], binding=False)
        advisory("gate-new", "gateway", [(f"{gate}.0", f"{gate}.3.{g + 2}")], supersedes=ids["gate-old"], summary="The first fix was incomplete.")
        advisory("accepted", "queuelib", [(f"{queue}.10", f"{queue}.12.0")], binding=False)
        advisory("lapsed", "certs", [("0", "2.0")])
        world.write("/workspace/risk-register.json", json.dumps([
            {"advisory": ids["accepted"], "decision": "accepted", "until": "2026-12-31"},
            {"advisory": ids["lapsed"], "decision": "accepted", "until": "2026-08-31"}], indent=1) + "\n")
        world.write("/workspace/holds/CHG-77.md", "# CHG-77 hold on pixfmt\n\nState: open\n\nThe print farm is tied to this pin. pixfmt does not move.\n")
        world.write("/workspace/holds/CHG-61.md", "# CHG-61 hold on codec\n\nState: closed 2026-06-30\n\nHardware decoder replaced.\n")
    holds = ["pixfmt"] if papers else []
    extra = ("- An advisory that another one `supersedes` is void; the later one stands.\n- What the risk register accepts on the day of the plan needs no fix and is not listed.\n"
             "- A package with an open hold (`holds/`) does not move.\n" if papers else "")
    world.write("/workspace/RUNBOOK.md", (
        f"# Security upgrades\n\nDay of this plan: {TODAY}. The services run on Python 3.11, Linux.\n\n"
        "- An advisory concerns us if it is for PyPI, not withdrawn, and the deployed version lies in one of its ranges (`introduced` <= version < `fixed`).\n"
        "- Nothing is pinned anew that is yanked, a pre-release, or refuses our Python. No pin goes back.\n"
        f"{extra}- The rollout can stop after any step: after each one the lock is complete and satisfies every requirement of `requirements.in` and\n"
        "  of every pin, and pins nothing that is not needed.\n- A step moves no more together than it must: no step could be replaced by two valid ones.\n"))

    def usable(name, version):
        r = index[name][version]
        return not r.get("yanked") and "rc" not in version and r["requires_python"] != ">=3.12" and name not in holds

    def requires(name, version):
        for text in index[name][version]["requires"]:
            cut = min([text.index(c) for c in "<>=!" if c in text], default=len(text))
            yield text[:cut], text[cut:]

    def valid(pins):
        return all(n in pins and fits(pins[n], s) for name, version in pins.items() for n, s in requires(name, version))

    def safe(pins):
        return not any(key(a) <= key(pins[m["package"]]) < key(b) for m in must for a, b in m["ranges"])

    vulnerable = sorted({m["package"] for m in must})  # they move in any case; the question is what has to come along
    newer = {n: [v for v in index[n] if key(v) > key(lock[n]) and usable(n, v) and safe({**lock, **{m: "9999" for m in vulnerable}, n: v})] for n in sorted(lock)}
    others = [n for n in newer if newer[n] and n not in vulnerable]
    budget = next(k + len(vulnerable) for k in range(5) for extra in itertools.combinations(others, k)
                  for choice in itertools.product(*(newer[n] for n in (*vulnerable, *extra)))
                  if valid({**lock, **dict(zip((*vulnerable, *extra), choice))}))
    world.publish("budget", budget)
    releases = {n: {v: {"ok": usable(n, v), "requires": [list(r) for r in requires(n, v)]} for v in index[n]} for n in index}
    files = ["/workspace/requirements.lock", "/workspace/requirements.in"]
    return {"index": releases, "lock": lock, "direct": sorted(direct), "must": must, "budget": budget, "files": {p: world.digest(p) for p in files}}
