"""A runbook for putting releases live; hidden archives and folders, whole and damaged, decide whether the script keeps to it."""

import gzip
import io
import tarfile


def pack(members):
    """Return a .tar.gz of name to text; scripts become executable."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, text in members.items():
            data = text.encode()
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), 0o755 if text.startswith("#!") else 0o644, 1767225600
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), mtime=0)


def build(world):
    rng = world.rng
    folder = rng.choice(["releases", "versions", "builds"])
    live = rng.choice(["current", "live", "active"])
    history = rng.choice(["history", "deployed.txt", "HISTORY"])
    hook = rng.choice(["bin/check", "bin/selftest", "ops/smoke"])
    keep = rng.choice([2, 3, 4])
    usage, busy, broken, refused, exists, other = rng.sample([2, 3, 4, 5, 11, 12, 20, 21, 64, 65, 75, 90], 6)
    odd, dark = world.knob("odd_moments"), world.knob("incidents")
    final_refused = other if dark else refused
    product = rng.choice(["shop", "portal", "intranet"])
    hour = rng.randint(10, 19)

    def text():
        return f"{product} {rng.randint(10000, 99999)}\n"

    ok = "#!/bin/sh\n[ -s app.txt ] || exit 9\nif [ -n \"$PROBE\" ]; then readlink \"$PROBE/web root/%s\" > \"$PROBE/seen\"; printf '%%s' \"$RELEASE\" > \"$PROBE/release\"; fi\nexit 0\n" % live
    wait = ("#!/bin/sh\n: > \"$PROBE/started\"\nn=0\nwhile [ ! -e \"$PROBE/go\" ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.02; done\nexit 0\n")

    def release(check=ok):
        return {"app.txt": text(), "static/menu 1.txt": text(), **({hook: check} if check else {})}

    cases = []

    def case(name, kind, new_id, code, releases=(), record=None, now=None, members=None, data=None, setup="", args=None, strangers=(), signal=False, live_before=None, folder_made=True):
        """Plan one run: `releases` lie on disk in this order of deployment, `record` is the history if it differs."""
        root = "web root"
        files, links = {}, {}
        record = list(releases) if record is None else record
        for one in (*releases, *strangers):
            files[f"{root}/{folder}/{one}/app.txt"] = text()
        if record:
            files[f"{root}/{history}"] = "".join(f"{one}\n" for one in record)
        if folder_made and not releases and not strangers:
            setup = f"mkdir -p '{root}'\n" + setup
        now = now or (record[-1] if record else None)
        if now:
            setup += f"\nln -s \"{folder}/{now}\" '{root}/{live}'"
            links[f"{root}/{live}"] = f"{folder}/{now}"
        archive = f"in box/{new_id}.tar.gz"
        members = members or release()
        blob = f"case-{len(cases):02d}.tar.gz"
        world.hide(blob, data if data is not None else pack(members))
        after, history_after = dict(files), list(record)
        if code == 0:
            links[f"{root}/{live}"] = f"{folder}/{new_id}"
            after = {p: c for p, c in after.items() if not p.startswith(f"{root}/{folder}/{new_id}/")}
            after.update({f"{root}/{folder}/{new_id}/{n}": c for n, c in members.items()})
            history_after.append(new_id)
            order = []
            for one in reversed(history_after):
                if one not in order:
                    order.append(one)
            for gone in order[keep:]:
                if not (dark and gone == now):
                    after = {p: c for p, c in after.items() if not p.startswith(f"{root}/{folder}/{gone}/")}
            after[f"{root}/{history}"] = "".join(f"{one}\n" for one in history_after)
        cases.append({"name": name, "kind": kind, "id": new_id, "code": code, "args": args or [archive, root], "archive": archive, "blob": blob, "setup": setup,
                      "files": files, "after": after, "links": links, "signal": signal,
                      "seen": (f"{folder}/{now}\n" if now else "") if kind == "switch" else None})

    def version(n, extra=""):
        return f"{product}-1.{n}{extra}"

    damaged = bytearray(pack(release()))
    damaged[-6] ^= 0x55
    whole = pack(release())
    case("first release", "switch", version(1), 0)
    case("next release", "switch", version(2), 0, releases=[version(1)])
    case("same release again", "refusal", version(1), exists, releases=[version(0), version(1)], now=version(1))
    case("check says no", "check", version(3), final_refused, releases=[version(2)], members=release("#!/bin/sh\necho not ready\nexit 1\n"))
    case("no check in it", "check", version(3), final_refused, releases=[version(2)], members=release(None))
    case("cut off", "damage", version(4), broken, releases=[version(3)], data=whole[:len(whole) // 2])
    older = [version(n) for n in (8, 9, 10, 11, 12)]
    case("old ones go", "retention", version(13), 0, releases=older)
    case("back and forth", "retention", version(14), 0, releases=[version(n) for n in (6, 7, 9, 10, 11)], record=[version(n) for n in (6, 9, 10, 7, 11, 6)],
         strangers=["shared", f"{product}-1.2 test"])
    case("one argument", "refusal", version(5), usage, releases=[version(4)], args=[f"in box/{version(5)}.tar.gz"])
    case("no such root", "refusal", version(5), usage, releases=[version(4)], args=[f"in box/{version(5)}.tar.gz", "web"])
    if odd:
        case("checksum wrong", "damage", version(4), broken, releases=[version(3)], data=bytes(damaged))
        case("odd name", "switch", f"{product} 2026-03-0{rng.randint(1, 9)}T{hour}:30 (a&b) [1] $x", 0, releases=[f"{product} 1", version(1)])
        stars = [f"{product} {n}" for n in (1, 12, 13)]
        case("stars in names", "retention", f"{product} *", 0, releases=[f"{product} 1*", *stars], record=[f"{product} 1*", *stars])
        case("somebody else is at it", "lock", version(7), busy, releases=[version(6)], setup="exec 7>>'web root/.lock'; flock 7")
        case("lock file of a dead run", "lock", version(7), 0, releases=[version(6)], setup="echo 4711 > 'web root/.lock'")
    else:
        case("somebody else is at it", "lock", version(7), busy, releases=[version(6)], setup="exec 7>>'web root/.lock'; flock 7")
    if dark:
        case("ended while checking", "check", version(8), 143, releases=[version(7)], members=release(wait), signal=True)
        case("half a release lies there", "switch", version(9), 0, releases=[version(7), version(8)], strangers=[version(9)])
        many = [version(n) for n in range(20, 26)]
        case("went back by hand", "retention", version(30), 0, releases=many, now=version(20))

    values = {"RELEASES": folder, "LIVE": live, "HISTORY": history, "CHECK": hook, "KEEP": keep, "E_USAGE": usage, "E_BUSY": busy,
              "E_BROKEN": broken, "E_CHECK": refused, "E_EXISTS": exists}
    inline = world.level == "easy"

    def name(key):
        return f"`{values[key]}`" if inline else f"`${key}`"

    runbook = f"""# Putting a release live

