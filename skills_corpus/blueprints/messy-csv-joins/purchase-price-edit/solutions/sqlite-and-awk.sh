#> Read the note and both heads, ours in bytes: encoding, line ends and quotes have to survive. Keep the original.
cd /workspace
cat inbox/note.txt
head -n 4 inbox/pricelist.csv; wc -l inbox/pricelist.csv
file articles.csv
head -c 128 articles.csv | od -An -c; tail -c 32 articles.csv | od -An -c
cp articles.csv /tmp/original.csv
#> Where are records odd? Lines that do not end in CRLF, doubled quotes and semicolons inside cells, fixed prices. And which days and prices does the list have that are not plain?
export LC_ALL=C
echo "$(grep -c $'\r$' articles.csv) lines end in CRLF, these do not:"
grep -nav $'\r$' articles.csv | iconv -f CP1252 -t UTF-8 | head -n 6
for odd in '""' '(^|;)"[^"]*;[^"]*"' 'Preis fest'; do echo "== $odd: $(grep -cE "$odd" articles.csv)"; grep -aE -m 2 "$odd" articles.csv | iconv -f CP1252 -t UTF-8 | tr -d '\r'; done
echo "== list"; grep -nvE ',[0-9]+\.[0-9]{2},([0-9]+,)?2026-[0-9]{2}-[0-9]{2}' inbox/pricelist.csv | head -n 12
#> Plan in SQL, edit in awk on bytes. Records end in CRLF, a bare line feed is inside a cell, so with CRLF as separator every record can be put back as it was. The second record is empty, the articles follow. Load both sides.
key=$(grep -oE -m 1 '[0-9]{4}-[0-9]{2}-[0-9]{2}' inbox/note.txt)
awk -b 'BEGIN {RS = "\r\n"; FPAT = "([^;]*)|(\"([^\"]|\"\")*\")"} NR > 2 {n = $1; gsub(/"/, "", n); print n "\t" $2 "\t" (index($8, "Preis fest") > 0)}' articles.csv > /tmp/ours.tsv
sqlite3 /tmp/plan.db <<SQL
CREATE TABLE ours (nr TEXT PRIMARY KEY, ean TEXT, fixed INTEGER);
.mode tabs
.import /tmp/ours.tsv ours
.mode csv
.import inbox/pricelist.csv list
SQL
#> The list may have columns for barcode and pieces or not, so give it one view either way. From that come the rows that stay open, in the list's order, and for each article the price in force, unless a newer row replaces it.
has() { sqlite3 /tmp/plan.db "SELECT count(*) FROM pragma_table_info('list') WHERE name = '$1'"; }
ean="''"; [ "$(has ean)" = 1 ] && ean=ean
per=1; [ "$(has per)" = 1 ] && per=per
sqlite3 /tmp/plan.db <<SQL
CREATE TABLE seen AS SELECT l.rowid + 1 AS line, article_no, $ean AS code, CAST(replace(price, '.', '') AS INTEGER) AS total, CAST($per AS INTEGER) AS per,
  price GLOB '[0-9]*.[0-9][0-9]' AS usable,
  CASE WHEN valid_from LIKE '__.__.____' THEN substr(valid_from, 7) || '-' || substr(valid_from, 4, 2) || '-' || substr(valid_from, 1, 2) ELSE valid_from END AS valid
  FROM list l;
CREATE TABLE met AS SELECT s.*, o.nr, o.fixed, CASE WHEN usable AND total > 0 THEN (2 * total + per) / (2 * per) END AS cents FROM seen s LEFT JOIN ours o ON
  CASE WHEN length(code) = 13 AND code NOT GLOB '*[^0-9]*' THEN o.ean = code ELSE o.nr = substr('000000' || upper(article_no), -6) END;
.mode csv
.headers on
.separator , "\n"
.once /workspace/open.csv
SELECT line, article_no, CASE WHEN nr IS NULL THEN 'unknown' WHEN cents IS NULL THEN 'no_price' ELSE 'fixed' END AS reason FROM met
  WHERE nr IS NULL OR cents IS NULL OR fixed = 1 ORDER BY line;
.headers off
.mode tabs
.once /tmp/changes.tsv
SELECT nr, printf('%d,%02d', cents / 100, cents % 100), substr(valid, 9) || '.' || substr(valid, 6, 2) || '.' || substr(valid, 1, 4) FROM met m
  WHERE fixed = 0 AND valid <= '$key' AND cents IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM met n WHERE n.nr = m.nr AND n.valid <= '$key' AND n.valid > m.valid);
SQL
#> Edit: only fields 4 and 6 of records in the plan, each with the quotes that it had.
awk -b 'BEGIN {FS = "\t"; while ((getline < "/tmp/changes.tsv") > 0) {ek[$1] = $2; since[$1] = $3}
    RS = "\r\n"; OFS = ";"; FPAT = "([^;]*)|(\"([^\"]|\"\")*\")"}
  {n = $1; gsub(/"/, "", n)}
  n in ek {$4 = ($4 ~ /^"/) ? "\"" ek[n] "\"" : ek[n]; $6 = ($6 ~ /^"/) ? "\"" since[n] "\"" : since[n]}
  {printf "%s%s", $0, RT}' articles.csv > /tmp/edited.csv
cat /tmp/edited.csv > articles.csv
cat open.csv
#> Compare with the original: as many records differ as there are changes, and with EK and Stand blanked out in both the files must be the same to the byte. Then a few changed records, before and after.
rest() { awk -b 'BEGIN {RS = "\r\n"; OFS = ";"; FPAT = "([^;]*)|(\"([^\"]|\"\")*\")"} {$4 = $6 = "?"; printf "%s%s", $0, RT}' "$1"; }
cmp <(rest /tmp/original.csv) <(rest articles.csv) && echo "nothing else differs"
echo "$(wc -l < /tmp/changes.tsv) changes, $(diff -a /tmp/original.csv articles.csv | grep -ac '^>') lines differ"
diff -a /tmp/original.csv articles.csv | iconv -f CP1252 -t UTF-8 | tr -d '\r' | head -n 12
tail -c 16 articles.csv | od -An -c
