#> Which files are there, how is each written, and by which clock?
ls -l /var/log/shop/*
for f in $(find /etc/shop -type f | sort); do echo "== $f"; grep -vE '^ *$' "$f" | head -n 12; done
head -n 2 /var/log/shop/gateway/access.log
#> What do the services write? The first lines of each, with the message of a call or receipt, one failed checkout with its trace, and every change that was applied. Rotated files may be compressed, so read all with zcat -f.
for s in orders payments stock; do
  echo "== $s"; head -n 4 /var/log/shop/$s/$s.log
  zcat -f $(ls -v -r /var/log/shop/$s/*) | grep -m 1 -A 9 'ERROR \[[0-9a-f]'
  zcat -f $(ls -v -r /var/log/shop/$s/*) | grep ' applied: '
done
#> The logs are only read: flatten a service's files, oldest first and uncompressed where needed, to lines with file and number in front, and take the checkouts from the gateway's.
flat() { for f in $(ls -v -r /var/log/shop/"$1"/*); do case $f in *.gz) zcat "$f";; *) cat "$f";; esac | awk -v f="$f" '{print f "\t" NR "\t" $0}'; done; }
flat gateway > /tmp/g
cut -f3- /tmp/g | jq -r '[.rid, .path, .method, .status, .ts, .ms] | @tsv' | paste <(cut -f1,2 /tmp/g) - | awk -F'\t' '$4 == "/checkout" && $5 == "POST"' > /tmp/c
wc -l /tmp/g /tmp/c; head -n 3 /tmp/c
#> One line a checkout (id, last status), in order of arrival; then the longest run of failures, as the ids in it.
awk -F'\t' '!($3 in s) {order[++n] = $3} {s[$3] = $6} END {for (i = 1; i <= n; i++) print order[i], s[order[i]]}' /tmp/c |
  awk '$2 >= 500 {run = run " " $1; len++; if (len > best) {best = len; keep = run}} $2 < 500 {run = ""; len = 0} END {print keep}' | tr -s ' ' '\n' | sed '/^$/d' > /tmp/ids
grep -F -f /tmp/ids /tmp/c | awk -F'\t' '$6 >= 500' > /tmp/bad
echo "$(wc -l < /tmp/ids) checkouts, $(wc -l < /tmp/bad) failed answers"; sed -n '1p;$p' /tmp/bad
#> orders writes down whom it calls, payments and stock only what they receive. So the failures began in the one of the two that has an ERROR under the first failed id; the last cause of that trace is the bottom. How many of these checkouts does it hold for?
rid=$(head -n 1 /tmp/ids)
for s in payments stock; do flat $s > /tmp/s.$s; grep -q "ERROR \[$rid\]" /tmp/s.$s && root=$s; done
awk -F'\t' -v rid="$rid" '$3 ~ /^[0-9]{4}-/ {mine = index($3, "[" rid "]")} mine && $3 ~ /^Caused by: / {last = $0} $3 ~ /^[0-9]{4}-/ && !mine && last {exit} END {print last}' /tmp/s.$root > /tmp/cause
echo "$root"; cat /tmp/cause
for s in payments stock; do echo "$s: $(grep 'ERROR \[' /tmp/s.$s | grep -oF -f /tmp/ids | sort -u | wc -l) of the ids with an ERROR"; done
grep -F "$(cut -f3 /tmp/cause)" /tmp/s.$root | cut -f3 | sort | uniq -c
#> Only the gateway's clock is vouched for, so measure that service against it: a request began there at its answer less its duration, and the service's first line of it comes moments later. The middle difference is zone and skew in one.
cut -f3- /tmp/g | jq -r 'select(.attempt == 1) | [.rid, (.ts[0:19] + "Z" | fromdate) + (.ts[20:23] | tonumber) / 1000 - .ms / 1000] | @tsv' | LC_ALL=C sort -u -k1,1 > /tmp/a
cut -f3 /tmp/s.$root | grep -E '^[0-9 .:-]+ [A-Z]+ +\[[0-9a-f]{12}\]' > /tmp/heard
paste <(grep -oE '\[[0-9a-f]{12}\]' /tmp/heard | tr -d '[]') <(sed -E 's/^([0-9-]+ [0-9:.]+) .*/\1 UTC/' /tmp/heard | date -u -f - +%s.%N) | LC_ALL=C sort -s -u -k1,1 > /tmp/b
LC_ALL=C join /tmp/a /tmp/b | LC_ALL=C awk '{printf "%.0f\n", $3 - $2}' | sort -n > /tmp/gaps
off=$(awk '{x[NR] = $1} END {print x[int((NR + 1) / 2)]}' /tmp/gaps)
uniq -c /tmp/gaps; echo "$root is off by $off seconds"
#> What brought it about is most likely that service's own last change before the first failure; to compare them, take the measured offset off its times. What the change set should be what the exception speaks of.
first=$(date -u -d "$(head -n 1 /tmp/bad | cut -f7)" +%s)
grep ' applied: ' /tmp/s.$root > /tmp/changes
cut -f3 /tmp/changes | cut -c1-19 | sed 's/$/ UTC/' | date -u -f - +%s | paste - /tmp/changes | awk -F'\t' -v o="$off" -v f="$first" '$1 - o < f' | tail -n 1 > /tmp/trigger
at=$(date -u -d "@$(($(cut -f1 /tmp/trigger) - off))" +%FT%TZ)
cat /tmp/trigger; echo "applied at $at, first failure at $(head -n 1 /tmp/bad | cut -f7)"
#> Write the report, each piece of evidence with the file and line it was flattened with.
second() { date -u -d "$1" +%FT%TZ; }
jq -n --arg s "$(second "$(head -n 1 /tmp/bad | cut -f7)")" --arg e "$(second "$(tail -n 1 /tmp/bad | cut -f7)")" --argjson n "$(wc -l < /tmp/ids)" --arg rid "$rid" \
  --arg root "$root" --arg ex "$(cut -f3 /tmp/cause | sed 's/^Caused by: //; s/:.*//')" --arg chg "$(grep -oE 'CHG-[0-9]+' /tmp/trigger)" --arg at "$at" \
  --arg ff "$(head -n 1 /tmp/bad | cut -f1)" --argjson fl "$(head -n 1 /tmp/bad | cut -f2)" --arg lf "$(tail -n 1 /tmp/bad | cut -f1)" --argjson ll "$(tail -n 1 /tmp/bad | cut -f2)" \
  --arg cf "$(cut -f1 /tmp/cause)" --argjson cl "$(cut -f2 /tmp/cause)" --arg tf "$(cut -f2 /tmp/trigger)" --argjson tl "$(cut -f3 /tmp/trigger)" \
  '{started_at: $s, ended_at: $e, failed_checkouts: $n, first_request: $rid, root_service: $root, root_exception: $ex, trigger: {service: $root, change: $chg, at: $at},
    evidence: {first_failure: {file: $ff, line: $fl}, last_failure: {file: $lf, line: $ll}, root_exception: {file: $cf, line: $cl}, trigger: {file: $tf, line: $tl}}}' > /workspace/incident.json
cat /workspace/incident.json
#> Open each citation as the auditors will, and see that it is the line that I mean.
jq -r '.evidence | to_entries[] | [.key, .value.file, .value.line] | @tsv' /workspace/incident.json |
  while IFS=$'\t' read -r what file line; do echo "$what: $(zcat -f "$file" | sed -n "${line}p")"; done
