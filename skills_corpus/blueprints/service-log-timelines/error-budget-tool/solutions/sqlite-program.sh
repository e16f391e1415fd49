#> Policy and objectives first, and whatever was decided later: the status of a record says whether it counts.
cat /etc/slo/policy.md /etc/slo/slo.yaml
if [ -d /etc/slo/records ]; then tail -n +1 /etc/slo/records/* | grep -v '^$'; fi
#> Then the logs: the format in the configuration, how large the files are, first and last line of each, the offsets that occur, and lines, if any, that are in no form I know.
grep -A 2 log_format /etc/nginx/nginx.conf
wc -c /var/log/api/*
for f in /var/log/api/*; do echo "== $f"; zcat -f "$f" | sed -n '1p;$p'; echo; done
for f in /var/log/api/*; do zcat -f "$f"; echo; done | sed '/^$/d' > /tmp/all
echo "== offsets"; grep -oE '(\[| "|: ")[^]"]*[0-9]{2}:[0-9]{2}:[0-9]{2} ?([+-][0-9:]+|Z)' /tmp/all | grep -oE '([+-][0-9:]+|Z)$' | sort | uniq -c
echo "== not read by either form"; grep -vE '^\{.*\}$|" [0-9a-f]{16}$' /tmp/all | head -n 4
#> The program becomes a shell script that turns lines into a table with awk and jq and lets SQLite do the counting. How long a 499 must have waited is taken from an accepted record, if one speaks of it; else every 499 is bad.
hung=0
for record in $(find /etc/slo -name 'DR-*' -exec grep -l '^Status: accepted' {} +); do
  ms=$(grep -oE 'A 499 after [0-9]+ ms' "$record" | grep -oE '[0-9]+ ms'); [ -n "$ms" ] && hung=${ms% ms}
done
echo "a 499 counts from $hung ms on"
{ printf '#!/bin/bash\nset -e\nHUNG=%s\n' "$hung"; cat <<'SH'
slo=$1; shift
work=$(mktemp -d); trap 'rm -r "$work"' EXIT
# Stamps become epoch seconds in awk: days since 1970 by the civil calendar, less the offset.
for f in "$@"; do case $f in *.gz) zcat "$f";; *) cat "$f";; esac; echo; done > "$work/lines"
{ grep -v '^{' "$work/lines" | LC_ALL=C awk -F'"' 'BEGIN {split("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", n, " "); for (i in n) mon[n[i]] = i}
    NF == 5 && $5 ~ /^ [0-9a-f]+$/ && $3 ~ /^ [0-9]+ [0-9]+ [0-9.]+ $/ {
      split($1, a, /[][]/); split(a[2], t, /[\/: ]/); split($2, r, " "); split($3, s, " "); sub(/\./, "", s[3])
      print t[3], mon[t[2]], t[1], t[4] * 3600 + t[5] * 60 + t[6], t[7], r[2], s[1], s[3] + 0, substr($5, 2), $4}' OFS='\t'
  grep '^{' "$work/lines" | jq -R -r 'fromjson? | [(.time[0:4]), (.time[5:7]), (.time[8:10]),
      ((.time[11:13] | tonumber) * 3600 + (.time[14:16] | tonumber) * 60 + (.time[17:19] | tonumber)), (.time[19:] | sub(":"; "")),
      .path, .status, .duration_ms, .request_id, .user_agent] | @tsv'
} | LC_ALL=C awk -F'\t' 'function days(y, m, d,  e) {if (m <= 2) y--; e = int(y / 400); y -= e * 400; m = (m + 9) % 12;
      return e * 146097 + y * 365 + int(y / 4) - int(y / 100) + int((153 * m + 2) / 5) + d - 1 - 719468}
    {o = substr($5, 2, 2) * 3600 + substr($5, 4, 2) * 60; if (substr($5, 1, 1) == "-") o = -o; sub(/\?.*/, "", $6)
     print days($1 + 0, $2 + 0, $3 + 0) * 86400 + $4 - o, $6, $7, $8, $9, $10}' OFS='\t' > "$work/table"
