#> Read the script and what it should do: its header, or papers if there are any. Then what the sample holds.
cd /workspace
ls -l bin; cat bin/archive-inbox.sh
for f in docs/*.md; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
ls -lAbR sample
#> How bad is it as it is? Run a copy of the old script on a few of the names that it may meet, before a line of it is changed. It may well complain, that is what I want to see.
cp bin/archive-inbox.sh /tmp/old.sh; mkdir -p /tmp/bad/in && cd /tmp/bad
python3 - <<'PY'
for name in (b"two words", b"*", b"50%s", b"new\nline", b".hidden", b" lead", b"trail ", b"back\\slash", b"\xff\xfe", b"'q\""):
    open(b"in/" + name, "wb").write(name)
PY
bash /tmp/old.sh in out 2>&1 | tail -n 12; ls -lAb in out
cd /workspace
#> Its promises are easier to keep in Python: bash stays the entrance and holds the settings, the work is done by a program inside it. If there are accepted decisions, they go before the old settings.
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
bash -n bin/archive-inbox.sh && head -n 9 bin/archive-inbox.sh; grep -n 'print(f' bin/archive-inbox.sh; ls -l bin
#> Try it on a copy of the sample: what moved, what stayed, the last line and the exit code.
cp -r sample /tmp/sample && bash bin/archive-inbox.sh /tmp/sample/inbox /tmp/sample/archive; echo "code $?"; find /tmp/sample
#> Now the names that the old script was tried on, with a link, a folder, an unfinished upload and a dash in front, and with one name taken by a file and one by a folder, relative paths, and once more afterwards. Every record is printed with its name as Python spells it and whether the sum is right.
. <(grep -E "^(PART|LEDGER|MARK)=" bin/archive-inbox.sh)
mkdir -p /tmp/good/in /tmp/good/out/folder && cd /tmp/good && python3 - "$PART" <<'PY'
import os, sys
for name in (b"two words", b"*", b"50%s", b"new\nline", b".hidden", b" lead", b"trail ", b"back\\slash", b"\xff\xfe", b"'q\"", b"-rf", b"end\n", b"folder", b"half" + os.fsencode(sys.argv[1])):
    open(b"in/" + name, "wb").write(name)
PY
ln -s /etc/passwd in/link; mkdir in/sub; echo other > 'out/two words'
cat > /tmp/ledger.py <<'PY'
import hashlib, sys
for record in open(sys.argv[1], "rb").read().split(b"\0")[:-1]:
    print(record[:8].decode(), record[65:], hashlib.sha256(open(b"out/" + record[65:], "rb").read()).hexdigest().encode() == record[:64])
PY
bash /workspace/bin/archive-inbox.sh in out; echo "code $?"
bash /workspace/bin/archive-inbox.sh in out; echo "code $?"
ls -Ab in out; python3 /tmp/ledger.py "out/$LEDGER"; cat 'out/two words'
#> The bad moments: no arguments; no inbox, and then no archive may appear; a file that cannot be moved, since its name is taken and as long as a name can be; and if decisions speak of files that come again or of a lock, those. At last the script's mode and what lies beside it.
bash /workspace/bin/archive-inbox.sh; echo "code $?"; bash /workspace/bin/archive-inbox.sh nowhere new; echo "code $?"; ls
long=$(printf 'x%.0s' $(seq 255)); echo a > "in/$long"; echo b > "out/$long"; echo c > in/zzz
bash /workspace/bin/archive-inbox.sh in out 2>&1 | cut -c 1-60; echo "code ${PIPESTATUS[0]}"; ls in | cut -c 1-20; cat "out/$long"; rm "in/$long"
if grep -q "^BUSY='[0-9]" /workspace/bin/archive-inbox.sh; then
  printf other > in/again; bash /workspace/bin/archive-inbox.sh in out; printf other > in/again; bash /workspace/bin/archive-inbox.sh in out; python3 /tmp/ledger.py "out/$LEDGER" | grep again
  touch in/later; flock out/.lock bash /workspace/bin/archive-inbox.sh in out; echo "code $?"; ls in
fi
cd /workspace; ls -l bin; ls -A
