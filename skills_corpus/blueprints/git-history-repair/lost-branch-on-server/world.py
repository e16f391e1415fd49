"""A bare repository that lost the commits of one branch, among other lost commits that nobody wants back."""

import hashlib
import zlib

REPO = "/srv/git/billing.git"
TOPICS = {
    "dunning": ("grace_days", "days", "the first reminder", "docs: explain the dunning steps"),
    "late-fees": ("free_cents", "cents", "a fee is charged", "docs: say when a late fee is charged"),
    "sepa-export": ("batch_limit", "payments", "a file is split", "docs: describe the export file"),
}
PEOPLE = ["Lea Brandt", "Ben Okafor", "Mira Soto", "Jonas Vik", "Priya Nair", "Tomás Reyes"]


class Store:
    """Git objects made in memory, written loose, so that every byte is decided here."""

    def __init__(self, world):
        self.world = world
        self.seen = set()

    def put(self, kind, data):
        raw = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(raw).hexdigest()
        if oid not in self.seen:
            self.seen.add(oid)
            self.world.write(f"{REPO}/objects/{oid[:2]}/{oid[2:]}", zlib.compress(raw), mode=0o444)
        return oid

    def tree(self, files):
        here, below = [], {}
        for path, text in files.items():
            head, _, rest = path.partition("/")
            if rest:
                below.setdefault(head, {})[rest] = text
            else:
                here.append((head, "100644", self.put("blob", text.encode())))
        here += [(name, "40000", self.tree(inner)) for name, inner in below.items()]
        here.sort(key=lambda e: e[0] + ("/" if e[1] == "40000" else ""))
        return self.put("tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for name, mode, oid in here))

    def commit(self, files, parents, who, when, subject, committed=None, committer=None):
        def person(name, moment):
            return f"{name} <{name.split()[0].lower()}@billing.example> {moment} +0100"

        lines = [f"tree {self.tree(files)}"] + [f"parent {p}" for p in parents]
        lines += [f"author {person(who, when)}", f"committer {person(committer or who, committed or when)}"]
        return self.put("commit", ("\n".join(lines) + f"\n\n{subject}\n").encode())


def record(number, title, status, body, supersedes=""):
    extra = f"Supersedes: {supersedes}\n" if supersedes else ""
    return f"# {number} {title}\n\nStatus: {status}\n{extra}\n{body}\n"


def build(world):
    rng, store = world.rng, Store(world)
    topic = rng.choice(sorted(TOPICS))
    key, unit, event, last_subject = TOPICS[topic]
    module = topic.replace("-", "_")
    branch = f"feature/{topic}"
    owner, other, third, fourth = rng.sample(PEOPLE, 4)
    clock = 1772440000 + rng.randrange(0, 400000)

    def tick(low=1200, high=14000):
        nonlocal clock
        clock += rng.randint(low, high)
        return clock

    values = rng.sample(range(5, 60), 4)
    first_value, decided, proposed, original = values

    def config(value, currency="EUR", tail=""):
        return (f"# settings of {topic}\n{key} = {value}\n\n[mail]\nsender = \"billing@billing.example\"\nretries = 3\n\n"
                f"[money]\ncurrency = \"{currency}\"\nprecision = 2\n\n[log]\nlevel = \"info\"\n{tail}")

    # The published line: main, a release branch and a tag.
    files = {
        "README.md": f"# billing\n\nInvoices, reminders and exports. Build {rng.randint(100, 999)}.\n",
        "billing/__init__.py": f'VERSION = "2.{rng.randint(1, 9)}.0"\n',
        f"config/{topic}.toml": config(original),
    }
    main = [store.commit(files, [], third, tick(), "Start of the billing service")]
    states = [dict(files)]

    def advance(changes, who, subject):
        files.update(changes)
        main.append(store.commit(files, [main[-1]], who, tick(), subject))
        states.append(dict(files))

    decision = f"docs/decisions/%s-{module}-{key.replace('_', '-')}.md"
    title = f"How many {unit} before {event}"
    advance({"billing/invoice.py": f"RATE = {rng.randint(3, 25)}\n\n\ndef total(lines):\n    return sum(lines)\n"}, fourth, "Add invoices")
    advance({decision % "0004": record("0004", title, "accepted", f"We use `{key} = {first_value}`.")}, third, f"Decide {key}")
    advance({"billing/mail.py": f"PORT = {rng.choice([25, 465, 587])}\n"}, other, "Send mails")
    old_base = len(main) - 1
    advance({"tests/test_invoice.py": "from billing.invoice import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"}, owner, "Test totals")
    base = len(main) - 1

    # The line that was lost, twice: as it was before a rebase, and as it was when it got lost.
    steps = [
        (f"Add {topic}", {f"billing/{module}.py": f"def {module}(amount):\n    return amount * {rng.randint(2, 9)}\n"}),
        (f"{topic}: read the settings", {f"billing/{module}_settings.py": f"KEY = \"{key}\"\n"}),
        (f"{topic}: round at the end", {f"billing/{module}.py": f"def {module}(amount):\n    return round(amount * {rng.randint(11, 99)}, 2)\n"}),
        (f"{topic}: tests", {f"tests/test_{module}.py": f"def test_{module}():\n    assert {rng.randint(2, 9)} > 1\n"}),
    ]
    side_decided = rng.random() < 0.5  # does the lost side carry the value that was decided?
    lost_value = decided if side_decided else first_value
    published_value = proposed if side_decided else decided
    steps.insert(rng.randint(2, 3), (f"{topic}: set {key}", {f"config/{topic}.toml": config(lost_value, tail="file = \"billing.log\"\n")}))
    steps.append((f"{last_subject} [skip ci]", {f"docs/{topic}.md": f"# {topic}\n\nSee `config/{topic}.toml`, step {rng.randint(1, 9)}.\n"}))
    authored = [tick() for _ in steps]

    def line(start, delay, spoil):
        tip, state, ids = main[start], dict(states[start]), []
        for (subject, changes), when in zip(steps, authored):
            state.update({p: (t + spoil if p.endswith(".py") else t) for p, t in changes.items()})
            tip = store.commit(state, [tip], owner, when, subject, committed=when + delay)
            ids.append(tip)
        return ids, state

    distractors = world.knob("distractors")
    superseded, _ = line(old_base, 60, "\n# TODO: check the sign\n") if distractors else ([], {})
    rebase_delay = authored[-1] - authored[0] + 30000
    lost, lost_state = line(base, rebase_delay, "")
    clock = authored[-1] + rebase_delay
    built = lost[-2 if world.level == "medium" else -3:][0] if distractors else ""

    left = []
    if distractors:
        fork = lost[-3] if world.level == "hard" else lost[1]
        spike = store.commit({**lost_state, "billing/batch.py": f"SIZE = {rng.randint(100, 900)}\n"}, [fork], other,
                             tick(), f"Try {topic} in batches")
        spike = store.commit({**lost_state, "billing/batch.py": f"SIZE = {rng.randint(1000, 9000)}\n"}, [spike], other,
                             tick(), "Batches: larger")
        left = [superseded[-1], spike]
    else:
        fork = ""
        left = [store.commit({**states[2], "billing/debug.py": f"LEVEL = {rng.randint(1, 9)}\n"}, [main[2]], fourth, tick(),
                             f"WIP on main: {main[2][:7]} debug output")]
    scratch = ""
    if world.knob("covered"):  # a leftover on top of the lost tip: git fsck names only this one
        scratch = store.commit({**lost_state, f"billing/{module}.py": "print('here')\n"}, [lost[-1]], fourth, tick(), "wip: print everything")
        left.append(scratch)

    # Work that went on after the accident.
    published = []
    refs = {}
    expected = dict(lost_state)
    if world.knob("branch_lives_on"):
        extra = {f"billing/{module}_report.py": f"COLUMNS = {rng.randint(3, 12)}\n"}
        state = {**states[base], **extra}
        published.append(store.commit(state, [main[base]], other, tick(), f"{topic}: report"))
        state[f"config/{topic}.toml"] = config(published_value, currency="CHF")
        published.append(store.commit(state, [published[0]], other, tick(), f"{topic}: settings for Switzerland"))
        refs[f"refs/heads/{branch}"] = published[-1]
        expected.update(extra)
        expected[f"config/{topic}.toml"] = config(decided, currency="CHF", tail="file = \"billing.log\"\n")
    advance({decision % "0007": record("0007", title, "accepted", f"Customers asked for it: we use `{key} = {decided}`.", "0004")},
            third, f"Decide {key} again")
    advance({"billing/invoice.py": f"RATE = {rng.randint(30, 90)}\n\n\ndef total(lines):\n    return sum(lines)\n"}, fourth, "New rate")
    advance({decision % "0009": record("0009", title, "proposed", f"Support would like `{key} = {proposed}`.", "0007")},
            other, f"Propose another {key}")
    refs["refs/heads/main"] = main[-1]
    refs["refs/heads/release/2.3"] = main[old_base]
    refs["refs/tags/v2.3.0"] = main[old_base]

    for name, oid in refs.items():
        world.write(f"{REPO}/{name}", oid + "\n")
    world.write(f"{REPO}/HEAD", "ref: refs/heads/main\n")
    world.write(f"{REPO}/config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[receive]\n\tdenyNonFastForwards = false\n")
    world.write(f"{REPO}/description", "billing service\n")

    if distractors:
        builds = [(superseded[i], branch) for i in (1, 3)] + [(main[base], "main")]
        builds += [(oid, branch) for oid in lost[:lost.index(built) + 1]]
        builds += [(spike, "spike/batches")] + ([(scratch, f"{fourth.split()[1].lower()}/scratch")] if scratch else [])
        builds += [(oid, branch) for oid in published] + [(main[-2], "main"), (main[-1], "main")]
        number, text = rng.randint(1200, 4000), ""
        for oid, name in builds:
            number += rng.randint(1, 3)
            text += f"build={number} branch={name} commit={oid[:9]} result={'failed' if rng.random() < 0.2 else 'passed'}\n"
        world.write("/workspace/ci-builds.log", text)

    first = owner.split()[0]
    if world.knob("branch_lives_on"):
        story = (f"{other} pushed `{branch}` with force from an old clone. The two commits replaced everything {first} had there.\n"
                 f"QA and the Zurich office have fetched the new version since, so those two commits have to stay where they are.\n"
                 f"We want both in `{branch}`. Where the two disagree about a setting, what was decided counts (`docs/decisions/` on main).\n")
    else:
        story = f"`{branch}` was deleted on the server by the nightly clean-up of merged branches. It was not merged.\nWe want `{branch}` back as it was.\n"
    world.write("/workspace/ticket.md", (
        f"# BILL-{rng.randint(300, 900)}: {branch} lost\n\n{story}\n{first}'s laptop was wiped on Friday, nobody else has a copy.\n\n"
        f"Last commit of {first} on the branch: \"{last_subject}\"\n"
        + ("The build server's log of the last weeks is in `ci-builds.log`. It does not build commits marked [skip ci].\n" if distractors else "")
    ))

    blobs = {path: hashlib.sha1(f"blob {len(t.encode())}\0".encode() + t.encode()).hexdigest() for path, t in expected.items()}
    return {
        "branch": f"refs/heads/{branch}", "lost_tip": lost[-1], "recovered": lost, "left_alone": sorted(left),
        "exact": not world.knob("branch_lives_on"), "published": published + [main[-1], main[old_base]],
        "other_refs": {name: oid for name, oid in refs.items() if name != f"refs/heads/{branch}"}, "files": blobs,
    }
