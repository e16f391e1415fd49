#> First a look at what the columns mean and at how a month is closed, read-only, as the shop is live. Then the tables can be read into plain lists and the accounts settled one by one.
ls -l /srv/shop /srv/shop/docs
cat /srv/shop/docs/*
sha256sum /srv/shop/shop.db* > /tmp/sums
shop() { sqlite3 -header "file:/srv/shop/shop.db?mode=ro" "$1"; }
shop .schema
#> What do rows look like, which values are there, and which months do the order numbers begin with? The month that is to be closed should be the fullest by far.
shop "SELECT * FROM orders LIMIT 4; SELECT * FROM payments LIMIT 4; SELECT substr(order_no, 1, 4) AS month, count(*), min(placed_at), max(placed_at) FROM orders GROUP BY 1"
shop "SELECT status, is_test, count(*) FROM orders GROUP BY 1, 2; SELECT kind, state, count(*), min(amount_cents), max(amount_cents), sum(provider_ref IS NULL) AS no_ref FROM payments GROUP BY 1, 2"
shop "SELECT lower(trim(provider_ref)) AS ref, group_concat(quote(provider_ref) || ' ' || state, ', ') AS spelled FROM payments WHERE provider_ref IS NOT NULL GROUP BY 1 HAVING count(*) > 1 LIMIT 8"
#> The order number begins with the day on the shop's clock, so the month needs no offset at all: it is the first four digits, and the one to close is the fullest. Then each settled payment is a repeat, money for its order, or an orphan.
cat > /tmp/close.py <<'PY'
import json, sqlite3
from collections import Counter, defaultdict
db = sqlite3.connect("file:/srv/shop/shop.db?mode=ro", uri=True)
db.row_factory = sqlite3.Row
orders = {o["id"]: dict(o) for o in db.execute("SELECT * FROM orders")}
(month, _), *others = Counter(o["order_no"][:4] for o in orders.values()).most_common()
print("closing", month, "not", others)
due = {i: (o["shipping_cents"] or 0) - (o["discount_cents"] or 0) for i, o in orders.items()}
for order_id, qty, unit in db.execute("SELECT order_id, qty, unit_cents FROM order_lines"):
    due[order_id] += qty * unit
got, seen, repeats, orphans = defaultdict(int), set(), [], []
for p in db.execute("SELECT * FROM payments ORDER BY id"):
    if p["state"] != "settled":
        continue
    ref = p["provider_ref"].strip().casefold() if p["provider_ref"] is not None else object()
    if ref in seen:
        repeats.append(p["id"])
        continue
    seen.add(ref)
    if p["order_id"] in orders:
        got[p["order_id"]] += abs(p["amount_cents"]) * (1 if p["kind"] == "charge" else -1)
    else:
        orphans.append(p["id"])
mine = sorted((o["order_no"], due[i], got[i]) for i, o in orders.items()
              if o["order_no"].startswith(month) and o["status"] != "cancelled" and o["is_test"] != 1)
json.dump({"orders": len(mine), "billed_cents": sum(d for _, d, _ in mine), "received_cents": sum(g for _, _, g in mine),
           "unpaid": [{"order_no": n, "owed_cents": d - g} for n, d, g in mine if g < d],
           "overpaid": [{"order_no": n, "excess_cents": g - d} for n, d, g in mine if g > d],
           "repeats": repeats, "orphans": orphans}, open("/workspace/close.json", "w"))
PY
python3 /tmp/close.py
jq -c '{orders, billed_cents, received_cents, repeats, orphans}, .unpaid[], .overpaid[]' /workspace/close.json | head -n 40
#> Check: billed less received must be what is owed less what is in excess, orders counted and summed once more in SQL must agree, and the shop's file must be as it was.
jq '.billed_cents - .received_cents - ([.unpaid[].owed_cents] | add // 0) + ([.overpaid[].excess_cents] | add // 0)' /workspace/close.json
shop "SELECT substr(order_no, 1, 4) AS month, count(*) AS orders, sum(coalesce((SELECT sum(qty * unit_cents) FROM order_lines l WHERE l.order_id = o.id), 0) + coalesce(shipping_cents, 0) - coalesce(discount_cents, 0)) AS billed
  FROM orders o WHERE status IS NOT 'cancelled' AND is_test IS NOT 1 GROUP BY 1"
sha256sum -c /tmp/sums
