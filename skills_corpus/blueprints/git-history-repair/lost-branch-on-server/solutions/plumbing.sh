#> The ticket first, whatever lies beside it, and the refs as the server has them now. I keep the list of refs: it is what I compare with in the end.
cat /workspace/ticket.md
ls /workspace
if [ -f /workspace/ci-builds.log ]; then cat /workspace/ci-builds.log; fi
export GIT_DIR=/srv/git/billing.git
git for-each-ref | tee /tmp/refs.before
#> The object store has every commit, whether or not a ref leads there. Print those that no ref reaches with their parents, dates and subjects, so that I see which ones hang together, and the decisions on main, in case a setting is disputed.
git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)' | sed -n 's/ commit$//p' | sort > /tmp/all
git rev-list --all | sort | comm -23 /tmp/all - > /tmp/unreached
git log --no-walk=sorted --date=iso --format='%h, parent %p, %an, authored %ad, committed %cd: %s' --stdin < /tmp/unreached
for record in $(git ls-tree --name-only main docs/decisions/); do echo "== $record"; git show "main:$record"; done
#> Does the branch live on? If so, try in memory how each lost commit with the subject in the ticket would join it, and read what collides. Nothing is moved by that.
branch=$(grep -oE -m 1 'feature/[a-z-]+' /workspace/ticket.md | head -n 1)
subject=$(sed -n 's/^Last commit .* on the branch: "\(.*\)"$/\1/p' /workspace/ticket.md)
if git rev-parse -q --verify "refs/heads/$branch"; then
  for id in $(cat /tmp/unreached); do
    case $(git log -1 --format=%s "$id") in "$subject"*)
      echo "== joining $id"
      git merge-tree --write-tree --name-only "$branch" "$id" > /tmp/joined || sed 1d /tmp/joined
      tree=$(head -n 1 /tmp/joined)
      for file in $(sed -n '2,/^$/p' /tmp/joined); do git show "$tree:$file"; done ;;
    esac
  done
else
  echo "$branch is gone"
fi
#> Now the work, in Python from the raw objects: what is lost, which lost commits have no child, which is the tip that the ticket and any build log mean. A branch that lives on gets a merge made in memory, by the decision in force; nothing is checked out.
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
#> Look at the report, at which refs differ from before, and at the graph: the lost line has to hang on the branch again, and no other ref may have moved.
cat /workspace/recovery.json; echo
git for-each-ref | diff /tmp/refs.before - || true
git log --oneline --graph --all -n 25
