#> What is wanted, and what do the exports look like in bytes? Byte order marks and letters first, then heads and tails.
cat /srv/branches/FORMAT.md
cd /srv/branches
file *.csv
for f in *.csv; do echo "== $f"; head -c 160 "$f" | xxd; tail -c 120 "$f" | xxd | tail -n 5; done
cd /workspace
#> Each export has a dialect of its own, so the program decides it per file: encoding by BOM, then strict UTF-8, then cp1252; separator by what the rows agree on; column order by names, if there are any; day or month first in dates with slashes, if any, by looking at the whole column.
cat > /workspace/normalise <<'PY'
#!/usr/bin/env python3
"""Writes one ledger from exports in several dialects: normalise OUT.csv IN.csv..."""
import csv, io, re, sys
from datetime import datetime

TARGET = ["doc_no", "customer_no", "customer", "booked_on", "amount"]
CALLED = {"belegnr": 0, "doc no": 0, "kundennr": 1, "customer no": 1, "kunde": 2, "customer": 2, "datum": 3, "date": 3, "betrag": 4, "amount": 4}


def text_of(data):
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def table_of(text):
    """The rows under the separator with which most rows have exactly five cells."""
    tables = [list(csv.reader(io.StringIO(text, newline=""), delimiter=sep)) for sep in ";,\t"]
    return [row for row in max(tables, key=lambda t: sum(len(row) == 5 for row in t)) if len(row) == 5]


def amount(text):
    negative = "-" in text or "(" in text
    digits = re.sub(r"[^\d.,]", "", text)
    whole, cents = (digits[:-3], digits[-2:]) if re.search(r"[.,]\d\d$", digits) else (digits, "00")
    whole = re.sub(r"\D", "", whole).lstrip("0") or "0"
    return ("-" if negative and (whole, cents) != ("0", "00") else "") + whole + "." + cents


def documents(path):
    rows = table_of(text_of(open(path, "rb").read()))
    order = [0, 1, 2, 3, 4]
    for row in rows:
        if all(cell.strip().lower() in CALLED for cell in row):
            order = [[CALLED[cell.strip().lower()] for cell in row].index(n) for n in range(5)]
            break
    rows = [[row[n] for n in order] for row in rows]
    rows = [row for row in rows if row[1].strip().isdigit()]
    firsts = [int(row[3].split("/")[0]) for row in rows if "/" in row[3]]
    pattern = {".": "%d.%m.%Y", "-": "%Y-%m-%d", "/": "%d/%m/%Y" if firsts and max(firsts) > 12 else "%m/%d/%Y"}
    for doc, customer, name, day, money in rows:
        day = day.strip()
        sign = next(c for c in day if not c.isdigit())
        yield [doc.strip().upper(), customer.strip().zfill(6), " ".join(name.split()), datetime.strptime(day, pattern[sign]).strftime("%Y-%m-%d"), amount(money)]


ledger = {row[0]: row for path in sys.argv[2:] for row in documents(path)}
with open(sys.argv[1], "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(TARGET)
    writer.writerows(ledger[doc] for doc in sorted(ledger))
PY
chmod +x /workspace/normalise
#> Make this month's ledger, in the order asked for.
LC_ALL=C
/workspace/normalise /workspace/ledger.csv /srv/branches/*.csv
#> Check: letters, zeros, dates and negatives by eye in the first rows, signs of a wrong encoding, amounts with another tool, document numbers that come twice, and how many documents each export gives by itself.
head -n 5 ledger.csv; grep -c '' ledger.csv; grep -n 'Ã\|�' ledger.csv | head; mlr --icsv --opprint stats1 -a count,sum,min,max -f amount ledger.csv
cut -d, -f1 ledger.csv | sort | uniq -d
for f in /srv/branches/*.csv; do ./normalise /tmp/one.csv "$f"; echo "$f: $(($(grep -c '' /tmp/one.csv) - 1)) documents"; done
