#> First a look at what the columns mean and at how a month is closed, read-only, as the shop is live. Then the tables can be read into plain lists and the accounts settled one by one.
sqlite3 "file:/srv/shop/shop.db?mode=ro" .schema
cat /srv/shop/docs/closing-a-month.md
#> The order number begins with the day on the shop's clock, so the month needs no offset at all: read it from the numbers. Then each settled payment is a repeat, money for its order, or an orphan.
cat > /tmp/close.py <<'PY'
import json, sqlite3
from collections import Counter, defaultdict
db = sqlite3.connect("file:/srv/shop/shop.db?mode=ro", uri=True)
db.row_factory = sqlite3.Row
orders = {o["id"]: dict(o) for o in db.execute("SELECT * FROM orders")}
month = Counter(o["order_no"][:4] for o in orders.values()).most_common(1)[0][0]
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
