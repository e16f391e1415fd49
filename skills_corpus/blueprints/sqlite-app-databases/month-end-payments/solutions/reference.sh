#> See what is there, read how a month is closed, and look at the schema with its comments. All of it on a copy: the shop is live.
ls -l /srv/shop /srv/shop/docs
cat /srv/shop/docs/*
sha256sum /srv/shop/shop.db* > /tmp/sums
mkdir -p /tmp/copy && cp -p /srv/shop/shop.db* /tmp/copy/
sqlite3 /tmp/copy/shop.db 'PRAGMA integrity_check' .schema
#> Before writing conditions: which values and NULLs are in the columns that decide, and do references repeat within and across states?
sqlite3 -header /tmp/copy/shop.db "
SELECT status, is_test, count(*) FROM orders GROUP BY 1, 2;
SELECT kind, state, count(*), min(amount_cents), max(amount_cents), sum(order_id IS NULL), sum(provider_ref IS NULL) FROM payments GROUP BY 1, 2;
SELECT lower(trim(provider_ref)) AS ref, group_concat(state), group_concat(provider_ref, '|') FROM payments WHERE provider_ref IS NOT NULL GROUP BY 1 HAVING count(*) > 1 LIMIT 12;
SELECT * FROM settings; SELECT * FROM settings_log;"
#> The month is cut by the shop's clock. Order numbers are made from that clock, so try every offset that the settings ever had, and take the one under which all order numbers agree with their time. The month to close should then be the fullest by far.
sqlite3 /tmp/copy/shop.db "
CREATE TABLE offsets AS SELECT value AS off FROM settings WHERE key = 'utc_offset' UNION SELECT became FROM settings_log WHERE key = 'utc_offset';
SELECT off, sum(strftime('%Y%m%d', placed_at, off) = '20' || substr(order_no, 1, 6)) AS agree, count(*) FROM orders, offsets GROUP BY off;"
offset=$(sqlite3 /tmp/copy/shop.db "SELECT off FROM offsets ORDER BY (SELECT sum(strftime('%Y%m%d', placed_at, off) = '20' || substr(order_no, 1, 6)) FROM orders) DESC LIMIT 1")
sqlite3 /tmp/copy/shop.db "SELECT strftime('%Y-%m', placed_at, '$offset') AS month, count(*), min(order_no), max(order_no) FROM orders GROUP BY 1"
month=$(sqlite3 /tmp/copy/shop.db "SELECT strftime('%Y-%m', placed_at, '$offset') FROM orders GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")
echo "offset $offset, month $month"
#> Lines and payments are summed apart, each in its own step, so that neither multiplies the other; repeats are found among settled rows only, and a NULL reference is never a repeat.
sqlite3 /tmp/copy/shop.db "
CREATE VIEW money AS
  SELECT p.id, p.order_id, CASE kind WHEN 'charge' THEN amount_cents ELSE -abs(amount_cents) END AS cents,
    provider_ref IS NOT NULL AND EXISTS (SELECT 1 FROM payments e WHERE e.state = 'settled' AND e.id < p.id
      AND lower(trim(e.provider_ref)) = lower(trim(p.provider_ref))) AS again
  FROM payments p WHERE state = 'settled';
CREATE VIEW closing AS
  SELECT o.order_no,
    coalesce((SELECT sum(qty * unit_cents) FROM order_lines l WHERE l.order_id = o.id), 0) + coalesce(shipping_cents, 0) - coalesce(discount_cents, 0) AS billed,
    coalesce((SELECT sum(cents) FROM money m WHERE m.order_id = o.id AND NOT again), 0) AS received
  FROM orders o
  WHERE strftime('%Y-%m', placed_at, '$offset') = '$month' AND is_test IS NOT 1 AND status IS NOT 'cancelled';
SELECT json_object(
  'orders', (SELECT count(*) FROM closing), 'billed_cents', (SELECT sum(billed) FROM closing), 'received_cents', (SELECT sum(received) FROM closing),
  'unpaid', (SELECT json_group_array(json_object('order_no', order_no, 'owed_cents', billed - received)) FROM (SELECT * FROM closing WHERE received < billed ORDER BY order_no)),
  'overpaid', (SELECT json_group_array(json_object('order_no', order_no, 'excess_cents', received - billed)) FROM (SELECT * FROM closing WHERE received > billed ORDER BY order_no)),
  'repeats', (SELECT json_group_array(id) FROM (SELECT id FROM money WHERE again ORDER BY id)),
  'orphans', (SELECT json_group_array(id) FROM (SELECT id FROM money m WHERE NOT again AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = m.order_id) ORDER BY id)));
" | jq . > /workspace/close.json
#> Check: billed minus received must be what is owed less what is in excess. The shop's file must be as it was. And say by which clock the month was cut.
jq '{orders, billed_cents, received_cents, difference: (.billed_cents - .received_cents - ([.unpaid[].owed_cents] | add) + ([.overpaid[].excess_cents] | add)), repeats, orphans}' -c /workspace/close.json
sha256sum -c /tmp/sums
echo "The month was cut at $offset from UTC, because only under that offset every order number agrees with its time."
