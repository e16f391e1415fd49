#> The policy, whatever lists lie beside it, and what kind of files the tickets are.
cd /workspace
cat POLICY.md
for list in customers.csv consents.csv charsets.csv; do if [ -f "$list" ]; then echo "== $list"; head -n 12 "$list"; fi; done
file tickets/* | sed 's,^tickets/,,' | sort -k2 | awk '{n = $1; $1 = ""; c[$0]++; e[$0] = n} END {for (k in c) print c[k], "like", e[k] k}'
#> Read a ticket, and lines of all that may matter: something with an at sign, long runs of digits, and characters beyond ASCII, shown by cat -v where they are no UTF-8.
head -n 10 "$(ls tickets/* | head -n 1)"
echo "== at"; grep -ahE '@' tickets/* | sort -u | head -n 10 | cat -v
echo "== digits"; grep -ahE '([0-9][ -]?){12}|[A-Z]{2}[0-9]{2} ?[A-Z]{4}' tickets/* | sort -u | head -n 12 | cat -v
echo "== not ASCII"; LC_ALL=C grep -anE '[^ -~[:space:]]' tickets/* | head -n 8 | cat -v
#> No patterns over the whole text: walk the characters, grow candidates token by token, and ask the checks. A ticket is UTF-8 if it can be read as such, else Windows-1252, and is written as it was read.
mkdir -p redacted
cat > /tmp/scan.py <<'PY'
import datetime as dt, json, pathlib, unicodedata as U
root = pathlib.Path("/workspace")
table = lambda n: [l.split(",") for l in (root / n).read_text("utf-8").splitlines()[1:]] if (root / n).exists() else []
nfc = lambda s: U.normalize("NFC", s)
state = {}
for i, when, entry in sorted(table("consents.csv"), key=lambda r: dt.datetime.fromisoformat(r[1]).timestamp()):
    state[i] = entry
firsts = {nfc(l): (nfc(f), i) for i, f, l in table("customers.csv") if state.get(i) != "given"}
size = {"DE": 22, "GB": 22, "NL": 18, "FR": 27}
alnum = lambda c: c.isalnum() and c.isascii() or (U.decimal(c, None) is not None)
plain = lambda c: str(U.decimal(c)) if U.decimal(c, None) is not None else c
dash = lambda c: c in " \xa0-" or U.category(c) == "Pd"

def code_at(t, i):
    """Characters of a grouped code from i on, as (position after, folded text so far), one entry for each length."""
    got, ends = "", []
    while i < len(t):
        c = t[i]
        if not alnum(c):
            j = i + (2 if t[i:i + 2] == "\r\n" else 1 if c == "\n" or dash(c) else 0)
            if j == i or j >= len(t) or not alnum(t[j]):
                break
            i, c = j, t[j]
        got += plain(c)
        i += 1
        ends.append((i, got))
        if len(got) > 27:
            break
    return ends

def lead(t, i):
    return i == 0 or not (t[i - 1].isalnum())

def number(t, i):
    if not alnum(t[i]) or not lead(t, i):
        return None
    for end, got in code_at(t, i):
        if end < len(t) and t[end].isalnum():
            continue
        if len(got) == size.get(got[:2]) and got.upper() == got:
            n = 0
            for c in got[4:] + got[:4]:
                n = (n * (10 if c.isdigit() else 100) + int(c, 36)) % 97
            if n == 1:
                return end, "iban", "[IBAN]"
        if 13 <= len(got) <= 19 and got.isdigit():
            odd = sum(map(int, got[-1::-2])) + sum(int("0246813579"[int(d)]) for d in got[-2::-2])
            if not odd % 10:
                return end, "card", "[CARD]"

def mail(t, i):
    good = lambda c: c.isascii() and (c.isalnum() or c in "._+-")
    if not good(t[i]) or (i and good(t[i - 1])):
        return None
    j = i
    while j < len(t) and good(t[j]): j += 1
    if j == len(t) or t[j] != "@": return None
    k = j + 1
    while k < len(t) and (good(t[k]) and t[k] not in "_+"): k += 1
    while t[k - 1] in ".-": k -= 1
    host = t[j + 1:k]
    if "." in host and host.split(".")[-1].isalpha() and host != "help.orbit.example":
        return k, "email", "[EMAIL]"

def word(t, i):
    j = i
    while j < len(t) and (t[j].isalpha() or t[j].isdigit() or U.combining(t[j])): j += 1
    return j

def person(t, i):
    if not t[i].isalpha() or not lead(t, i) or (i and U.combining(t[i - 1])):
        return None
    j = word(t, i)
    w = nfc(t[i:j])
    k = j
    while k < len(t) and t[k].isspace(): k += 1
    if k > j:
        m = word(t, k)
        last = nfc(t[k:m])
        if last in firsts and firsts[last][0] == w:
            return m, "name", f"[NAME-{firsts[last][1]}]"
    if w in firsts:
        return j, "name", f"[NAME-{firsts[w][1]}]"

tally = dict.fromkeys(["email", "card", "iban"] + (["name"] if firsts else []), 0)
for p in sorted((root / "tickets").iterdir()):
    raw = p.read_bytes()
    for enc in ("utf-8", "cp1252"):
        try:
            t = raw.decode(enc)
            break
        except UnicodeDecodeError:
            pass
    out, i = "", 0
    while i < len(t):
        hit = mail(t, i) or number(t, i) or person(t, i)
        if hit:
            i, kind, token = hit
            tally[kind] += 1
            out += token
        else:
            out += t[i]
            i += 1
    (root / "redacted" / p.name).write_bytes(out.encode(enc))
(root / "redaction.json").write_text(json.dumps(tally))
PY
#> Run it, then look at the counts and at the number of files written.
python3 /tmp/scan.py
cat redaction.json; echo
ls tickets | wc -l; ls redacted | wc -l
#> Read what was replaced, line by line, and what is left with an at sign or a long number: those must be ours, or fail their check. Then the bytes: all marks are there, and line ends but for those inside of what was replaced.
for f in $(ls tickets/* | head -n 4); do diff -a "$f" "redacted/${f#tickets/}" | grep -a '^[<>]'; done | cat -v | head -n 40
grep -ah '@' redacted/* | cat -v | sort | uniq -c | sort -rn | head -n 8
grep -aohE '[A-Z]{0,2}([0-9][ -]?){13,}' redacted/* | sort -u | head -n 12
for d in tickets redacted; do echo "$d: $(cat $d/* | tr -dc '\n' | wc -c) line feeds, $(cat $d/* | tr -dc '\r' | wc -c) carriage returns, $(cat $d/* | LC_ALL=C grep -aoP '\xef\xbb\xbf' | wc -l) marks"; done
