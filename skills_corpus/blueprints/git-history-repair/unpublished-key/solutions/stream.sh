#> Rules first, then the refs and the commits that nobody else has. The refs go into a file to compare with afterwards.
cd /workspace/portal
cat SECURITY.md
git status --short --branch
git show-ref | tee /tmp/refs.before
git log --graph --oneline --branches --tags --not --remotes
#> Where do live keys occur, in private commits and in those that were pushed, as plain text and as base64? Show the lines of the files, and commit messages that name one.
live='pk_live_|cGtfbGl2ZV'
for range in '--branches --tags --not --remotes' '--remotes'; do
  echo "== $range"
  git log -p -m --format= $range | grep -E "^[+-].*($live)" | sort | uniq -c
  git log --format='%h %s' $range -E --grep="$live"
done
ls .git .git/logs
#> Names and values are clear now. Export branches and tags as one stream, replace the exact bytes with a small parser that keeps the lengths right, and import it again. A key that was pushed is burnt and stays, its variable goes into the report.
cat > /tmp/scrub.py <<'PY'
import base64, json, re, subprocess, sys

def git(*args, **more):
    return subprocess.run(["git", *args], capture_output=True, check=True, **more).stdout

LIVE = re.compile(rb"pk_live_[A-Za-z0-9]+")
pushed = git("rev-list", "--objects", "--remotes").split(b"\n")
contents = {o: git("cat-file", "-p", o.split()[0].decode()) for o in pushed if o}
burnt = {key for data in contents.values() for key in LIVE.findall(data)}
rotate = {n.decode() for data in contents.values() for n in re.findall(rb"^(\w+)=pk_live_", data, re.M)}
stream = git("fast-export", "--branches", "--tags", "--signed-tags=strip", "--tag-of-filtered-object=rewrite", "--export-marks=/tmp/marks.old")
swap = {}
for key in set(LIVE.findall(stream)) - burnt:
    swap[key] = b"REDACTED"
    swap[base64.b64encode(key)] = base64.b64encode(b"REDACTED")
out, at = [], 0
while at < len(stream):
    end = stream.index(b"\n", at) + 1
    line = stream[at:end]
    at = end
    if line.startswith(b"data "):
        size = int(line[5:])
        data = stream[at:at + size]
        at += size
        for old, new in swap.items():
            data = data.replace(old, new)
        out.append(b"data %d\n%s" % (len(data), data))
    else:
        out.append(line)
git("fast-import", "--quiet", "--force", "--export-marks=/tmp/marks.new", input=b"".join(out))
marks = [dict(line.split() for line in open(name)) for name in ("/tmp/marks.old", "/tmp/marks.new")]
kinds = git("cat-file", "--batch-check", input="\n".join(marks[0].values()).encode()).decode().splitlines()
commits = {line.split()[0] for line in kinds if line.split()[1] == "commit"}
moved = {old: marks[1][mark] for mark, old in marks[0].items() if old in commits and marks[1][mark] != old}
json.dump({"commits": moved, "rotate": sorted(rotate)}, open("/workspace/report.json", "w"), indent=1)
PY
python3 /tmp/scrub.py
cat /workspace/report.json; echo
#> The branches and tags lead to the new commits now, so nothing may keep the old ones: drop logs and loose ends, repack, and see which refs have moved.
rm -rf .git/logs .git/ORIG_HEAD .git/FETCH_HEAD
git repack -a -d -q && git prune --expire=now
rm -f .git/objects/info/commit-graph
git show-ref | diff /tmp/refs.before - || true
git status --short
#> Now search all that git keeps: every object that is left, packed or loose, and the plain files in .git. A key that is still found may only be one that was pushed. The rewritten commits should show people, dates and merges as before.
echo "in objects:"; git cat-file --batch-all-objects --batch | grep -aoE "($live)[A-Za-z0-9+/=]*" | sort | uniq -c
echo "in what was pushed:"; git log -p -m --format=%B --remotes | grep -oE "($live)[A-Za-z0-9+/=]*" | sort -u
grep -rlaE "$live" .git || echo "no plain file in .git has one"
git fsck --no-progress
git log --graph --format='%h %an %ad %cn %cd %s' --branches --tags --not --remotes
