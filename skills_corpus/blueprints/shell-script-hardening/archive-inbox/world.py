"""A script that archives customers' uploads and breaks on their names; the cases that decide are hidden."""

import hashlib

PLAIN = ["Flyer final v2.pdf", "-rf.pdf", "menu [draft].pdf", "menu d.pdf", "*.pdf", "what?.txt", "$(touch pwned).txt", "`id`.txt",
         "it's \"ready\".pdf", ".logo.svg", "a;b&c|d.pdf", "~root", "#1 order.pdf", "50%s off %d.pdf", "Größe – neu.pdf", "--help", "{a,b}.txt"]
NASTY = ["line\nbreak.pdf", "ends with newline\n", "  two blanks.pdf", "blank at end ", "back\\slash.pdf", "tab\there.txt", "\\n.txt", "\n", "..."]


def build(world):
    rng = world.rng
    part = rng.choice([".part", ".filepart", ".uploading", ".crdownload"])
    ledger = rng.choice(["ledger.list0", "records.z", "index.bin", "journal.nul"])
    mark = rng.choice(["~", "__", ".v", "#"])
    done, waits, bad = rng.choice([("archived", "waiting", "failed"), ("moved", "open", "errors"), ("stored", "pending", "broken")])
    fail, usage, busy = rng.sample([3, 4, 5, 10, 20, 64, 75, 99], 3)
    old_fail = fail
    hard, nasty = world.knob("decisions"), world.knob("nasty_names")
    if hard:
        old_fail, fail = fail, rng.choice([c for c in (6, 7, 8, 9, 30) if c != fail])

    def text(n=40):
        return "".join(rng.choice("abcdefghij klmnop\n") for _ in range(rng.randint(1, n)))

    def sha(content):
        return hashlib.sha256(content.encode()).hexdigest()

    cases = []

    def case(name, kind, uploads, stored=None, records=(), inbox="customer uploads", archive="Archive 2026", setup="", links=(), unread=(),
             free=None, known=(), extra=None):
        """Plan one run of the script and work out what the contract promises for it."""
        files = {f"{inbox}/{n}": c for n, c in uploads.items()}
        files.update({f"{archive}/{n}": c for n, c in (stored or {}).items()})
        files.update(extra or {})
        before = "".join(f"{s} {n}\0" for s, n in records)
        if records:
            files[f"{archive}/{ledger}"] = before
        tree = {p: c for p, c in files.items() if p.startswith(archive + "/") and p != f"{archive}/{ledger}"}
        tree.update(extra or {})
        new, waiting, failed, moved = [], 0, 0, 0
        for n, c in uploads.items():
            if "/" in n:
                pass
            elif n.endswith(part):
                waiting += 1
            elif n in unread:
                failed += 1
            elif n in known:
                moved += 1
                continue
            else:
                target = (free or {}).get(n, n)
                tree[f"{archive}/{target}"] = c
                new.append([sha(c), target])
                moved += 1
                continue
            tree[f"{inbox}/{n}"] = c
        cases.append({"name": name, "kind": kind, "args": [inbox, archive], "setup": setup, "files": files, "tree": tree, "links": sorted(links),
                      "old_records": [list(r) for r in records], "new_records": new, "ledger": f"{archive}/{ledger}",
                      "code": fail if failed else 0, "summary": f"{done}={moved} {waits}={waiting} {bad}={failed}", "named": list(unread)})

    def refused(name, args, code, files, setup=""):
        cases.append({"name": name, "kind": "refusal", "args": args, "setup": setup, "files": files, "tree": files, "links": [], "old_records": [],
                      "new_records": [], "ledger": "", "code": code, "summary": "", "named": []})

    waiting_names = {f"big order{part}": text(), f"-x{part}": text(), part: text()}
    case("plain", "plain", {n: text() for n in ("a.pdf", "b.txt", f"c.pdf{part}")}, stored={"old.pdf": text()}, records=[(sha("x"), "old.pdf")],
         inbox="inbox", archive="archive")
    case("hostile names", "names", {**{n: text() for n in PLAIN}, **waiting_names, f"half{part}.pdf": text()})
    case("records are kept", "names", {"x y.pdf": text(), "-n": text()}, records=[(sha("q"), "two words"), (sha("r"), "-e")], inbox="in *", archive="out [old] $HOME")
    case("empty inbox", "names", {}, setup="mkdir -p inbox archive", inbox="inbox", archive="archive")
    taken = {"flyer.pdf": text(), "my menu.pdf": text(), f"my menu.pdf{mark}2": text(), ".x": text()}
    case("taken names", "collision", {"flyer.pdf": text() + "n", "my menu.pdf": text() + "n", ".x": text() + "n", "free.pdf": text()}, stored=taken,
         free={"flyer.pdf": f"flyer.pdf{mark}2", "my menu.pdf": f"my menu.pdf{mark}3", ".x": f".x{mark}2"})
    same = text()
    if hard:
        case("same again", "collision", {"logo two.svg": same, "logo.svg": same + "!"}, stored={"logo two.svg": same, "logo.svg": same}, known=["logo two.svg"],
             free={"logo.svg": f"logo.svg{mark}2"})
    else:
        case("same again", "collision", {"logo two.svg": same}, stored={"logo two.svg": same}, free={"logo two.svg": f"logo two.svg{mark}2"})
    case("unreadable", "failure", {"a 1.pdf": text(), "b locked.pdf": text(), "c 3.pdf": text(), f"d{part}": text()},
         setup='chmod 000 "customer uploads/b locked.pdf"', unread=["b locked.pdf"])
    if nasty:
        case("control characters and blanks", "names", {**{n: text() for n in NASTY}, f"new\nline{part}": text(), "\n" + part: text()})
        case("links and folders", "names", {"real file.pdf": text(), "folder/inside.pdf": text(), f"folder/x{part}": text()},
             setup="ln -s ../secret.txt 'customer uploads/link.pdf'; ln -s nowhere 'customer uploads/broken link'; mkdir 'customer uploads/empty folder'",
             links=["customer uploads/link.pdf", "customer uploads/broken link"], extra={"secret.txt": "secret\n"})
        case("taken by a link", "collision", {"poster.pdf": text()}, setup="ln -s nowhere 'Archive 2026/poster.pdf'", stored={"z": text()},
             links=["Archive 2026/poster.pdf"], free={"poster.pdf": f"poster.pdf{mark}2"})
        case("taken by a folder", "collision", {"poster.pdf": text()}, stored={"poster.pdf/inside": text()}, free={"poster.pdf": f"poster.pdf{mark}2"})
    here = {"keep me.txt": text(), "other.pdf": text()}
    refused("no such inbox", ["missing", "archive"], usage, dict(here))
    refused("one argument", ["in box"], usage, {"in box/a.pdf": text(), **here})
    refused("inbox is a file", ["keep me.txt", "archive"], usage, dict(here))
    if hard:
        refused("already running", ["inbox", "archive"], busy, {"inbox/a b.pdf": text(), "archive/z": text()}, setup="exec 7>>archive/.lock; flock 7")
        case("lock left by a dead run", "failure", {"a b.pdf": text(), "b locked.pdf": text()}, stored={"z": text()},
             setup="chmod 000 'customer uploads/b locked.pdf'; echo 4711 > 'Archive 2026/.lock'", unread=["b locked.pdf"])

    contract = [
        "archive-inbox.sh INBOX ARCHIVE",
        "",
        "Moves every finished upload from the folder INBOX to the folder ARCHIVE (made if it is not there).",
        "",
        "- Uploads are the regular files directly in INBOX, whatever their names, hidden ones too. Folders and symbolic",
        "  links stay where they are, whatever they lead to.",
        f"- Files whose names end in {part} are still being written: they stay and count as {waits}.",
        "- A file keeps its name. If that name is taken in ARCHIVE, be it by a file, a folder or a link, nothing is",
        f"  overwritten or entered: the file becomes NAME{mark}2, or NAME{mark}3 and so on, the first that is free.",
        f"- For each archived file a record is added to the end of ARCHIVE/{ledger}: its sha256 in hex, one space, its",
        "  name in ARCHIVE, one NUL byte. Records that are there stay.",
        "- A file that cannot be read or moved stays, its name is told on standard error, and the others are still done.",
        f"- The last line of standard output is: {done}=N {waits}=N {bad}=N",
        f"- Exit code 0 if nothing failed, {old_fail} if a file failed, {usage} if there are not two arguments or INBOX is no folder;",
        "  in that case nothing at all is touched.",
        "- Nothing else appears anywhere: no temporary files.",
    ]
    settings = f"PART='{part}'\nLEDGER='{ledger}'\nMARK='{mark}'\nFAIL={old_fail}\nUSAGE={usage}\n"
    header = {
        "easy": "".join(f"# {line}".rstrip() + "\n" for line in contract),
        "medium": "# Archives uploads. See docs/archive-inbox.md.\n",
        "hard": "# Archives uploads. Hidden files are skipped, a file that is there already is replaced.\n",
    }[world.level]
    world.write("/workspace/bin/archive-inbox.sh", "#!/bin/bash\n" + header + "\n" + settings + {
        "easy": LS_LOOP, "medium": READ_LOOP, "hard": IFS_LOOP}[world.level].replace("DONE", done).replace("WAITS", waits).replace("BAD", bad), mode=0o755)
    if world.level != "easy":
        world.write("/workspace/docs/archive-inbox.md", "# The archive of uploads\n\n    " + "\n".join(contract) + "\n")
        world.write("/workspace/docs/attic/archive-inbox-2019.md", (
            "# The archive of uploads (2019, replaced)\n\n    archive-inbox.sh INBOX ARCHIVE\n\n- Hidden files are skipped. Blanks in names become underscores.\n"
            f"- One line a file in ARCHIVE/archive.log. Exit code 1 if a file failed, 2 if INBOX is missing.\n- Unfinished uploads end in {part}~.\n"))
    if hard:
        world.write("/workspace/docs/decisions.md", (
            "# Decisions about the archive\n\nEach one changes `archive-inbox.md`, which is only rewritten once a year.\n\n"
            f"## 7, accepted\n\nThe monitoring takes {old_fail} for a crash. If a file failed the exit code is {fail - 1}.\n\n"
            f"## 8, rejected\n\nBlanks in names become underscores.\n\n"
            f"## 9, accepted\n\nReplaces 7: the exit code is {fail}, {fail - 1} belongs to the mail job.\n\n"
            "## 10, accepted\n\nSome customers send everything every night. A file that is in ARCHIVE under the same name with the same content\n"
            f"is removed from INBOX, gets no record and no second copy, and counts as {done}.\n\n"
            "## 11, proposed\n\nHidden files stay in INBOX.\n\n"
            f"## 12, accepted\n\nTwo runs at once have mixed up records. A run takes an exclusive flock on ARCHIVE/.lock (the file may stay) before it\n"
            f"looks into INBOX. If another run has it, it ends at once with {busy}, prints no counts, and touches nothing. A .lock that a dead run left behind does not matter.\n"))
    for n in ("order 17.pdf", "menu.pdf", f"big one{part}"):
        world.write(f"/workspace/sample/inbox/{n}", text())
    world.write("/workspace/sample/archive/menu.pdf", text())
    world.publish("ticket", rng.randint(200, 990))
    return {"cases": cases}