`bash deploy.sh ARCHIVE ROOT`, by an ordinary user. ARCHIVE is a file `ID.tar.gz`; what lies in it is the release, without a folder around it.
Paths may be relative or absolute, names and ids may hold whatever a file name can hold, apart from newlines.
{"" if inline else chr(10) + "Names and numbers with a dollar are in `deploy.conf` and go into the script as they are there." + chr(10)}
1. If there are not two arguments, ARCHIVE is no file called `*.tar.gz`, or ROOT is no folder: exit code {name("E_USAGE")}, nothing touched.
2. One run at a time: an exclusive `flock` on `ROOT/.lock` (the file may stay). If somebody else has it: exit code {name("E_BUSY")} at once, nothing touched.
3. An id that the history names already is not deployed again: exit code {name("E_EXISTS")}, nothing touched.
4. If gzip or tar finds any fault in ARCHIVE: exit code {name("E_BROKEN")}.
5. Before anything goes live, the release's own {name("CHECK")} is run with the unpacked release as working folder and its id in the environment variable `RELEASE`.
   If it fails, is missing or cannot be executed: exit code {name("E_CHECK")}.
6. Whatever goes wrong, ROOT is afterwards as it was before. Nothing half done, no temporary files, here or elsewhere.
7. The release lies in `ROOT/{values["RELEASES"] if inline else "$RELEASES"}/ID`, that folder with mode 755 because the web server is another user.
   `ROOT/{values["LIVE"] if inline else "$LIVE"}` is a symbolic link to it, relative: `{values["RELEASES"] if inline else "$RELEASES"}/ID`. There is no moment without it.
