"""Generations of a backup program, some broken, with a tree that changes in ways that reward a careful restore."""

import gzip
import hashlib
import io
import json
import tarfile

HOME = "/srv/backup/atlas"
README = """\
# atlas, backup sets

One generation is two files: `gen-N.tar.gz` and its record `gen-N.json`.

- `kind`: `full` or `incremental`; an incremental generation holds what changed since `parent`.
- `started`, `finished`: UTC. The record is written at the start with all that is planned, and completed at the end: then `finished` and
  `archive_sha256` are filled in.
- `archive_sha256`: SHA-256 of the finished `gen-N.tar.gz`.
- `files`: what the archive holds, with SHA-256 and size of each file as it was read from the share. In an incremental generation these are the
  files that are new or changed.
- `deleted`: what was removed from the share since the parent. A name with a slash at the end is a folder that was removed with all that was in it,
  also when a folder of that name has been made anew since; what is in the new one is in `files`.

When the program finds that the generation before did not end well it builds on an earlier one. It does not always find out.
"""
WORDS = "beam column slab footing girder lintel parapet rafter purlin gutter stair ramp lift shaft duct cable pump valve meter survey".split()


def sha(data):
    return hashlib.sha256(data).hexdigest()


def pack(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(files[name]), 1767225600, 0o644
            tar.addfile(info, io.BytesIO(files[name]))
    return gzip.compress(buffer.getvalue(), mtime=0)


class Share:
    """The live tree, and what happens to it between two generations."""

    def __init__(self, rng, collides):
        self.rng, self.collides, self.tree, self.day = rng, collides, {}, 0
        for folder in ("plans", "offers", "drafts", "log", "log-archive", "photos"):
            for word in rng.sample(WORDS, 3):
                self.put(f"{folder}/{word}.txt")
        for name in ("logs.txt", "Readme.md", "plans/v1..v2.diff", "offers/..old/terms.txt"):
            self.put(name)

    def put(self, name):
        rng = self.rng
        self.tree[name] = f"{name} day {self.day}\n{' '.join(rng.choice(WORDS) for _ in range(rng.randint(5, 60)))}\n{rng.getrandbits(64):x}\n".encode()

    def change(self, step):
        """One period of work. `step` counts from the latest full backup, so that each chain sees the same kinds of change."""
        rng, self.day = self.rng, self.day + 1
        removed = []
        for name in rng.sample(sorted(n for n in self.tree if n.startswith(("plans/", "photos/")) and n.lower() != "plans/index.txt"), 2):
            self.put(name)
        self.put(f"offers/{rng.choice(WORDS)}-{self.day}.txt")
        self.put(f"plans/{rng.choice(WORDS)}-{self.day}.txt")
        if step == 1:  # a folder goes and comes back with other content; its neighbours have names that begin alike
            removed += ["drafts/", "log/"]
            for name in [n for n in self.tree if n.startswith(("drafts/", "log/"))]:
                del self.tree[name]
            self.put(f"drafts/{rng.choice(WORDS)}-new.txt")
        if step == 1 and self.collides:
            self.put("offers/Summary.txt")  # beside summary.txt from here on
            self.put("plans/Index.txt")
            removed.append("Readme.md")  # renamed, so nothing collides
            del self.tree["Readme.md"]
            self.put("README.md")
        if step == 2:
            self.put("plans/index.txt")  # the older spelling is changed last
            gone = rng.choice(sorted(n for n in self.tree if n.startswith("photos/")))
            removed.append(gone)
            del self.tree[gone]
        return removed

    def full(self):
        """A fresh start of the chain: folders that a later period removes, and the lower-case names."""
        for name in [f"log/{w}.txt" for w in self.rng.sample(WORDS, 2)] + ["photos/site-1.txt", "photos/site-2.txt", "offers/summary.txt", "plans/index.txt", "Readme.md"]:
            self.put(name)
        for name in ("offers/Summary.txt", "plans/Index.txt", "README.md"):
            self.tree.pop(name, None)


def build(world):
    rng = world.rng
    plan, hostile = world.knob("plan"), world.knob("hostile")
    share = Share(rng, world.knob("collides"))
    first = rng.randint(5, 8)  # the chain crosses from 9 to 10
    states, own, origin, numbers = [], [], [], [first + i for i in range(len(plan))]
    evil = ["../../../etc/cron.d/refresh", "/root/.ssh/authorized_keys", "plans/../../../opt/start.sh"]
    rng.shuffle(evil)
    refused_of, log = {}, []
    since_full, removals = 0, {}
    for index, (kind, parent, wrong) in enumerate(plan):
        if kind == "full":
            since_full = 0
            share.full()
            removed = []
        else:
            since_full += 1
            removed = share.change(since_full)
        removals[index] = removed
        state = dict(share.tree)
        base = states[parent] if kind == "inc" else {}
        files = {n: d for n, d in state.items() if kind == "full" or base.get(n) != d}
        made_anew = [folder for folder in removed if folder.endswith("/")]
        deleted = sorted({n for n in base if n not in state and not n.startswith(tuple(made_anew) or "\0")} | set(made_anew))
        if kind == "inc" and parent != index - 1:  # folders removed meanwhile, as the program sees them
            for lost in range(parent + 1, index):
                deleted = sorted(set(deleted) | {n for n in removals[lost] if n.endswith("/")})
                files.update({n: d for n, d in state.items() if n.startswith(tuple(x for x in removals[lost] if x.endswith("/")) or "\0")})
        evil_here = []
        if hostile and kind == "full" and wrong == "ok":
            evil_here = [evil[0]]
        if hostile and kind == "inc" and since_full == 1:
            evil_here = [evil[1], evil[2]]
        packed = dict(files)
        for name in evil_here:
            packed[name] = f"* * * * * root /opt/start.sh {rng.getrandbits(32):x}\n".encode()
        refused_of[index] = evil_here
        recorded = {name: {"sha256": sha(data), "size": len(data)} for name, data in sorted(packed.items())}
        victim = rng.choice(sorted(n for n in files if n.startswith("plans/")))
        spoiled = dict(packed)
        spoiled[victim] = packed[victim][:-9] + b"#" * 8 + b"\n"
        archive = pack(packed)
        record = {"generation": numbers[index], "kind": "full" if kind == "full" else "incremental", "parent": numbers[parent] if kind == "inc" else None,
                  "started": f"2026-04-{index + 3:02d}T01:30:00Z", "finished": f"2026-04-{index + 3:02d}T01:{rng.randint(33, 58)}:{rng.randint(10, 59)}Z",
                  "archive_sha256": sha(archive), "files": recorded, "deleted": deleted}
        if wrong == "checksum":
            archive = pack(spoiled)
        elif wrong == "content":
            archive = pack(spoiled)
            record["archive_sha256"] = sha(archive)
        elif wrong == "incomplete":
            some = sorted(packed)[: max(2, len(packed) * 2 // 3)]
            archive = pack({name: packed[name] for name in some})
            record["finished"] = record["archive_sha256"] = None
        world.write(f"{HOME}/gen-{numbers[index]}.tar.gz", archive)
        world.write(f"{HOME}/gen-{numbers[index]}.json", json.dumps(record, indent=1) + "\n")
        log.append(f"{record['started']} atlas generation {numbers[index]} {record['kind']}: {len(packed)} files queued")
        if wrong != "incomplete":
            log.append(f"{record['finished']} atlas generation {numbers[index]}: done, exit 0")
        states.append(state)
        own.append(wrong)
        stamps = dict(origin[parent]) if kind == "inc" else {}
        stamps.update({name: index for name in files})
        origin.append({name: stamps[name] for name in state})
    world.write(f"{HOME}/README.md", README)
    world.write(f"{HOME}/backup.log", "\n".join(log) + "\n")

    reasons = {}
    for index, (kind, parent, wrong) in enumerate(plan):
        if wrong != "ok":
            reasons[index] = wrong
        elif kind == "inc" and parent in reasons:
            reasons[index] = "parent"
    chosen = max(index for index in range(len(plan)) if index not in reasons)
    chain = [chosen]
    while plan[chain[0]][0] == "inc":
        chain.insert(0, plan[chain[0]][1])
    kept, dropped = {}, []
    for name in sorted(states[chosen], key=lambda n: origin[chosen][n]):  # of two spellings the later generation stays
        twin = next((k for k in kept if k.lower() == name.lower()), None)
        if twin is not None:
            dropped.append(twin)
            del kept[twin]
        kept[name] = states[chosen][name]
    return {
        "generation": numbers[chosen], "chain": [numbers[i] for i in chain],
        "unusable": {str(numbers[i]): reason for i, reason in reasons.items()},
        "refused": sorted(name for i in chain for name in refused_of[i]), "case_dropped": sorted(dropped),
        "files": {name: sha(data) for name, data in kept.items()}, "bytes": sum(len(data) for data in kept.values()),
        "backup": {path.name: world.digest(f"{HOME}/{path.name}") for path in sorted(world.path(HOME).iterdir())},
    }
