#> Read the ticket and work from the raw object list in Python: parents of every commit, which are reachable, which lost ones have no child. The lost line goes onto the branch, by a merge in memory if others have commits there; nothing is checked out anywhere.
cat /workspace/ticket.md
cat > /tmp/recover.py <<'PY'
import json, os, re, subprocess

REPO = "/srv/git/billing.git"
stamp = "1774000000 +0100"
env = {**os.environ, "GIT_DIR": REPO, **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "ops"), ("EMAIL", "ops@billing.example"), ("DATE", stamp))}}


def git(*args, stdin=None, ok=(0,)):
    done = subprocess.run(["git", *args], input=stdin, capture_output=True, env=env)
    assert done.returncode in ok, (args, done.stderr)
    return done.stdout


parents, subjects, built = {}, {}, []
listing = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").decode().split("\n")
for oid in (line.split()[0] for line in listing if line.endswith(" commit")):
    head, _, message = git("cat-file", "commit", oid).decode().partition("\n\n")
    parents[oid] = re.findall(r"^parent (\w+)", head, re.M)
    subjects[oid] = message.split("\n")[0]
refs = dict(reversed(line.split()) for line in git("for-each-ref", "--format=%(objectname) %(refname)").decode().splitlines())


def closure(starts):
    seen, todo = set(), list(starts)
    while todo:
        oid = todo.pop()
        if oid not in seen:
            seen.add(oid)
            todo += parents[oid]
    return seen


reachable = closure(refs.values())
lost = set(parents) - reachable
tips = lost - {p for oid in lost for p in parents[oid]}
ticket = open("/workspace/ticket.md").read()
branch = re.search(r"feature/[a-z-]+", ticket)[0]
wanted = re.search(r'on the branch: "(.+)"', ticket)[1]
options = [oid for oid in lost if subjects[oid].startswith(wanted)]
if os.path.exists("/workspace/ci-builds.log"):
    for name, short in re.findall(r"branch=(\S+) commit=(\w+)", open("/workspace/ci-builds.log").read()):
        built += [oid for oid in lost if name == branch and oid.startswith(short)]
    options = [oid for oid in options if built[-1] in closure([oid])]
(tip,) = options
chain, oid = [], tip
while oid in lost:
    chain.insert(0, oid)
    (oid,) = parents[oid]
ref = f"refs/heads/{branch}"
if ref not in refs:
    git("update-ref", ref, tip, "0" * 40)
else:
    # In-memory merge: the conflicted file comes back in three stages, its text is put right and the tree rewritten.
    out = git("merge-tree", "--write-tree", refs[ref], tip, ok=(1,)).decode().split("\n")
    path = next(line.split("\t")[1] for line in out if "\t" in line)
    text = git("cat-file", "blob", f"{out[0]}:{path}").decode()
    records = {}
    for name in git("ls-tree", "--name-only", "main", "docs/decisions/").decode().split():
        records[os.path.basename(name)[:4]] = git("cat-file", "blob", f"main:{name}").decode()
    accepted = {n: t for n, t in records.items() if "Status: accepted" in t}
    superseded = {m for t in accepted.values() for m in re.findall(r"Supersedes: (\d+)", t)}
    (force,) = [t for n, t in accepted.items() if n not in superseded]
    key, value = re.search(r"`(\w+) = (\d+)`", force).groups()
    text = re.sub(r"<{7} .*?>{7} [^\n]*\n", f"{key} = {value}\n", text, flags=re.S)
    blob = git("hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()
    env["GIT_INDEX_FILE"] = "/tmp/join.index"
    git("read-tree", out[0])
    git("update-index", "--cacheinfo", f"100644,{blob},{path}")
    tree = git("write-tree").decode().strip()
    joined = git("commit-tree", tree, "-p", refs[ref], "-p", tip, "-m", f"Join {branch} with what was lost").decode().strip()
    git("update-ref", ref, joined, refs[ref])
json.dump({"lost_tip": tip, "recovered": chain, "left_alone": sorted(tips - {tip})}, open("/workspace/recovery.json", "w"), indent=1)
PY
python3 /tmp/recover.py
#> Look at the report, and at the graph of all refs: the lost line has to hang on the branch again.
cat /workspace/recovery.json
git --git-dir=/srv/git/billing.git log --oneline --graph --all -n 25