python3 - "$slo" > "$work/slo.json" <<'PY'
import json, sys, yaml
slo = yaml.load(open(sys.argv[1]), yaml.BaseLoader)
print(json.dumps(slo))
PY
sqlite3 "$work/db" <<SQL
CREATE TABLE l (t INTEGER, path TEXT, status INTEGER, ms INTEGER, rid TEXT PRIMARY KEY ON CONFLICT IGNORE, agent TEXT);
.mode tabs
.import $work/table l
CREATE TABLE s AS SELECT readfile('$work/slo.json') AS j;
CREATE TABLE goal AS SELECT e.key AS n, json_extract(e.value, '$.name') AS name, json_extract(e.value, '$.routes') AS routes,
  100000 - CAST(round(json_extract(e.value, '$.availability') * 1000) AS INTEGER) AS share, -- in thousandths of a per cent
  CAST(json_extract(e.value, '$.slower_than_ms') AS INTEGER) AS slow FROM s, json_each(s.j, '$.objectives') e;
CREATE TABLE hit AS SELECT g.name, l.t, l.status >= 500 OR l.status = 499 OR coalesce(l.ms > g.slow, 0) AS bad FROM l, goal g, s
  WHERE EXISTS (SELECT 1 FROM json_each(g.routes) r WHERE l.path = r.value OR substr(l.path, 1, length(r.value) + 1) = r.value || '/')
    AND l.t >= strftime('%s', json_extract(s.j, '$.window.start')) + 0 AND l.t < strftime('%s', json_extract(s.j, '$.window.end')) + 0
    AND NOT EXISTS (SELECT 1 FROM json_each(s.j, '$.maintenance') m
      WHERE l.t >= strftime('%s', json_extract(m.value, '$.from')) + 0 AND l.t < strftime('%s', json_extract(m.value, '$.to')) + 0)
    AND NOT EXISTS (SELECT 1 FROM json_each(s.j, '$.probes') p WHERE substr(l.agent, 1, length(p.value)) = p.value)
    AND NOT (l.status = 499 AND l.ms < $HUNG);
CREATE TABLE sums AS SELECT g.n, g.name, (SELECT count(*) FROM hit h WHERE h.name = g.name) AS valid,
  (SELECT count(*) FROM hit h WHERE h.name = g.name AND bad) AS bad, g.share,
  (SELECT strftime('%Y-%m-%dT%H:00Z', t, 'unixepoch') AS hour FROM hit h WHERE h.name = g.name AND bad GROUP BY hour ORDER BY count(*) DESC, hour LIMIT 1) AS worst
  FROM goal g;
.mode list
SELECT json_group_object(name, json_object('valid', valid, 'bad', bad, 'allowed', valid * share / 100000, 'left', valid * share / 100000 - bad, 'worst_hour', worst)) FROM sums;
SQL
SH
} > /workspace/error-budget
chmod 755 /workspace/error-budget
#> Report on the real logs.
/workspace/error-budget /etc/slo/slo.yaml /var/log/api/* > /workspace/budget.json
jq . /workspace/budget.json
#> Check: neither order nor repetition of files may change it, nor may lines stand in another order. And a made-up log known by hand: 3 requests in the window of which 1 failed, one at its end in another offset, one line cut off.
cd /workspace
./error-budget /etc/slo/slo.yaml $(ls -r /var/log/api/*) /var/log/api/access.log | cmp - budget.json && echo "same with files in reverse and one twice"
sort -r /tmp/all > /tmp/shuffled.log && ./error-budget /etc/slo/slo.yaml /tmp/shuffled.log | cmp - budget.json && echo "same with the lines in another order"
printf 'window: {start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z"}\nobjectives:\n  - {name: a, routes: [/x], availability: 50}\n' > /tmp/small.yaml
for at in '01/Mar/2026:00:00:00 +0000] "GET /x/1 HTTP/1.1" 503' '01/Mar/2026:12:00:00 +0000] "GET /x?q=2 HTTP/1.1" 200' '02/Mar/2026:05:29:59 +0530] "GET /x HTTP/1.1" 200' '02/Mar/2026:05:30:00 +0530] "GET /x HTTP/1.1" 503' '01/Mar/2026:12:00:00 +0000] "GET /xy HTTP/1.1" 503'; do
  n=$((n + 1)); printf '203.0.113.9 - - [%s 10 0.100 "curl" %016x\n' "$at" "$n"
done > /tmp/small.log
printf '203.0.113.9 - - [01/Mar/2026:13:' >> /tmp/small.log
./error-budget /tmp/small.yaml /tmp/small.log
