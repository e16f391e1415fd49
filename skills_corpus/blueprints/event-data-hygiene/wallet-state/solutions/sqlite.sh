#> Read the papers: the contract, and change logs or notices in case there are any, with their names, for some of them replace others.
cat CONTRACT.md
for f in producer/* notices/*; do if [ -f "$f" ]; then echo "== $f"; cat "$f"; fi; done
#> Then the feed: how many lines, which types in which schema, one line of each of these kinds, the currencies and the batches. Ids have to keep all their digits, so I think of SQLite, whose integers have 64 bits.
wc -l feed/*.jsonl; sqlite3 --version | cut -c 1-20
jq -c '[.schema, .type]' feed/*.jsonl | sort | uniq -c
awk '{k = ($0 ~ /"schema": 2/) "" ($0 ~ /heartbeat/)} n[k]++ < 1' feed/*.jsonl
grep -oh '"\(currency\|batch\)": "[^"]*"' feed/*.jsonl | sort | uniq -c
#> Put the feed into one file, and list the batches that a notice withdraws and no notice lets stand after all; without notices that list is empty.
cat feed/*.jsonl > /tmp/all.jsonl
grep -h 'withdrawn' notices/*.txt 2>/dev/null | grep -o 'b-[0-9]*' | sort -u > /tmp/w0
grep -h 'stands' notices/*.txt 2>/dev/null | grep -o 'b-[0-9]*' | sort -u > /tmp/w1
comm -23 /tmp/w0 /tmp/w1 > /tmp/withdrawn
wc -l < /tmp/all.jsonl; echo "withdrawn: $(paste -sd' ' /tmp/withdrawn)"
#> One row per line of the feed, as text; the separator is a control character that JSON text cannot contain. Rank by attempt within the event, then by revision within the wallet, and write both files from the same tables.
sqlite3 :memory: <<'SQL'
create table raw(line text);
create table withdrawn(batch text);
.mode ascii
.separator "\001" "\n"
.import /tmp/all.jsonl raw
.import /tmp/withdrawn withdrawn
create table d as select
  coalesce(json_extract(line,'$.event_id'), json_extract(line,'$.id')) id,
  json_extract(line,'$.type') type,
  cast(coalesce(json_extract(line,'$.wallet'), json_extract(line,'$.data.wallet_id')) as text) wallet,
  coalesce(json_extract(line,'$.owner'), json_extract(line,'$.data.owner')) owner,
  case json_extract(line,'$.schema') when 1 then json_extract(line,'$.balance') else json_extract(line,'$.data.balance.amount') end amount,
  coalesce(json_extract(line,'$.currency'), json_extract(line,'$.data.balance.currency')) currency,
  coalesce(json_extract(line,'$.revision'), json_extract(line,'$.meta.revision')) revision,
  coalesce(json_extract(line,'$.attempt'), json_extract(line,'$.meta.attempt')) attempt,
  coalesce(json_extract(line,'$.batch'), json_extract(line,'$.meta.batch')) batch
  from raw;
create table ok as select *, cast(replace(amount,'.','') as integer) minor,
  case currency when 'JPY' then 0 when 'KWD' then 3 else 2 end digits,
  row_number() over (partition by id order by attempt desc) n
  from d where type <> 'feed.heartbeat' and batch not in (select batch from withdrawn);
create table last as select * from (select *, row_number() over (partition by wallet order by revision desc) r from ok where n = 1) where r = 1;
create table alive as select * from last where type <> 'wallet.closed';
.mode list
.output /workspace/wallets.jsonl
select json_object('wallet', wallet, 'owner', owner, 'currency', currency, 'balance_minor', minor, 'revision', revision) from alive;
.output /workspace/report.json
select json_object(
  'deliveries', (select count(*) from raw),
  'events', (select count(distinct id) from ok),
  'repeats', (select count(*) - count(distinct id) from ok),
  'refused', (select count(*) from raw) - (select count(*) from ok),
  'closed', (select count(*) from last) - (select count(*) from alive),
  'totals', (select json_group_object(currency, case digits when 0 then cast(s as text)
      when 2 then printf('%d.%02d', s / 100, s % 100) else printf('%d.%03d', s / 1000, s % 1000) end)
    from (select currency, digits, sum(minor) s from alive group by currency, digits)));
SQL
cat /workspace/report.json
#> Check: the three counts have to add up to the lines, every wallet id must stand in the feed with just these digits, none may be there twice, and the deliveries of one wallet are there to be compared with its line by eye.
jq '.events + .repeats + .refused == .deliveries' report.json
head -n 3 wallets.jsonl; wc -l < wallets.jsonl
jq -r .wallet wallets.jsonl | sort | uniq -d | wc -l
for w in $(jq -r .wallet wallets.jsonl); do grep -q "\(\"wallet\": \|\"wallet_id\": \"\)$w\b" feed/*.jsonl || echo "$w is not in the feed"; done
w=$(head -n 1 wallets.jsonl | jq -r .wallet); grep -h "$w" feed/*.jsonl | tail -n 4