LS_LOOP = r'''
INBOX=$1
mkdir -p $2
ARCHIVE=$(cd $2; pwd)
n=0
waiting=0
failed=0
cd $INBOX
for f in $(ls); do
    case $f in
        *$PART) waiting=$((waiting+1)); continue;;
    esac
    [ -f $f ] || continue
    sum=$(sha256sum $f | cut -d' ' -f1)
    mv $f $ARCHIVE/
    printf "$sum $f\0" >> $ARCHIVE/$LEDGER
    n=$((n+1))
done
echo "DONE=$n WAITS=$waiting BAD=$failed"
'''
READ_LOOP = r'''
set -e
INBOX=$1
ARCHIVE=$2
n=0
waiting=0
failed=0
mkdir -p $ARCHIVE
find $INBOX -maxdepth 1 -type f | sort | while read f; do
    name=$(basename $f)
    if [[ $name == *$PART ]]; then
        waiting=$((waiting+1))
        continue
    fi
    sum=$(sha256sum $f | cut -d' ' -f1)
    mv $f $ARCHIVE/$name
    printf '%s %s\0' $sum "$name" >> $ARCHIVE/$LEDGER
    n=$((n+1))
done
echo "DONE=$n WAITS=$waiting BAD=$failed"
'''
IFS_LOOP = r'''
# 2025-11: spaces in names, fixed
IFS=$'\n'
INBOX="$1"
ARCHIVE="$2"
tmp=$(mktemp)
mkdir -p "$ARCHIVE"
n=0
waiting=0
failed=0
for f in $(ls "$INBOX"); do
    if [[ "$f" == *"$PART" ]]; then waiting=$((waiting+1)); continue; fi
    if [ -f "$INBOX/$f" ]; then
        sha256sum "$INBOX/$f" > "$tmp"
        sum=$(cut -d' ' -f1 "$tmp")
        mv "$INBOX/$f" "$ARCHIVE/$f" || failed=$((failed+1))
        printf '%s %s\0' "$sum" "$f" >> "$ARCHIVE/$LEDGER"
        n=$((n+1))
    fi
done
rm -f "$tmp"
echo "DONE=$n WAITS=$waiting BAD=$failed"
'''
