#> The logs are only read: flatten a service's files, oldest first and uncompressed where needed, to lines with file and number in front, and take the checkouts from the gateway's.
flat() { for f in $(ls -v -r /var/log/shop/"$1"/*); do case $f in *.gz) zcat "$f";; *) cat "$f";; esac | awk -v f="$f" '{print f "\t" NR "\t" $0}'; done; }
flat gateway > /tmp/g
cut -f3- /tmp/g | jq -r '[.rid, .path, .method, .status, .ts, .ms] | @tsv' | paste <(cut -f1,2 /tmp/g) - | awk -F'\t' '$4 == "/checkout" && $5 == "POST"' > /tmp/c
#> One line a checkout (id, last status), in order of arrival; then the longest run of failures, as the ids in it.
awk -F'\t' '!($3 in s) {order[++n] = $3} {s[$3] = $6} END {for (i = 1; i <= n; i++) print order[i], s[order[i]]}' /tmp/c |
  awk '$2 >= 500 {run = run " " $1; len++; if (len > best) {best = len; keep = run}} $2 < 500 {run = ""; len = 0} END {print keep}' | tr -s ' ' '\n' | sed '/^$/d' > /tmp/ids
grep -F -f /tmp/ids /tmp/c | awk -F'\t' '$6 >= 500' > /tmp/bad
#> I take orders for the service that calls the others, so the failures began in the one of payments and stock that has an ERROR under the first failed id; the last cause of that trace is the bottom.
rid=$(head -n 1 /tmp/ids)
for s in payments stock; do flat $s > /tmp/s.$s; grep -q "ERROR \[$rid\]" /tmp/s.$s && root=$s; done
awk -F'\t' -v rid="$rid" '$3 ~ /^[0-9]{4}-/ {mine = index($3, "[" rid "]")} mine && $3 ~ /^Caused by: / {last = $0} $3 ~ /^[0-9]{4}-/ && !mine && last {exit} END {print last}' /tmp/s.$root > /tmp/cause
#> How far is that service's clock from orders, which calls it? Both name the request: take the middle difference between call and receipt, zone and skew in one. For orders itself I assume the gateway's time.
flat orders | awk -F'\t' -v s="call $root" '$3 ~ s {print $3}' > /tmp/calls
stamp() { sed -E 's/^([0-9-]+ [0-9:.]+) .*/\1 UTC/' "$1" | date -u -f - +%s.%N; }
cut -f3 /tmp/s.$root | grep 'received' > /tmp/heard
paste -d' ' <(grep -oE '\[[0-9a-f]{12}\]' /tmp/calls) <(stamp /tmp/calls) | LC_ALL=C sort -s -k1,1 -u > /tmp/a
paste -d' ' <(grep -oE '\[[0-9a-f]{12}\]' /tmp/heard) <(stamp /tmp/heard) | LC_ALL=C sort -s -k1,1 -u > /tmp/b
off=$(LC_ALL=C join /tmp/a /tmp/b | LC_ALL=C awk '{printf "%.0f\n", $3 - $2}' | sort -n | awk '{x[NR] = $1} END {print x[int((NR + 1) / 2)]}')
#> What brought it about is most likely that service's own last change before the first failure; to compare them, take the measured offset off its times.
first=$(date -u -d "$(head -n 1 /tmp/bad | cut -f7)" +%s)
grep ' applied: ' /tmp/s.$root > /tmp/changes
cut -f3 /tmp/changes | cut -c1-19 | sed 's/$/ UTC/' | date -u -f - +%s | paste - /tmp/changes | awk -F'\t' -v o="$off" -v f="$first" '$1 - o < f' | tail -n 1 > /tmp/trigger
at=$(date -u -d "@$(($(cut -f1 /tmp/trigger) - off))" +%FT%TZ)
#> Write the report, each piece of evidence with the file and line it was flattened with.
second() { date -u -d "$1" +%FT%TZ; }
jq -n --arg s "$(second "$(head -n 1 /tmp/bad | cut -f7)")" --arg e "$(second "$(tail -n 1 /tmp/bad | cut -f7)")" --argjson n "$(wc -l < /tmp/ids)" --arg rid "$rid" \
  --arg root "$root" --arg ex "$(cut -f3 /tmp/cause | sed 's/^Caused by: //; s/:.*//')" --arg chg "$(grep -oE 'CHG-[0-9]+' /tmp/trigger)" --arg at "$at" \
  --arg ff "$(head -n 1 /tmp/bad | cut -f1)" --argjson fl "$(head -n 1 /tmp/bad | cut -f2)" --arg lf "$(tail -n 1 /tmp/bad | cut -f1)" --argjson ll "$(tail -n 1 /tmp/bad | cut -f2)" \
  --arg cf "$(cut -f1 /tmp/cause)" --argjson cl "$(cut -f2 /tmp/cause)" --arg tf "$(cut -f2 /tmp/trigger)" --argjson tl "$(cut -f3 /tmp/trigger)" \
  '{started_at: $s, ended_at: $e, failed_checkouts: $n, first_request: $rid, root_service: $root, root_exception: $ex, trigger: {service: $root, change: $chg, at: $at},
    evidence: {first_failure: {file: $ff, line: $fl}, last_failure: {file: $lf, line: $ll}, root_exception: {file: $cf, line: $cl}, trigger: {file: $tf, line: $tl}}}' > /workspace/incident.json
