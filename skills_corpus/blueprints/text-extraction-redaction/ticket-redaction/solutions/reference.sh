#> The policy decides, so it comes first, with the lists beside it, if any. Then the bytes: line ends, marks and encodings may differ between tickets.
cat POLICY.md
head -n 20 customers.csv consents.csv charsets.csv 2>/dev/null
file tickets/*
head -n 12 "$(ls tickets/*.txt | head -n 1)"
#> Match on a folded copy (NFKD: full-width digits, no-break spaces and accents, should there be any, compare equal) that remembers where each character came from, and cut the original text there. Numbers need their check digits. Addresses and accounts go first, so nothing is taken out of their middle.
cat > /tmp/redact.py <<'PY'
import csv, datetime, json, os, re, unicodedata
GAP = r"(?:[ \-\u2010-\u2015\u2212]|\r?\n)?"
LENGTH = {"DE": 22, "NL": 18, "GB": 22, "FR": 27}
MAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})(?![A-Za-z0-9])")
IBAN = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(LENGTH)})(\d\d)((?:{GAP}[A-Z0-9]){{14,23}})(?![A-Za-z0-9])")
CARD = re.compile(rf"(?<![A-Za-z0-9])\d(?:{GAP}\d){{12,18}}(?![A-Za-z0-9])")

def fold(text):
    copy, where = [], []
    for position, character in enumerate(text):
        for piece in unicodedata.normalize("NFKD", character):
            copy.append(piece)
            where.append(position)
    return "".join(copy), where + [len(text)]

def luhn(digits):
    total = 0
    for place, digit in enumerate(reversed(digits)):
        n = int(digit) * (2 if place % 2 else 1)
        total += n - 9 if n > 9 else n
    return total % 10 == 0

def iban(found):
    code = re.sub(r"[^A-Z0-9]", "", found)
    return len(code) == LENGTH[code[:2]] and int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1

people = []
if os.path.exists("customers.csv"):
    latest = {}
    if os.path.exists("consents.csv"):
        for row in csv.DictReader(open("consents.csv")):
            when = datetime.datetime.fromisoformat(row["when"])
            latest[row["id"]] = max(latest.get(row["id"], (when, row["entry"])), (when, row["entry"]))
    for row in csv.DictReader(open("customers.csv", encoding="utf-8")):
        if latest.get(row["id"], (0, "withdrawn"))[1] != "given":
            first, last = (re.escape(fold(row[k])[0]) for k in ("first", "last"))
            people.append((f"[NAME-{row['id']}]", re.compile(rf"(?<![^\W_])(?:{first}\s+)?{last}(?![^\W_]|[\u0300-\u036f])")))

def hits(copy):
    taken = []
    def add(match, kind, token):
        if all(match.end() <= a or match.start() >= b for a, b, _, _ in taken):
            taken.append((match.start(), match.end(), kind, token))
    for m in MAIL.finditer(copy):
        if m[1].lower() != "help.orbit.example":
            add(m, "email", "[EMAIL]")
    for pattern, check, kind in ((IBAN, iban, "iban"), (CARD, lambda t: luhn(re.sub(r"\D", "", t)), "card")):
        for m in pattern.finditer(copy):
            if check(m[0]):
                add(m, kind, f"[{kind.upper()}]")
            else:
                print("stays:", kind, repr(m[0]))
    for token, pattern in people:
        for m in pattern.finditer(copy):
            add(m, "name", token)
    return sorted(taken)

counts = {"email": 0, "card": 0, "iban": 0} | ({"name": 0} if people else {})
os.makedirs("redacted", exist_ok=True)
for name in sorted(os.listdir("tickets")):
    data = open(f"tickets/{name}", "rb").read()
    try:
        charset, text = "utf-8", data.decode("utf-8")  # valid UTF-8 with letters beyond ASCII is never Windows-1252 by chance
    except UnicodeDecodeError:
        charset, text = "cp1252", data.decode("cp1252")
    copy, where = fold(text)
    out, last = [], 0
    for start, end, kind, token in hits(copy):
        out += [text[last:where[start]], token]
        last = where[end]
        counts[kind] += 1
    open(f"redacted/{name}", "wb").write(("".join(out) + text[last:]).encode(charset))
json.dump(counts, open("redaction.json", "w"))
PY
python3 /tmp/redact.py
cat redaction.json
#> Look at the first differences of the tickets, and at what is left that still looks like an address. The candidates printed as staying failed the check of their kind.
for f in tickets/*; do diff -a "$f" "redacted/${f#tickets/}" | grep -a '^[<>]' | head -n 6; done | cat -v | head -n 60
grep -ah '@' redacted/* | cat -v | sort | uniq -c | sort -rn | head -n 20
