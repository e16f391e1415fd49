#> First the request, then every layer that systemd would read for this unit: package, site role, our own folder, and what lies beside them.
cat /workspace/*.md /workspace/*.txt 2>/dev/null
for d in /usr/lib/systemd/system/ledger-sync.service /usr/lib/systemd/system/ledger-sync.service.d /usr/local/lib/systemd/system/ledger-sync.service.d /etc/systemd/system/ledger-sync.service.d /etc/default/ledger-sync; do
  for f in $(find "$d" -type f | sort); do echo "--- $f"; cat "$f"; done
done
#> I write a small merger with systemd's rules: same name in a higher folder hides the lower one, then sorted by name over all folders, lists add up and an empty value clears them, environment files beat Environment=. It prints each value with the file that decided it.
cat > /tmp/merge.py <<'PY'
import glob, json, os, shlex, sys
def layers():
    chosen = {}
    for top in ("etc", "usr/local/lib", "usr/lib"):
        for path in glob.glob(f"/{top}/systemd/system/ledger-sync.service.d/*.conf"):
            chosen.setdefault(os.path.basename(path), path)
    return ["/usr/lib/systemd/system/ledger-sync.service"] + [chosen[n] for n in sorted(chosen)]
def merge(skip=()):
    state = {"ExecStart": [], "ExecStartPre": [], "Environment": [], "EnvironmentFile": []}
    for path in layers():
        if path in skip: continue
        for line in open(path).read().replace("\\\n", " ").splitlines():
            if line[:1] in "#;[" or "=" not in line: continue
            key, value = (part.strip() for part in line.split("=", 1))
            if key in ("ExecStart", "ExecStartPre", "Environment", "EnvironmentFile"):
                state[key] = state[key] + [(value, path)] if value else []
            else:
                state[key] = (value, path)
    env = {}
    for value, path in state["Environment"]:
        for item in shlex.split(value):
            env[item.split("=", 1)[0]] = (item.split("=", 1)[1], path)
    for value, _ in state["EnvironmentFile"]:
        for line in open(value.lstrip("-")):
            if "=" in line and line[0] != "#":
                env[line.split("=", 1)[0]] = (line.strip().split("=", 1)[1].strip('"'), value.lstrip("-"))
    state["env"] = env
    return state
if __name__ == "__main__":
    json.dump(merge(sys.argv[1:]), sys.stdout, indent=1)
PY
python3 /tmp/merge.py | tee /tmp/before.json
#> What was in force, with its file, goes on record before I touch anything.
jq '{MemoryMax, TasksMax, LEDGER_BATCH: .env.LEDGER_BATCH} | map_values({value: .[0], file: .[1]})' /tmp/before.json | tee /workspace/before.json
#> An earlier attempt (70-chg4711.conf), if there is one, goes. Then the drop-in is made from the effective command and steps, under a name that sorts behind all that are read; LEDGER_BATCH goes where it has the last word. If the board amended the number of workers, its number is the approved one.
rm -f /etc/systemd/system/ledger-sync.service.d/70-chg4711.conf
cat > /tmp/change.py <<'PY'
import re, sys
sys.path.insert(0, "/tmp")
from merge import merge
state = merge()
ticket = open("/workspace/CHG-4711.md").read()
want = dict(re.findall(r"^\| (?:variable )?`([^`]+)` \| (.+?) \|$", ticket, re.M))
board = re.search(r"change board: approved.*`--workers` (\d+)", ticket)
workers = board.group(1) if board else want["--workers"]
memory = int(state["MemoryMax"][0].rstrip("M"))
memory = 2 * memory if want["MemoryMax"].startswith("twice") else int(want["MemoryMax"].rstrip("M"))
batch = int(state["env"]["LEDGER_BATCH"][0])
batch = batch // 2 if want["LEDGER_BATCH"].startswith("half") else int(want["LEDGER_BATCH"])
start = re.sub(r"--workers \S+", f"--workers {workers}", " ".join(state["ExecStart"][-1][0].split()))
pre = [value for value, _ in state["ExecStartPre"] if " warm-cache" not in value]
lines = ["# CHG-4711: more workers, memory and smaller batches; no cache warming", "[Service]", "ExecStart=", "ExecStart=" + start,
         "ExecStartPre=", *("ExecStartPre=" + p for p in pre), f"MemoryMax={memory}M"]
source = state["env"]["LEDGER_BATCH"][1]
if source.startswith("/etc/default"):  # the file beats Environment=, so the value is changed where it wins
    text = open(source).read()
    open(source, "w").write(re.sub(r"(?m)^LEDGER_BATCH=.*$", f"LEDGER_BATCH={batch}", text))
else:
    lines.append(f"Environment=LEDGER_BATCH={batch}")
open("/tmp/dropin.conf", "w").write("\n".join(lines) + "\n")
PY
python3 /tmp/change.py
cat /tmp/dropin.conf > /etc/systemd/system/ledger-sync.service.d/90-chg4711.conf
#> Merge once more and compare with the state before: only the four wanted settings may differ.
cat /etc/systemd/system/ledger-sync.service.d/90-chg4711.conf
python3 /tmp/merge.py > /tmp/after.json
diff <(jq -S . /tmp/before.json) <(jq -S . /tmp/after.json) || true
