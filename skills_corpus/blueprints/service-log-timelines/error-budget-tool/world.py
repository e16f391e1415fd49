"""Access logs, objectives and a policy; and hidden logs on which the delivered program is tried."""

import base64
import gzip
import hashlib
import json
from collections import Counter
from datetime import datetime, timedelta, timezone

POLICY = """# Error budget policy

1. The window and all other times in `slo.yaml` are half open: a request at the start belongs to it, one at the end does not.
   What counts is the moment in the log line.
2. A request belongs to an objective when its path, without the query, is one of the objective's routes or lies below one
   (`/api/items/7` lies below `/api/items`, `/api/items-old` does not). Routes of different objectives never overlap.
3. A request is one request id. Log files can overlap, and a line can be cut off where a file was rotated; what can't be
   read is skipped.
4. Bad is a request that was answered with 5xx or 499, or that took longer than `slower_than_ms`, where the objective has
   one. Exactly that long is good.
5. Allowed is the share of the valid requests that `availability` (per cent) leaves.
{exclusions}"""
EXCLUSIONS = """6. Not valid are requests during planned maintenance (`maintenance`) and those of our own probes: the user agent begins with
   one of `probes`.
"""
RECORDS = {
    "DR-012-clients-that-hang-up.md": "# DR-012 Clients that hang up\n\nStatus: superseded by DR-019\n\nA request that ends in 499 is not valid: the client did not wait.\n",
    "DR-015-rate-limits.md": "# DR-015 Rate limits\n\nStatus: rejected\n\nA request answered with 429 is bad, whoever caused it.\n",
    "DR-019-impatience-is-our-fault.md": (
        "# DR-019 Impatience is our fault, sometimes\n\nStatus: accepted, in force for all windows from 2026-01-01\n\n"
        "Changes rule 4 of the policy. A 499 after 1000 ms or more is bad: the user gave up on us. A 499 before that is not valid, "
        "it is neither good nor bad: somebody closed a tab.\n"),
    "DR-021-not-found.md": "# DR-021 Not found\n\nStatus: proposed\n\nA request answered with 404 is not valid.\n",
}
NGINX = """http {
    log_format api '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent $request_time "$http_user_agent" $request_id';
    access_log /var/log/api/access.log api;
}
"""
PROBES = ["kube-probe/", "blackbox"]
AGENTS = ["Mozilla/5.0 (X11; Linux x86_64)", "okhttp/4.12", "shop-app/7.1 (not a kube-probe/ client)", "curl/8.5"]
OBJECTIVES = [("browse", ["/api/items", "/api/search"]), ("checkout", ["/api/checkout"]), ("account", ["/api/me", "/api/login"])]
LOOKALIKES = ["/api/items-old/3", "/api/searches", "/api/checkout2", "/api", "/api/menu", "/", "/v2/api/items"]


def build(world):
    rng = world.rng
    maker = _Maker(rng, world.knob("exclusions"), world.knob("amended"))
    case = maker.case(rng.choice([375, 500]), rng.randint(240, 330))
    shape = {"formats": 2 if world.knob("two_formats") else 1}
    world.write("/etc/slo/slo.yaml", case["slo"])
    world.write("/etc/slo/policy.md", POLICY.format(exclusions=EXCLUSIONS if world.knob("exclusions") else ""))
    world.write("/etc/nginx/nginx.conf", NGINX)
    if world.knob("amended"):
        for name, text in RECORDS.items():
            world.write(f"/etc/slo/records/{name}", text)
    names = ["access.log", "access.log.1", "access.log.2.gz"][: world.knob("files")]
    files = _render(rng, case["requests"], world.knob("offsets"), names[::-1], **shape)
    for name, data in files.items():
        world.write(f"/var/log/api/{name}", data)

    trials = {}
    small = maker.case(rng.choice([125, 250]), rng.randint(60, 90))
    requests = small["requests"]

    def trial(name, requests, expected, names, offsets=("+0000",), again=False):
        files = _render(rng, requests, offsets, names, **shape)
        arguments = list(files)
        rng.shuffle(arguments)
        trials[name] = {"slo": small["slo"], "arguments": arguments + (arguments[:1] if again else []), "expected": expected,
                        "files": {n: base64.b64encode(d).decode() for n, d in files.items()}}

    mixed = requests[:]
    rng.shuffle(mixed)
    trial("as it comes", requests, small["expected"], ["api.log"])
    trial("lines in another order", mixed, small["expected"], ["api.log"])
    trial("rotated, overlapping, compressed", requests, small["expected"], ["old.log.gz", "api.log.1", "api.log"])
    trial("one file given twice", requests, small["expected"], ["a.log", "b.log.gz"], again=True)
    trial("written in other offsets", requests, small["expected"], ["api.log"], offsets=("-0330", "+0900", "+0000"))
    trial("requests added that do not count", sorted(requests + maker.extras(small, 60), key=lambda r: r["t"]), small["expected"], ["api.log"])
    more, expected = maker.one_more_bad(small)
    trial("one bad request more", more, expected, ["api.log"])
    world.hide("trials.json", json.dumps(trials))
    records = [f"/etc/slo/records/{name}" for name in RECORDS] if world.knob("amended") else []
    kept = ["/etc/slo/slo.yaml", "/etc/slo/policy.md", *records] + [f"/var/log/api/{name}" for name in names]
    return {"report": case["expected"], "digests": {path: hashlib.sha256(world.read(path)).hexdigest() for path in kept}}


