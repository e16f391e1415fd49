#> Read what the ledger has to look like, and how the exports begin in bytes: marks and letters tell the encodings apart.
cat /srv/branches/FORMAT.md
file /srv/branches/*.csv
for f in /srv/branches/*.csv; do head -c 48 "$f" | xxd; done
#> Now as text, taking for Windows-1252 whatever is neither marked nor UTF-8: beginning and end of each export.
for f in /srv/branches/*.csv; do
  case $(file -b --mime-encoding "$f") in utf-16*) from=UTF-16 ;; utf-8 | us-ascii) from=UTF-8 ;; *) from=CP1252 ;; esac
  iconv -f $from -t UTF-8 "$f" | tr -d '\r' > "/tmp/$(basename "$f" .csv).txt"
  echo "== $f ($from)"
  head -n 8 "/tmp/$(basename "$f" .csv).txt"; echo ...; tail -n 3 "/tmp/$(basename "$f" .csv).txt"
done
#> And what may be rare: parentheses, minus signs behind a number, line breaks within a cell, names of columns that come again, document numbers in lower case.
cd /tmp
for f in $(ls /srv/branches/*.csv | xargs -n 1 basename -s .csv); do
  echo "== $f"
  for odd in '\([0-9]' '[0-9]-"?([;,]|$)|[0-9]-$' '^[^;,]*"[^";,]*$' '(Kundennr|Customer No)' '(re|inv)-26'; do grep -nE "$odd" "$f.txt" | head -n 2; done
done
#> One frame for each export in pandas, everything as text: encoding, separator and columns are decided per file, then I work on whole columns. Slashes are day first if any first part is above 12, as FORMAT.md allows.
{ echo '#!/usr/bin/python3'; cat <<'PY'
import codecs
import csv
import sys
from io import StringIO
import pandas as pd

target, paths = sys.argv[1], sys.argv[2:]
columns = ["doc_no", "customer_no", "customer", "booked_on", "amount"]
rename = dict(zip(["Belegnr", "Kundennr", "Kunde", "Datum", "Betrag"], columns)) | dict(zip(["Doc No", "Customer No", "Customer", "Date", "Amount"], columns))
frames = []
for path in paths:
    raw = open(path, "rb").read()
    encoding = "utf-16" if raw[:2] == codecs.BOM_UTF16_LE else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode("windows-1252")
    sep = max("\t;,", key=lambda c: sum(line.count(c) >= 4 for line in text.splitlines()))
    frame = pd.read_csv(StringIO(text), sep=sep, header=None, names=list("abcde"), dtype=str, keep_default_na=False, na_filter=False, skip_blank_lines=True, engine="python")
    heads = frame[frame.isin(list(rename)).all(axis=1)]
    frame.columns = [rename[c] for c in heads.iloc[0]] if len(heads) else columns
    frame = frame[frame["customer_no"].fillna("").str.strip().str.fullmatch(r"[0-9]+")].copy()
    day = frame["booked_on"].str.strip()
    if day.str.contains("/").any():
        parts = day.str.split("/", expand=True).astype(int)
        british = (parts[0] > 12).any()
        day = parts.apply(lambda p: "%04d-%02d-%02d" % ((p[2], p[1], p[0]) if british else (p[2], p[0], p[1])), axis=1)
    elif day.str.contains(".", regex=False).any():
        day = pd.to_datetime(day, format="%d.%m.%Y").dt.strftime("%Y-%m-%d")
    frame["booked_on"] = day
    money = frame["amount"].str.strip()
    minus = money.str.contains(r"[-(]", regex=True)
    plain = money.str.replace(r"[-()' ]", "", regex=True)
    cents = plain.where(plain.str.contains(r"[.,][0-9]{2}$", regex=True), plain + ".00").str.replace(r"[.,]", "", regex=True).astype("int64")
    frame["amount"] = [("-" if m and c else "") + "%d.%02d" % divmod(c, 100) for c, m in zip(cents, minus)]
    frame["doc_no"] = frame["doc_no"].str.strip().str.upper()
    frame["customer_no"] = frame["customer_no"].str.strip().str.rjust(6, "0")
    frame["customer"] = frame["customer"].str.replace(r"\s+", " ", regex=True).str.strip()
    frames.append(frame[columns])
ledger = pd.concat(frames).drop_duplicates("doc_no", keep="last").sort_values("doc_no")
ledger.to_csv(target, index=False, lineterminator="\n", encoding="utf-8", quoting=csv.QUOTE_MINIMAL)
PY
} > /workspace/normalise
chmod 755 /workspace/normalise
#> Run it on the exports at hand.
/workspace/normalise /workspace/ledger.csv $(ls /srv/branches/*.csv | LC_ALL=C sort)
head -n 6 /workspace/ledger.csv; wc -l /workspace/ledger.csv
#> Check with another tool than pandas: shape of every cell, order and uniqueness of the documents, signs of a wrong encoding, and each export by itself: documents in its ledger against lines with a document number. Corrections make it fewer.
cd /workspace
mlr --icsv --oxtab filter 'NF != 5 || $doc_no !=~ "^[A-Z]+-[0-9-]+$" || $customer_no !=~ "^[0-9]{6}$" || $booked_on !=~ "^2026-[0-9]{2}-[0-9]{2}$" || $amount !=~ "^-?[0-9]+\.[0-9]{2}$"' ledger.csv
tail -n +2 ledger.csv | cut -d, -f1 | LC_ALL=C sort -uc && echo "sorted, each document once"
grep -c 'Ã\|�' ledger.csv || true
mlr --icsv --opprint count-distinct -f customer then sort -nr count then head -n 12 ledger.csv
for f in /srv/branches/*.csv; do
  ./normalise /tmp/one.csv "$f"
  echo "$f: $(($(wc -l < /tmp/one.csv) - 1)) of $(grep -ciE '(re|inv)-26-[0-9]' "/tmp/$(basename "$f" .csv).txt") lines, $(mlr --icsv --onidx stats1 -a min,max -f booked_on /tmp/one.csv)"
done
