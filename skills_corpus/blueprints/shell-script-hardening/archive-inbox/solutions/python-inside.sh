#> Read the script and what it should do. Its promises are easier to keep in Python: bash stays the entrance and holds the settings, the work is done by a program inside it. If there are accepted decisions, they go before the old settings.
cd /workspace
cat bin/archive-inbox.sh
cat docs/*.md 2>/dev/null
cat > /tmp/make.py <<'MAKE'
import os, re
path = "/workspace/bin/archive-inbox.sh"
old = open(path).read()
get = {k: v.strip("'") for k, v in re.findall(r"^([A-Z]+)=(\S+)$", old, re.M) if k in ("PART", "LEDGER", "MARK", "FAIL", "USAGE")}
words = re.findall(r"(\w+)=\$", old.split('echo "')[-1])
get["BUSY"] = ""
decisions = "/workspace/docs/decisions.md"
if os.path.exists(decisions):
    for part in open(decisions).read().split("\n## ")[1:]:
        if ", accepted" in part.split("\n")[0]:
            flat = " ".join(part.split())
            for code in re.findall(r"exit code is (\d+)", flat):
                get["FAIL"] = code
            for code in re.findall(r"at once with (\d+)", flat):
                get["BUSY"] = code
body = r'''
import errno, fcntl, hashlib, os, stat, sys

part, ledger, mark, fail, usage, busy = sys.argv[1:7]
args = [os.fsencode(a) for a in sys.argv[7:]]
if len(args) != 2 or not os.path.isdir(args[0]):
    print("archive-inbox: INBOX and ARCHIVE are wanted", file=sys.stderr)
    sys.exit(int(usage))
inbox, archive = args
part, ledger, mark = (os.fsencode(x) for x in (part, ledger, mark))
os.makedirs(archive, exist_ok=True)
if busy:
    lock = os.open(os.path.join(archive, b".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print("archive-inbox: another run is at work", file=sys.stderr)
        sys.exit(int(busy))
done = waiting = failed = 0
for entry in sorted(os.scandir(inbox), key=lambda e: e.name):
    if not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
        continue
    if entry.name.endswith(part):
        waiting += 1
        continue
    try:
        with open(entry.path, "rb") as file:
            data = file.read()
        there = os.path.join(archive, entry.name)
        if busy and os.path.isfile(there) and not os.path.islink(there) and open(there, "rb").read() == data:
            os.unlink(entry.path)
            done += 1
            continue
        name, n = entry.name, 2
        while os.path.lexists(os.path.join(archive, name)):
            name, n = entry.name + mark + b"%d" % n, n + 1
        os.link(entry.path, os.path.join(archive, name), follow_symlinks=False)
        with open(os.path.join(archive, ledger), "ab") as file:
            file.write(hashlib.sha256(data).hexdigest().encode() + b" " + name + b"\0")
        os.unlink(entry.path)
        done += 1
    except OSError as error:
        failed += 1
        sys.stderr.buffer.write(b"archive-inbox: " + entry.name + b": " + str(error.strerror).encode() + b"\n")
print(f"WORD0={done} WORD1={waiting} WORD2={failed}")
sys.exit(int(fail) if failed else 0)
'''
for i, word in enumerate(words):
    body = body.replace(f"WORD{i}", word)
settings = "".join(f"{k}='{v}'\n" for k, v in get.items())
open(path, "w").write("#!/bin/bash\n# Moves finished uploads from INBOX to ARCHIVE.\n" + settings
    + 'exec python3 -I -c "$(cat <<\'PY\'' + body + 'PY\n)" "$PART" "$LEDGER" "$MARK" "$FAIL" "$USAGE" "$BUSY" "$@"\n')
MAKE
python3 /tmp/make.py
#> Try it on a copy.
cp -r sample /tmp/sample && bash bin/archive-inbox.sh /tmp/sample/inbox /tmp/sample/archive; find /tmp/sample
