#> First see what there is, how the program writes it, and from each record what it builds on, whether it finished and what it deletes. Numbers and dates alone prove nothing, so what can be restored gets verified afterwards.
cd /srv/backup/atlas
cat README.md
ls -lv
for f in $(ls -v gen-*.json); do jq -c '{generation, kind, parent, finished, files: (.files | length), deleted}' "$f"; done
#> Verify every generation: finished, archive sum, then each member against the record, and only when it is fine itself the generations it builds on, by the parent in each record. Nothing is unpacked to disk for that.
cat > /tmp/verify.py <<'PY'
import glob, hashlib, json, tarfile
home = "/srv/backup/atlas/"
records = {r["generation"]: r for r in (json.load(open(p)) for p in glob.glob(home + "gen-*.json"))}
def members(number):
    with tarfile.open(f"{home}gen-{number}.tar.gz") as tar:
        return {m.name: tar.extractfile(m).read() for m in tar if m.isreg()}
def own_fault(number):
    record = records[number]
    if record["finished"] is None:
        return "incomplete"
    if hashlib.sha256(open(f"{home}gen-{number}.tar.gz", "rb").read()).hexdigest() != record["archive_sha256"]:
        return "checksum"
    inside = {name: hashlib.sha256(data).hexdigest() for name, data in members(number).items()}
    if inside != {name: entry["sha256"] for name, entry in record["files"].items()}:
        return "content"
    return None
def chain_of(number):
    chain = [number]
    while records[chain[0]]["parent"] is not None:
        chain.insert(0, records[chain[0]]["parent"])
    return chain
faults = {}
for number in sorted(records):
    fault = own_fault(number)
    if fault is None and any(link in faults for link in chain_of(number)):
        fault = "parent"
    if fault:
        faults[number] = fault
newest = max(number for number in records if number not in faults)
PY
cd /tmp && python3 -c 'from verify import *; print(faults, newest, chain_of(newest))'
#> Rebuild the newest sound one in memory: per generation deletions first, then files; names that lead outside are refused; of two spellings of a name the later generation stays.
cat > /tmp/restore.py <<'PY'
import gzip, io, json, tarfile
from pathlib import PurePosixPath
from verify import chain_of, faults, members, newest, records
tree, refused = {}, []
for number in chain_of(newest):
    for gone in records[number]["deleted"]:
        for name in [n for n in tree if n == gone or (gone.endswith("/") and n.startswith(gone))]:
            del tree[name]
    for name, data in members(number).items():
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            refused.append(name)
            continue
        tree[name] = (number, data)
groups = {}
for name in tree:
    groups.setdefault(name.lower(), []).append(name)
dropped = []
for names in groups.values():
    dropped += sorted(names, key=lambda n: tree[n][0])[:-1]
for name in dropped:
    del tree[name]
with gzip.GzipFile("/workspace/restored.tar.gz", "wb", mtime=0) as out, tarfile.open(fileobj=out, mode="w") as tar:
    for name in sorted(tree):
        info = tarfile.TarInfo(name)
        info.size = len(tree[name][1])
        tar.addfile(info, io.BytesIO(tree[name][1]))
json.dump({"generation": newest, "chain": chain_of(newest), "unusable": {str(k): v for k, v in faults.items()}, "refused": sorted(refused),
           "case_dropped": sorted(dropped), "files": len(tree), "bytes": sum(len(d) for _, d in tree.values())}, open("/workspace/restore.json", "w"), indent=1)
PY
python3 /tmp/restore.py
#> Look at the result as somebody who unpacks it: names, nothing outside, no two names alike, and the report.
tar -tzf /workspace/restored.tar.gz | sort
tar -tzf /workspace/restored.tar.gz | tr 'A-Z' 'a-z' | sort | uniq -d
cat /workspace/restore.json
