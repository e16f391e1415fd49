#> The runbook comes first, with the values that it names and the reports of incidents, if there are such files; then whatever stands there already under the script's name.
cd /workspace
cat RUNBOOK.md
for f in deploy.conf incidents/*.md bin/deploy.sh; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> What will it be given? The samples: what gzip says of each, what is in them, and one release's check. And is there a Python here with what I would need?
for a in sample/*.tar.gz; do echo "== $a"; gzip -t "$a" 2>&1; tar -tvzf "$a" 2>&1; done
for f in $(tar -tzf "$(ls sample/*.tar.gz | head -n 1)" | grep '^bin/.'); do echo "-- $f"; tar -xOzf "$(ls sample/*.tar.gz | head -n 1)" "$f"; done
python3 -c 'import fcntl, sys, tarfile; print(sys.version.split()[0])'
#> Make the script: a Python program inside bash that opens the archive itself and locks with fcntl. Its values are read from the papers by pattern, as only this file is deployed; agreed actions, if there are reports, override the runbook.
cat > /tmp/make.py <<'MAKE'
import glob, os, re
book = open("/workspace/RUNBOOK.md").read()
if os.path.exists("/workspace/deploy.conf"):
    v = dict(re.findall(r"^(\w+)=(.*)$", open("/workspace/deploy.conf").read(), re.M))
else:
    codes = re.findall(r"exit code `(\d+)`", book)
    v = dict(zip(["E_USAGE", "E_BUSY", "E_EXISTS", "E_BROKEN", "E_CHECK"], codes))
    v["RELEASES"], v["LIVE"], v["HISTORY"] = re.findall(r"`ROOT/([^/`.][^/`]*)(?:/ID)?`", book)
    v["CHECK"] = re.search(r"own `([^`]+)`", book)[1]
    v["KEEP"] = re.search(r"the `(\d+)` that", book)[1]
reports = "\n".join(open(p).read() for p in sorted(glob.glob("/workspace/incidents/*.md")))
found = re.search(r"agreed: a release that fails its check .*? ends with (\d+)", reports)
if found:
    v["E_CHECK"] = found[1]
v["SPARE"] = "1" if "live before the run is never removed" in reports else ""
body = r'''
import fcntl, gzip, io, os, shutil, signal, subprocess, sys, tarfile, tempfile
V = @V@
def stop(name, why):
    print("deploy:", why, file=sys.stderr)
    sys.exit(int(V[name]))
signal.signal(signal.SIGTERM, lambda *a: sys.exit(143))
signal.signal(signal.SIGINT, lambda *a: sys.exit(130))
args = sys.argv[1:]
if len(args) != 2 or not args[0].endswith(".tar.gz") or not os.path.isfile(args[0]) or not os.path.isdir(args[1]):
    stop("E_USAGE", "ID.tar.gz and ROOT are wanted")
archive, root = args
ident = os.path.basename(archive)[:-7]
lock = open(os.path.join(root, ".lock"), "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    stop("E_BUSY", "somebody else is at work")
diary = os.path.join(root, V["HISTORY"])
past = open(diary, newline="\n").read().split("\n")[:-1] if os.path.exists(diary) else []
if ident in past:
    stop("E_EXISTS", "deployed before")
stage = tempfile.mkdtemp(prefix=".new-", dir=root)
try:
    new = os.path.join(stage, "release")
    os.mkdir(new)
    try:
        raw = gzip.decompress(open(archive, "rb").read())
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            for member in tar:
                if member.name.startswith("/") or ".." in member.name.split("/"):
                    raise ValueError(member.name)
                tar.extract(member, new)
    except Exception as error:
        stop("E_BROKEN", f"damaged: {error}")
    probe = os.path.join(new, V["CHECK"])
    if not os.access(probe, os.X_OK) or subprocess.run([os.path.abspath(probe)], cwd=new, stdout=2, env={**os.environ, "RELEASE": ident}).returncode:
        stop("E_CHECK", "the check says no")
    os.chmod(new, 0o755)
    live = os.path.join(root, V["LIVE"])
    before = os.path.basename(os.readlink(live)) if os.path.islink(live) else None
    place = os.path.join(root, V["RELEASES"])
    os.makedirs(place, exist_ok=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    shutil.rmtree(os.path.join(place, ident), ignore_errors=True)
    os.rename(new, os.path.join(place, ident))
    os.symlink(os.path.join(V["RELEASES"], ident), os.path.join(stage, "link"))
    os.replace(os.path.join(stage, "link"), live)
    with open(diary, "a", newline="\n") as file:
        file.write(ident + "\n")
    order = list(dict.fromkeys(reversed(past + [ident])))
    for old in order[int(V["KEEP"]):]:
        if old and not (V["SPARE"] and old == before):
            shutil.rmtree(os.path.join(place, old), ignore_errors=True)
finally:
    shutil.rmtree(stage, ignore_errors=True)
print("deployed", ident)
'''
os.makedirs("/workspace/bin", exist_ok=True)
open("/workspace/bin/deploy.sh", "w").write("#!/bin/bash\nexec python3 -I -c \"$(cat <<'PY'" + body.replace("@V@", repr(v)) + "PY\n)\" \"$@\"\n")
MAKE
python3 /tmp/make.py
bash -n bin/deploy.sh && grep '^V = ' bin/deploy.sh
#> A try with the samples in a scratch root: the exit codes, and what is left behind. Then the first one again, which the history names now, and calls that are no calls.
mkdir -p /tmp/try/root && for a in sample/*.tar.gz; do bash bin/deploy.sh "$a" /tmp/try/root; echo "code $?"; done
one=$(ls sample/*.tar.gz | head -n 1); bash bin/deploy.sh "$one" /tmp/try/root; echo "code $?"
bash bin/deploy.sh "$one"; echo "code $?"; bash bin/deploy.sh RUNBOOK.md /tmp/try/root; echo "code $?"; bash bin/deploy.sh "$one" /tmp/try/nowhere; echo "code $?"
find /tmp/try -printf '%M %P %l\n' | sort -k 2
#> Now the odd cases, from another folder and with relative paths: ids with blanks, brackets, a dash in front and no letters, a root of that kind, and the lock in another run's hands. The link must lead to the last one, and only as many folders as the runbook keeps may be left.
cd /tmp/try && mkdir -p -- '-my [root]' && for id in 'a b  c' '[x]*' '-rf' '$(id) `id` \n "q"' "it's 50%"; do
  cp "/workspace/$one" "./$id.tar.gz"; bash /workspace/bin/deploy.sh "./$id.tar.gz" './-my [root]'; echo "code $?"
done
cp "/workspace/$one" late.tar.gz; flock './-my [root]/.lock' bash /workspace/bin/deploy.sh late.tar.gz './-my [root]'; echo "code $?"
find './-my [root]' -maxdepth 2 -printf '%P %l\n' | sort; cat -n "./-my [root]/$(sed -n "s/^V = .*'HISTORY': '\([^']*\)'.*/\1/p" /workspace/bin/deploy.sh)"
#> Last, TERM while a release's check is at work: a sample whose check waits, ended in the middle. Afterwards the root has to list exactly as before, with no process of it left and nothing new in /tmp.
mkdir rel && tar -xzf "/workspace/$one" -C rel && check=$(cd rel && find bin -type f) && printf '#!/bin/sh\nexec sleep 20\n' > "rel/$check" && tar -czf slow.tar.gz -C rel .
find './-my [root]' -printf '%p %l\n' | sort > before; ls -A /tmp > tmp-before
bash /workspace/bin/deploy.sh slow.tar.gz './-my [root]' & pid=$!
sleep 2; kill -TERM $pid; wait $pid; echo "code $?"
find './-my [root]' -printf '%p %l\n' | sort | diff before - && ls -A /tmp | diff tmp-before - && echo "as before"
pgrep -fa 'sleep 20' || echo "nothing runs on"; cd /workspace
