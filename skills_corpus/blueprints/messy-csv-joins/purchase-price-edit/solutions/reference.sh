#> Read the note, then look at our file in bytes (encoding, line ends, quotes, its beginning and end) and at the head of the list. Keep a copy to compare with.
cat inbox/note.txt
file articles.csv inbox/pricelist.csv
head -c 300 articles.csv | xxd | head -n 12; tail -c 40 articles.csv | xxd
head -n 6 inbox/pricelist.csv
cp articles.csv /tmp/before.csv
#> Bytes like DF and FC: cp1252, it seems; CRLF and bare LF, and quotes on some cells only. A CSV writer would change all that, so find the byte span of every cell, and plan by the note before anything is changed. Columns such as per or ean count where the list has them.
cat > /tmp/plan.py <<'PY'
import csv, datetime as d, decimal, re
CELL = re.compile(rb'("(?:[^"]|"")*"|[^;\r\n]*)(;|\r\n|\n|\Z)')
KEY = d.date.fromisoformat(re.search(r"\d{4}-\d\d-\d\d", open("/workspace/inbox/note.txt", encoding="utf-8").read())[0])
DATA = open("/tmp/before.csv", "rb").read()
def records(data):
    """For each record its cells as (start, end, text)."""
    record, at, end = [], 0, None
    while end != b"":
        m = CELL.match(data, at)
        raw, end = m[1].decode("cp1252"), m[2]
        record.append((m.start(1), m.end(1), raw[1:-1].replace('""', '"') if raw.startswith('"') else raw))
        at = m.end()
        if end != b";":
            yield record
            record = []
def day(text):
    return d.datetime.strptime(text, "%d.%m.%Y" if "." in text else "%Y-%m-%d").date()
def price(row):
    try:
        cents = decimal.Decimal(row["price"]) * 100 / int(row.get("per") or 1)
    except decimal.InvalidOperation:
        return None
    return int(cents.quantize(decimal.Decimal(1), decimal.ROUND_HALF_UP)) or None
table = [r for r in records(DATA) if len(r) > 1]
NR, EAN, EK, STAND, NOTE = ([c[2] for c in table[0]].index(n) for n in ("Nr", "EAN", "EK", "Stand", "Bemerkung"))
articles = {r[NR][2]: r for r in table[1:]}
by_number = {n.upper(): n for n in articles}
by_ean = {r[EAN][2]: n for n, r in articles.items()}
assert len(by_number) == len(by_ean) == len(table) - 1, "keys are not unique"
def number_of(row):
    return by_number.get(row["article_no"].strip().upper().zfill(6))
def find(row):
    code = (row.get("ean") or "").strip()
    return by_ean.get(code) if re.fullmatch(r"\d{13}", code) else number_of(row)
latest, opened, disputed = {}, [], []
rows = list(csv.DictReader(open("/workspace/inbox/pricelist.csv", encoding="utf-8", newline="")))
for line, row in enumerate(rows, 2):
    article, cents, valid = find(row), price(row), day(row["valid_from"])
    reason = "unknown" if article is None else "no_price" if cents is None else "fixed" if "Preis fest" in articles[article][NOTE][2] else None
    if reason:
        opened.append([line, row["article_no"], reason])
    if number_of(row) != article:
        disputed.append([line, row["article_no"], row.get("ean"), article])
    if reason not in ("unknown", "fixed") and valid <= KEY and (article not in latest or latest[article][0] < valid):
        latest[article] = (valid, cents)
changes = {n: (valid, cents) for n, (valid, cents) in latest.items() if cents is not None}
PY
cd /tmp && python3 -c "
from plan import *
print('key date', KEY, 'rows', len(rows), 'changes', len(changes), 'open', len(opened), 'later than key', sum(day(r['valid_from']) > KEY for r in rows))
print('number and barcode disagree:', *disputed, sep='\n  ')"
#> Changes and open rows fit into the list; a row that is neither is replaced by a newer one or not in force yet. Where number and barcode disagreed, the barcode decided. Replace only the spans of EK and Stand, from the end to the beginning so that positions stay right, and keep each cell's quotes.
cat > /tmp/apply.py <<'PY'
import csv
from plan import DATA, EK, STAND, articles, changes, opened
spans = []
for number, (valid, cents) in changes.items():
    for cell, text in ((articles[number][EK], f"{cents // 100},{cents % 100:02d}"), (articles[number][STAND], f"{valid:%d.%m.%Y}")):
        start, end, _ = cell
        quote = b'"' if DATA[start:start + 1] == b'"' else b""
        spans.append((start, end, quote + text.encode() + quote))
data = DATA
for start, end, new in sorted(spans, reverse=True):
    data = data[:start] + new + data[end:]
with open("/workspace/articles.csv", "wb") as out:
    out.write(data)
with open("/workspace/open.csv", "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["line", "article_no", "reason"])
    writer.writerows(opened)
PY
python3 /tmp/apply.py
cd /workspace
#> Compare with the original: only records of the plan may differ, and in them only the two cells; and the last line has to be without a line end, as before.
diff <(tr -d '\r' < /tmp/before.csv) <(tr -d '\r' < articles.csv) --text | grep -c '^>'
diff <(tr -d '\r' < /tmp/before.csv) <(tr -d '\r' < articles.csv) --text | head -n 8
tail -c 20 articles.csv | xxd; cat open.csv
