#> The policy first, with its numbers, those of single hosts if there are any, the register of holds, and what else lies in the store.
cat /workspace/POLICY.md
for f in /etc/backup/*.toml /etc/backup/*/*.toml; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
ls -l /srv/backup; cat /srv/backup/holds.tsv
#> Now the records: a full set of the catalogue and an incremental one if it has any, what its fields hold, and the beginning of a log of verifications if there is one. Ids, times and signs between them decide how all this goes into tables.
grep -m1 '"full"' /srv/backup/catalog.jsonl; grep -m1 '"incremental"' /srv/backup/catalog.jsonl
jq -r '[.host, .kind, .verified, (.finished | length)] | @tsv' /srv/backup/catalog.jsonl | sort | uniq -c
if [ -f /srv/backup/verify.log ]; then head -n 4 /srv/backup/verify.log; wc -l /srv/backup/verify.log; fi
sqlite3 --version | cut -c 1-20
#> Tables for a database first: sets, holds, the numbers of each host, with its own ones before the general ones, verifications if there is a log of them, and the hours between UTC and the zone that the policy names.
D=/tmp/plan.db
jq -r '[.id, .host, .parent // "", .finished, .bytes, .verified] | @tsv' /srv/backup/catalog.jsonl > /tmp/sets.tsv
tail -n +2 /srv/backup/holds.tsv > /tmp/holds.tsv
sed 's/ verify set=/\t/; s/ result=/\t/' /srv/backup/verify.log 2>/dev/null > /tmp/verify.tsv
for h in $(cut -f2 /tmp/sets.tsv | sort -u); do
  cat /etc/backup/retention.toml /etc/backup/retention.d/$h.toml 2>/dev/null | awk -v h="$h" '$2 == "=" {n[$1] = $3} END {for (k in n) print h "\t" k "\t" n[k]}'
done > /tmp/numbers.tsv
head -n 2 /tmp/sets.tsv /tmp/holds.tsv /tmp/verify.tsv; cat /tmp/numbers.tsv
hours=$(grep -oE 'in UTC[+-][0-9]+' /workspace/POLICY.md | grep -oE '[+-][0-9]+' | head -n 1)
echo "zone: UTC${hours:-}"
#> Load them and turn each reason to stay into a query: the newest good set of each day, week and month, holds, unverified sets, and all that these build on. An ISO week is named by its Thursday.
sqlite3 $D <<SQL
.mode tabs
CREATE TABLE s(id, host, parent, finished, bytes INTEGER, verified);
CREATE TABLE h(day, id, action, why); CREATE TABLE v(at, id, result); CREATE TABLE n(host, period, number INTEGER);
.import /tmp/sets.tsv s
.import /tmp/holds.tsv h
.import /tmp/verify.tsv v
.import /tmp/numbers.tsv n
CREATE TABLE last AS SELECT id, coalesce((SELECT result FROM v WHERE v.id = s.id ORDER BY at DESC LIMIT 1), verified) AS result FROM s;
CREATE TABLE up AS WITH RECURSIVE u(id, over) AS (SELECT id, parent FROM s WHERE parent <> '' UNION SELECT u.id, s.parent FROM u JOIN s ON s.id = u.over WHERE s.parent <> '') SELECT * FROM u;
CREATE TABLE usable AS SELECT s.*, datetime(finished, '${hours:-+0} hours') AS local FROM s
  WHERE (SELECT result FROM last WHERE last.id = s.id) = 'ok' AND NOT EXISTS (SELECT 1 FROM up JOIN last ON last.id = up.over WHERE up.id = s.id AND result <> 'ok');
CREATE TABLE p AS SELECT id, host, finished, 'daily' AS period, date(local) AS slot FROM usable
  UNION ALL SELECT id, host, finished, 'weekly', date(local, '-3 days', 'weekday 4') FROM usable
  UNION ALL SELECT id, host, finished, 'monthly', substr(local, 1, 7) FROM usable;
CREATE TABLE k AS SELECT id, period AS reason FROM (SELECT *, dense_rank() OVER (PARTITION BY host, period ORDER BY slot DESC) AS d,
    row_number() OVER (PARTITION BY host, period, slot ORDER BY finished DESC) AS r FROM p) q WHERE r = 1 AND d <= (SELECT number FROM n WHERE n.host = q.host AND n.period = q.period);
INSERT INTO k SELECT id, 'hold' FROM h WHERE rowid IN (SELECT max(rowid) FROM h GROUP BY id) AND action = 'hold';
INSERT INTO k SELECT id, 'unverified' FROM last WHERE result = 'never';
INSERT INTO k SELECT DISTINCT over, 'chain' FROM up WHERE id IN (SELECT id FROM k);
SELECT (SELECT host FROM s WHERE s.id = k.id) AS host, reason, count(*) FROM k GROUP BY 1, 2;
SQL
#> Write the plan. In `delete` the sets deepest in their chain come first, so that no parent goes before its children.
sqlite3 $D "SELECT json_object('keep', (SELECT json_group_object(id, json(r)) FROM (SELECT id, json_group_array(reason) AS r FROM k GROUP BY id)),
  'delete', (SELECT json_group_array(id) FROM (SELECT id FROM s WHERE id NOT IN (SELECT id FROM k) ORDER BY (SELECT count(*) FROM up WHERE up.id = s.id) DESC)),
  'freed_bytes', (SELECT sum(bytes) FROM s WHERE id NOT IN (SELECT id FROM k)))" > /workspace/plan.json
jq '{keep: (.keep | length), delete: (.delete | length), freed_bytes, first: .delete[0:3]}' /workspace/plan.json; wc -l < /srv/backup/catalog.jsonl
#> Play the plan through as the program will carry it out: delete one by one, and after each say if a set is left whose parent is gone. Nothing printed but the number of sets left, which has to be that of `keep`, means it works.
sqlite3 $D <<'SQL'
CREATE TABLE gone(nr INTEGER PRIMARY KEY, id);
INSERT INTO gone SELECT key, value FROM json_each(readfile('/workspace/plan.json'), '$.delete');
SELECT 'left without its parent: ' || s.id FROM s JOIN gone p ON p.id = s.parent LEFT JOIN gone c ON c.id = s.id WHERE c.nr IS NULL OR c.nr > p.nr;
SELECT count(*) || ' left' FROM s WHERE id NOT IN (SELECT id FROM gone);
SQL
