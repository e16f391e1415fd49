#> Read the procedure and the suppliers, then count what senders and encodings the heads name.
cd /workspace
cat PROCEDURE.md suppliers.csv
ls mail | wc -l
for h in From Content-Type Content-Transfer-Encoding; do grep -h -m 1 -i "^$h:" mail/*.eml | sort | uniq -c | sort -rn; done
cat "$(ls mail/*.eml | head -n 1)"
#> Part each mail into head and body, the body decoded as its head says, so that sed and awk can do the reading.
rm -rf /tmp/flat; mkdir -p /tmp/flat
for f in mail/*.eml; do
  b=/tmp/flat/$(basename "$f" .eml)
  sed '/^$/q' "$f" > "$b.head"
  sed '1,/^$/d' "$f" > "$b.raw"
  case $(grep -i '^Content-Transfer-Encoding' "$b.head") in
    *base64*) base64 -d "$b.raw" > "$b.txt";;
    *quoted*) python3 -c 'import sys, quopri; quopri.decode(sys.stdin.buffer, sys.stdout.buffer)' < "$b.raw" > "$b.txt";;
    *) cp "$b.raw" "$b.txt";;
  esac
done
#> Read how it is worded: the first mail of every sender and kind of subject, above the quote, and any that cancels or takes back. And which characters are not plain ASCII, since numbers can be typed oddly.
for h in /tmp/flat/*.head; do
  kind="$(sed -n 's/^From: //p' "$h" | head -n 1) $(sed -n 's/^Subject: //p' "$h" | tr -dc 'A-Za-z: ')$(sed '/^>/d' "${h%.head}.txt" | grep -oiE -m 1 'cancel|disregard' | head -n 1)"
  grep -qxF "$kind" /tmp/kinds 2>/dev/null && continue
  echo "$kind" >> /tmp/kinds
  echo "== $(basename "$h" .head): $(grep -E '^(From|Subject|Date):' "$h" | tr '\n' ' ')"; grep -v '^>\|^ *$' "${h%.head}.txt" | head -n 5
done
cat /tmp/flat/*.txt | python3 -c 'import collections, sys, unicodedata as u; print(*(f"{n} {u.name(c)}" for c, n in collections.Counter(sys.stdin.read()).most_common() if not c.isascii()), sep="; ")'
#> Keep what is above a quote, on one line, and in case something was typed oddly fold blanks, hyphens, full-width digits and Cyrillic letters like P and O. Then read figures and dates by the supplier's country, in the order of Date in case an order comes up again or is cancelled.
fold() { sed -e 's/\xe2\x80\xaf//g; s/\xc2\xa0/ /g; s/\xe2\x80\x91/-/g; s/\xd0\xa0/P/g; s/\xd0\x9e/O/g' \
  -e 's/\xef\xbc\x90/0/g; s/\xef\xbc\x91/1/g; s/\xef\xbc\x92/2/g; s/\xef\xbc\x93/3/g; s/\xef\xbc\x94/4/g; s/\xef\xbc\x95/5/g; s/\xef\xbc\x96/6/g; s/\xef\xbc\x97/7/g; s/\xef\xbc\x98/8/g; s/\xef\xbc\x99/9/g'; }
export LC_ALL=C
for h in /tmp/flat/*.head; do
  b=${h%.head}
  from=$(sed -n 's/^From: .*@\([^>]*\)>*$/\1/p' "$h")
  country=$(awk -F, -v d="$from" '$1 == d {print $3}' suppliers.csv)
  [ -n "$country" ] || continue
  when=$(date -u -d "$(sed -n 's/^Date: //p' "$h")" +%s)
  id=$(sed -n 's/^Message-ID: //p' "$h")
  text=$(sed '/^On .*wrote:/,$d; /^On [0-9]* [A-Z][a-z]* 2026/,$d; /^>/,$d' "$b.txt" | fold | tr '\n' ' ' | tr -s ' ')
  printf '%s\t%s\t%s\t%s\t%s\n' "$when" "$from" "$country" "$id" "$text"
done | sort -n > /tmp/flat/all.tsv
awk -F'\t' '
  function after(s, mark) { return index(s, mark) ? substr(s, index(s, mark) + length(mark)) : "" }
  BEGIN { n = split("janvier f\303\251vrier mars avril mai juin juillet ao\303\273t septembre octobre novembre d\303\251cembre", m, " "); for (i = 1; i <= n; i++) mon[m[i]] = i }
  { match($5, /PO-[0-9]+/); po = substr($5, RSTART, RLENGTH); a = d = "" }
  $5 ~ /is cancelled/ { delete row[po]; next }
  $3 == "DE" && $5 ~ /best\303\244tigen/ { split(after($5, "Betrag: "), w, " "); a = w[1]; c = w[2]; split(after($5, "Liefertermin: "), w, " "); d = w[1] }
  $3 == "GB" && $5 ~ /pleased to confirm/ { split(after($5, "total of "), w, " "); c = w[1]; a = w[2]; sub(/\.$/, "", a); split(after($5, "works on "), w, " "); d = w[1] }
  $3 == "US" && $5 ~ /is confirmed/ { split(after($5, "Total: "), w, " "); c = w[1]; a = w[2]; sub(/\.$/, "", a); split(after($5, "Ship date: "), w, " "); d = w[1]; sub(/\.$/, "", d) }
  $3 == "FR" && $5 ~ /confirmons/ { split(after($5, "montant de "), w, " "); a = w[1]; c = substr(w[2], 1, 3); split(after($5, "livraison le "), w, " "); sub(/\.$/, "", w[3]); d = w[1] "/" mon[w[2]] "/" w[3] }
  a != "" { if ($3 == "DE" || $3 == "FR") { gsub(/\./, "", a); sub(/,/, ".", a) } else gsub(/,/, "", a)
    split(d, p, /[.\/]/); if ($3 == "US") { t = p[1]; p[1] = p[2]; p[2] = t }
    row[po] = sprintf("{\"po\":\"%s\",\"supplier\":\"%s\",\"amount\":\"%s\",\"currency\":\"%s\",\"delivery\":\"%04d-%02d-%02d\",\"message_id\":\"%s\"}", po, $2, a, c, p[3], p[2], p[1], $4) }
  END { for (k in row) print row[k] }' /tmp/flat/all.tsv > orders.jsonl
cat orders.jsonl
#> Check: one line an order, figures well formed, delivery days in their order; and the subjects of suppliers' mails whose order number is not among them: only offers and orders that were cancelled may be there.
jq -r '[.po, .amount, .currency, .delivery, .supplier] | @tsv' orders.jsonl | sort -k4
jq -r .po orders.jsonl | sort | uniq -d
jq -c 'select((.po | test("^PO-[0-9]{5}$") | not) or (.amount | test("^[0-9]+[.][0-9]{2}$") | not) or (.delivery | test("^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$") | not))' orders.jsonl
grep -lFf <(tail -n +2 suppliers.csv | cut -d, -f1 | sed 's/^/@/; s/$/>/') mail/*.eml | xargs grep -h '^Subject:' | grep -vF "$(jq -r .po orders.jsonl)" | sort | uniq -c