8. The id is added as the last line of `ROOT/{values["HISTORY"] if inline else "$HISTORY"}`.
9. Of the releases that the history names, the {name("KEEP")} that went live last stay, the new one included; the folders of the others are removed.
   An id that is there more than once counts by its last line. Folders that the history does not name are not ours and stay.
10. The last line of standard output is `deployed ID`, the exit code 0.
"""
    world.write("/workspace/RUNBOOK.md", runbook)
    if not inline:
        world.write("/workspace/deploy.conf", "# names and numbers of the runbook\n" + "".join(f"{k}={v}\n" for k, v in values.items()))
        world.write("/workspace/attic/RUNBOOK-2022.md", (
            "# Putting a release live (2022)\n\nUnpack into `ROOT/www.new`, move it over `ROOT/www`. A file `ROOT/deploy.pid` says that a run is at work.\n"
            "Exit code 1 for every failure. The ten newest folders stay.\n"))
    if dark:
        world.write("/workspace/incidents/2026-01-monitoring.md", (
            "# Pager silent\n\nThe pager takes the exit code of a failed check for a network fault.\n\n"
            f"- Action, agreed: a release that fails its check (point 5) ends with {other}; `deploy.conf` follows when the pager is replaced.\n"
            f"- Action, dropped: the same code for damaged archives.\n"))
        world.write("/workspace/incidents/2026-02-power.md", (
            "# Power cut during a deployment\n\nThe folder of the new release was half full, the next try died over it.\n\n"
            "- Action, agreed: a folder of the id that is to be deployed, but that the history does not name, is the rest of a dead run: it is replaced.\n"
            "- Action, dropped: remove every folder that the history does not name.\n"))
        world.write("/workspace/incidents/2026-02-terminated.md", (
            "# Live after all\n\nThe scheduler ended a run with TERM while the check was at work. The folder stayed, and minutes later the release was live.\n\n"
            "- Action, agreed: after TERM or INT point 6 holds, nothing goes live any more, and the exit code is 143 or 130.\n"))
        world.write("/workspace/incidents/2026-03-rollback.md", (
            f"# Nothing to go back to\n\nAfter a rollback by hand (`{live}` moved, the history not) the next deployment removed the very release that had been live.\n\n"
            "- Action, agreed: the release that was live before the run is never removed by it, even if it is one more than point 9 allows.\n"
            "- Action, dropped: rollbacks write the history.\n"))
        world.write("/workspace/bin/deploy.sh", (
            "#!/bin/bash\n# prototype, never finished\n. ./deploy.conf\nid=$(basename $1 .tar.gz)\nmkdir -p $2/$RELEASES/$id\n"
            "gzip -dc $1 | tar x -C $2/$RELEASES/$id\ncd $2\nln -sf $RELEASES/$id $LIVE\necho $id >> $HISTORY\n"
            "ls $RELEASES | head -n -$KEEP | xargs -I{} rm -rf $RELEASES/{}\necho deployed $id\n"), mode=0o755)
    world.write(f"/workspace/sample/{version(40)}.tar.gz", pack(release()))
    world.write(f"/workspace/sample/{version(41)}.tar.gz", pack(release())[:200])
    world.write(f"/workspace/sample/{version(42)}.tar.gz", pack(release("#!/bin/sh\nexit 1\n")))
    return {"cases": cases, "release_dir": folder, "runbook": world.digest("/workspace/RUNBOOK.md")}
