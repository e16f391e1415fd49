"""A clone with a payment key in commits that were never pushed, beside keys that have to stay where they are."""

import base64
import hashlib
import string
import zlib

FOLDER = "/workspace/portal"
PEOPLE = ["Anke Wirth", "Luis Prado", "Zofia Lis", "Omar Haddad", "Nora Lind", "Jürgen Böhm"]


class Store:
    """Git objects made in memory; written loose while `keep` is true, only named while it is false."""

    def __init__(self, world):
        self.world, self.keep, self.seen = world, True, set()

    def put(self, kind, data):
        raw = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(raw).hexdigest()
        if self.keep and oid not in self.seen:
            self.seen.add(oid)
            self.world.write(f"{FOLDER}/.git/objects/{oid[:2]}/{oid[2:]}", zlib.compress(raw), mode=0o444)
        return oid

    def tree(self, files):
        here, below = [], {}
        for path, text in files.items():
            head, _, rest = path.partition("/")
            if rest:
                below.setdefault(head, {})[rest] = text
            else:
                mode = "100755" if text.startswith("#!") else "100644"
                here.append((head, mode, self.put("blob", text.encode())))
        here += [(name, "40000", self.tree(inner)) for name, inner in below.items()]
        here.sort(key=lambda e: e[0] + ("/" if e[1] == "40000" else ""))
        return self.put("tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for name, mode, oid in here))

    def commit(self, node, ids, clean):
        lines = [f"tree {self.tree({path: clean(text) for path, text in node['files'].items()})}"]
        lines += [f"parent {ids[parent]}" for parent in node["parents"]]
        lines += [f"author {sign(node['who'], node['when'])}", f"committer {sign(node['by'], node['at'])}"]
        return self.put("commit", ("\n".join(lines) + f"\n\n{clean(node['message'])}\n").encode())

    def tag(self, name, target, who, when, message):
        return self.put("tag", f"object {target}\ntype commit\ntag {name}\ntagger {sign(who, when)}\n\n{message}\n".encode())


def sign(name, moment):
    return f"{name} <{name.split()[0].lower().replace('ü', 'ue')}@portal.example> {moment} +0200"


def build(world):
    rng, store = world.rng, Store(world)
    merged, disguised, pushed = world.knob("merged"), world.knob("disguised"), world.knob("pushed_key")
    letters = string.ascii_letters + string.digits

    def key(kind):
        return f"pk_{kind}_" + "".join(rng.choice(letters) for _ in range(24))

    first, second, mail, test = key("live"), key("live"), key("live"), key("test")
    boss, dev, peer, third = rng.sample(PEOPLE, 4)
    clock = 1775400000 + rng.randrange(400000)
    nodes = {}

    def commit(name, parents, who, message, changes, by=None):
        """Add a commit to the plan: the files of its first parent (all parents' in a merge) with the changes."""
        nonlocal clock
        clock += rng.randint(900, 9000)
        files = {}
        for parent in reversed(parents):
            files.update(nodes[parent]["files"])
        files.update(changes)
        files = {path: text for path, text in files.items() if text is not None}
        nodes[name] = {"files": files, "parents": parents, "who": who, "when": clock, "by": by or who,
                       "at": clock + (rng.randint(50, 800) if by else 0), "message": message}

    def env(value, retries=3):
        return f"PAYMENTS_URL=https://pay.portal.example/v2\nPAYMENTS_KEY={value}\nPAYMENTS_RETRIES={retries}\n"

    def settings(value):
        return f"import os\n\nPAYMENTS_URL = os.environ[\"PAYMENTS_URL\"]\nPAYMENTS_KEY = {value}\nTIMEOUT = {timeout}\n"

    def secret(value):
        return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: payments\ntype: Opaque\ndata:\n  apiKey: {base64.b64encode(value.encode()).decode()}\n"

    timeout = rng.randint(5, 60)
    fee = rng.randint(11, 99)
    policy = ("# Keys\n\n- Live keys begin with `pk_live_`. Test keys begin with `pk_test_`; they are public and stay in the tests.\n"
              "- A live key in commits that nobody else has: take it out of every one of them, put `REDACTED` in its place.\n"
              "- A live key that was pushed, to whatever branch, is burnt: the provider replaces it. We do not touch its commits,\n"
              "  nor the key in later commits.\n"
              "- In the manifests below `k8s/` a value is base64; what takes its place there is the base64 of `REDACTED`.\n")
    commit("a1", [], boss, "Start of the portal", {"README.md": f"# Portal\n\nBuild {rng.randint(100, 999)}\n", "app/__init__.py": ""})
    commit("a2", ["a1"], boss, "Rules for keys", {"SECURITY.md": policy})
    commit("a3", ["a2"], peer, "Configuration", {"config/app.env": env(""), "app/pay.py": f"FEE = {fee}\n"})
    commit("a4", ["a3"], dev, "Test payments", {"tests/test_pay.py": f"KEY = \"{test}\"\n\n\ndef test_key():\n    assert KEY\n"})
    commit("p0", ["a4"], dev, "Currencies", {"app/currency.py": f"CODES = [\"EUR\", \"CHF\", \"{rng.choice(['SEK', 'NOK', 'DKK', 'PLN'])}\"]\n"})
    commit("p1", ["p0"], dev, "Call the provider", {
        "config/app.env": env(first), "app/pay.py": f"FEE = {fee}\n\n\ndef pay(amount):\n    return amount + FEE\n",
        **({"bin/try-payment": f"#!/bin/sh\nPAYMENTS_KEY={first} exec python3 -m app.pay \"$@\"\n"} if merged else {})})
    commit("p2", ["p1"], dev, f"Retry more often, tried with {first}" if disguised else "Retry more often",
           {"config/app.env": env(first, 5)}, by=boss)
    commit("p3", ["p2"], dev, "Settings in one place\n\nOne module reads them all.",
           {"config/app.env": env("", 5), "app/settings.py": settings(f'"{first}"')})
    shown = f"export PAYMENTS_KEY={first}" if merged else "export PAYMENTS_KEY=..."
    commit("p4", ["p3"], peer, "Describe the set-up", {"docs/setup.md": f"# Set-up\r\n\r\n    {shown}\r\n\r\nAsk {boss} for it.\r\n"})
    tip = "p4"
    gone = {"app/settings.py": settings('os.environ["PAYMENTS_KEY"]'), "docs/setup.md": "# Set-up\r\n\r\nAsk for the key.\r\n"}
    if merged:
        commit("r1", ["p2"], third, "Refunds", {"app/refund.py": f"DAYS = {rng.randint(10, 90)}\n", **({"k8s/secret.yaml": secret(first)} if disguised else {})})
        commit("r2", ["r1"], third, "New payments key", {"config/app.env": env(second, 5), **({"k8s/secret.yaml": secret(second)} if disguised else {})})
        commit("r3", ["r2"], third, "Refunds in parts", {"app/refund.py": f"DAYS = {rng.randint(10, 90)}\nPARTS = True\n"}, by=dev)
        commit("m1", ["p4", "r2"], dev, "Merge branch 'topic/refunds'", {"config/app.env": env("", 5), "app/settings.py": settings(f'"{second}"')})
        tip = "m1"
        gone.update({"bin/try-payment": "#!/bin/sh\nexec python3 -m app.pay \"$@\"\n"})
        if disguised:
            gone["k8s/secret.yaml"] = None
    commit("p5", [tip], dev, "Take the key from the environment", gone, by=peer)
    commit("amended", ["p3"], peer, "Describe the setup", {"docs/setup.md": f"# Setup\r\n\r\n    export PAYMENTS_KEY={first}\r\n"})
    heads = {"main": "p5"}
    remotes = {"main": "a4"}
    if merged:
        commit("s1", ["a3"], peer, "Search", {"app/search.py": f"LIMIT = {rng.randint(10, 99)}\n"})
        heads.update({"topic/refunds": "r3", "topic/search": "s1"})
        remotes["topic/search"] = "s1"
    if pushed:
        commit("t1", ["a3"], third, "Mail", {"config/mail.env": f"MAIL_HOST=mail.portal.example\nMAIL_KEY={mail}\n"})
        commit("t2", ["t1"], third, "Mail: sender", {"app/mail.py": f"SENDER = \"portal{rng.randint(1, 9)}@portal.example\"\n"})
        commit("t3", ["t2"], third, "Mail: retry", {"app/mail_retry.py": f"RETRIES = {rng.randint(2, 9)}\n"})
        commit("m2", ["p5", "t2"], dev, "Merge remote-tracking branch 'origin/topic/mail'", {})
        heads.update({"main": "m2", "topic/mail": "t3"})
        remotes["topic/mail"] = "t2"

    def clean(text):
        for value in (first, second):
            text = text.replace(value, "REDACTED").replace(base64.b64encode(value.encode()).decode(), base64.b64encode(b"REDACTED").decode())
        return text

    def emit(change):
        ids = {}
        for name, node in nodes.items():
            ids[name] = store.commit(node, ids, change)
        tags = {"v1.4": ids["a2"], "demo": ids["p3"]}
        if merged:
            tags["v1.5-rc1"] = store.tag("v1.5-rc1", ids["p4"], boss, nodes["p4"]["at"] + 100, "Candidate for the summer release")
        return ids, tags

    old, old_tags = emit(lambda text: text)
    bad = sorted({store.put("blob", text.encode()) for node in nodes.values() for text in node["files"].values() if clean(text) != text})
    store.keep = False
    new, new_tags = emit(clean)

    git = f"{FOLDER}/.git"
    world.write(f"{git}/HEAD", "ref: refs/heads/main\n")
    config = (f"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
              f"[user]\n\tname = {dev}\n\temail = {sign(dev, 0).split('<')[1].split('>')[0]}\n"
              "[remote \"origin\"]\n\turl = git@git.portal.example:portal.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
    for name in heads:
        config += f"[branch \"{name}\"]\n\tremote = origin\n\tmerge = refs/heads/{name}\n"
        world.write(f"{git}/refs/heads/{name}", old[heads[name]] + "\n")
    world.write(f"{git}/config", config)
    for name, node in remotes.items():
        world.write(f"{git}/refs/remotes/origin/{name}", old[node] + "\n")
    for name, oid in old_tags.items():
        world.write(f"{git}/refs/tags/{name}", oid + "\n")
    line = ["a4", "p0", "p1", "p2", "p3", "amended", "p4"] + (["m1"] if merged else []) + ["p5"] + (["m2"] if pushed else [])
    log = "".join(f"{old[line[i - 1]]} {old[n]} {sign(nodes[n]['by'], nodes[n]['at'])}\tcommit: {nodes[n]['message'].splitlines()[0]}\n"
                  for i, n in enumerate(line) if i)
    world.write(f"{git}/logs/HEAD", log)
    world.write(f"{git}/logs/refs/heads/main", log)
    world.write(f"{git}/info/exclude", "*.local.md\n")
    work = nodes[heads["main"]]["files"]
    for path, text in work.items():
        world.write(f"{FOLDER}/{path}", text, mode=0o755 if text.startswith("#!") else 0o644)
    world.run(["git", "read-tree", "HEAD"], cwd=FOLDER)
    world.write(f"{FOLDER}/notes.local.md", f"call {boss} on Thursday, budget {rng.randint(10, 99)} k\n")

    private = [n for n in nodes if n != "amended" and new[n] != old[n]]
    watched = [f"{FOLDER}/{path}" for path in (*work, "notes.local.md")]
    return {
        "branches": {f"refs/heads/{name}": new[node] for name, node in heads.items()},
        "tags": {f"refs/tags/{name}": oid for name, oid in new_tags.items()},
        "remotes": {f"refs/remotes/origin/{name}": old[node] for name, node in remotes.items()},
        "commits": {old[n]: new[n] for n in private}, "rotate": ["MAIL_KEY"] if pushed else [],
        "bad_blobs": bad, "keys": [first, second] + [base64.b64encode(k.encode()).decode()[:24] for k in (first, second)],
        "kept": {path: world.digest(path) for path in watched},
    }