class _Maker:
    """Makes objectives, requests whose verdict is known because it was decided first, and the expected figures."""

    def __init__(self, rng, exclusions, amended):
        self.rng, self.exclusions, self.amended = rng, exclusions, amended

    def case(self, round_count, other_count):
        rng = self.rng
        start = datetime(2026, rng.randint(1, 4), rng.randint(1, 20), rng.choice([0, 6]), tzinfo=timezone.utc)
        end = start + timedelta(days=rng.choice([3, 5, 7]))
        first, second = rng.sample(OBJECTIVES, 2)
        goals = [{"name": first[0], "routes": first[1], "availability": rng.choice(["98.4", "95.2"]), "slow": rng.choice([600, 750, 800])},
                 {"name": second[0], "routes": second[1], "availability": rng.choice(["99.5", "97.3", "99"]), "slow": None}]
        quiet = start + timedelta(days=1, hours=rng.randint(1, 9), minutes=30)
        case = {"start": start, "end": end, "goals": goals, "quiet": (quiet, quiet + timedelta(hours=2)) if self.exclusions else None}
        requests = []
        for goal, count in zip(goals, (round_count, other_count)):
            bad = rng.randint(count // 40, count // 12)
            burst = self.moment(case).replace(minute=0, second=0)
            for n in range(count):
                moment = None
                if n < bad // 2 + 3:
                    moment = burst + timedelta(seconds=rng.randrange(3600))
                    moment = moment if self.counts(case, moment) else None
                requests.append(self.request(case, goal, bad=n < bad, moment=moment))
            if goal["slow"]:  # one that failed and was slow as well: bad once
                requests[-count].update(status=504, ms=goal["slow"] + rng.randint(1, 3000))
            requests[-1]["t"] = start if self.counts(case, start) else requests[-1]["t"]
        requests += self.extras(case, 40)
        case["requests"] = sorted(requests, key=lambda r: r["t"])
        case["expected"] = self.expected(case, requests)
        case["slo"] = self.yaml(case)
        return case

    def counts(self, case, moment):
        return case["start"] <= moment < case["end"] and not (case["quiet"] and case["quiet"][0] <= moment < case["quiet"][1])

    def moment(self, case):
        span = int((case["end"] - case["start"]).total_seconds())
        while True:
            moment = case["start"] + timedelta(seconds=self.rng.randrange(span))
            if self.counts(case, moment):
                return moment

    def path(self, goal):
        route = self.rng.choice(goal["routes"])
        return route + self.rng.choice(["", "", f"/{self.rng.randint(1, 999)}", "?page=2", f"/{self.rng.randint(1, 99)}?from=/api/menu"])

    def request(self, case, goal, bad, moment=None):
        rng, slow = self.rng, goal["slow"]
        quick = rng.randint(4, (slow or 500) - 1)
        kinds = [(rng.choice([500, 502, 503]), quick)]
        if bad:
            if slow:
                kinds += [(200, slow + rng.randint(1, 900)), (504, slow + rng.randint(1, 3000)), (404, slow + 1)]
            kinds.append((499, rng.choice([1000, 1000 + rng.randint(1, 4000)]) if self.amended else quick))
        else:
            kinds = [(rng.choice([200, 200, 200, 201, 204, 301, 304]), quick)] * 5 + [(rng.choice([400, 404, 422, 429]), quick)]
            kinds.append((200, slow if slow else rng.randint(2000, 9000)))
        status, duration = rng.choice(kinds)
        return {"t": moment or self.moment(case), "path": self.path(goal), "status": status, "ms": duration, "agent": rng.choice(AGENTS),
                "rid": f"{rng.getrandbits(64):016x}", "goal": goal["name"], "bad": bad}

    def extras(self, case, count):
        """Requests that do not count: other routes, outside the window, in maintenance, of probes, closed tabs."""
        rng, found = self.rng, []
        kinds = ["route", "before", "end", "after"]
        kinds += ["quiet", "quiet_start", "probe"] if self.exclusions else []
        kinds += ["closed_tab"] if self.amended else []
        for n in range(count):
            kind = kinds[n % len(kinds)]
            goal = rng.choice(case["goals"])
            request = self.request(case, goal, bad=n % 3 > 0 or kind in ("end", "quiet_start"))
            request["goal"] = None
            if kind == "route":
                request["path"] = rng.choice(LOOKALIKES)
            elif kind == "before":
                request["t"] = case["start"] - timedelta(seconds=rng.randint(1, 20000))
            elif kind == "end":
                request["t"] = case["end"]
            elif kind == "after":
                request["t"] = case["end"] + timedelta(seconds=rng.randint(1, 20000))
            elif kind == "quiet":
                request["t"] = case["quiet"][0] + timedelta(seconds=rng.randrange(7200))
            elif kind == "quiet_start":
                request["t"] = case["quiet"][0]
            elif kind == "probe":
                request["agent"] = rng.choice(PROBES) + rng.choice(["1.29", "-exporter/0.24"])
            else:
                request["status"], request["ms"] = 499, rng.randint(3, 999)
            found.append(request)
        return found

    def one_more_bad(self, case):
        goal = case["goals"][0]
        added = self.request(case, goal, bad=True)
        requests = case["requests"] + [added]
        return requests, self.expected(case, requests)

    def expected(self, case, requests):
        figures = {}
        for goal in case["goals"]:
            mine = [r for r in requests if r["goal"] == goal["name"]]
            hours = Counter(r["t"].strftime("%Y-%m-%dT%H:00Z") for r in mine if r["bad"])
            worst = min(hours, key=lambda h: (-hours[h], h)) if hours else None
            whole, _, part = goal["availability"].partition(".")
            allowed = len(mine) * (1000 - int(whole + (part or "0"))) // 1000
            bad = sum(hours.values())
            figures[goal["name"]] = {"valid": len(mine), "bad": bad, "allowed": allowed, "left": allowed - bad, "worst_hour": worst}
        return figures

    def yaml(self, case):
        lines = [f'window: {{start: "{_iso(case["start"])}", end: "{_iso(case["end"])}"}}', "objectives:"]
        for goal in case["goals"]:
            lines += [f"  - name: {goal['name']}", f"    routes: [{', '.join(goal['routes'])}]", f"    availability: {goal['availability']}"]
            lines += [f"    slower_than_ms: {goal['slow']}"] if goal["slow"] else []
        if self.exclusions:
            lines += ["maintenance:", f'  - {{from: "{_iso(case["quiet"][0])}", to: "{_iso(case["quiet"][1])}"}}', f"probes: {json.dumps(PROBES)}"]
        return "\n".join(lines) + "\n"


def _iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _render(rng, requests, offsets, names, formats):
    """Lines in the given offsets, spread over files oldest first; rotated files overlap and the older ends in half a line."""
    lines = []
    for n, request in enumerate(requests):
        place = n / len(requests)
        offset = offsets[int(place * len(offsets))]
        plain, modern = _plain(request, offset, rng), _json(request, offset)
        if formats == 2 and place >= 0.4:
            lines += [plain, modern] if place < 0.5 else [modern]  # both ingresses wrote for a while
        else:
            lines.append(plain)
    files = {}
    for i, name in enumerate(names):
        low, high = len(lines) * i // len(names), len(lines) * (i + 1) // len(names)
        text = "".join(line + "\n" for line in lines[max(0, low - 5):high])
        if i < len(names) - 1:
            text += lines[high][:47]
        data = text.encode()
        files[name] = gzip.compress(data, mtime=0) if name.endswith(".gz") else data
    return files


def _zone(offset):
    minutes = int(offset[1:3]) * 60 + int(offset[3:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def _plain(request, offset, rng):
    local = request["t"].astimezone(_zone(offset))
    return (f'203.0.113.{rng.randint(2, 250)} - - [{local:%d/%b/%Y:%H:%M:%S} {offset}] "GET {request["path"]} HTTP/1.1" {request["status"]} '
            f'{rng.randint(100, 9000)} {request["ms"] // 1000}.{request["ms"] % 1000:03d} "{request["agent"]}" {request["rid"]}')


def _json(request, offset):
    local = request["t"].astimezone(_zone(offset))
    return json.dumps({"time": f"{local:%Y-%m-%dT%H:%M:%S}{offset[:3]}:{offset[3:]}", "method": "GET", "path": request["path"],
                       "status": request["status"], "duration_ms": request["ms"], "user_agent": request["agent"], "request_id": request["rid"]})
