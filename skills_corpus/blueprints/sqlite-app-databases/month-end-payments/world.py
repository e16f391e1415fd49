"""A shop's database for one month's closing: NULLs, repeats, part payments, orphans, and a month that is not UTC's."""

import sqlite3
from datetime import datetime, timedelta

SCHEMA = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, changed_at TEXT NOT NULL);
CREATE TABLE settings_log (id INTEGER PRIMARY KEY, changed_at TEXT NOT NULL, who TEXT NOT NULL, key TEXT NOT NULL, was TEXT, became TEXT);
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  order_no TEXT NOT NULL UNIQUE,
  customer_id INTEGER REFERENCES customers(id),
  placed_at TEXT NOT NULL,        -- UTC
  status TEXT,                    -- open, paid, shipped, cancelled; NULL: taken by phone, never got one
  is_test INTEGER,                -- 1: somebody tried the checkout; the column came late, older code leaves it NULL
  shipping_cents INTEGER,         -- NULL: collected in the shop
  discount_cents INTEGER          -- NULL: none
);
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, sku TEXT NOT NULL, qty INTEGER NOT NULL, unit_cents INTEGER NOT NULL);
CREATE TABLE payments (
  id INTEGER PRIMARY KEY,
  order_id INTEGER,               -- NULL: the transfer named no order
  provider_ref TEXT,              -- the provider's own reference; NULL: cash or bank transfer
  kind TEXT NOT NULL,             -- charge, refund, chargeback
  state TEXT NOT NULL,            -- pending, settled, failed
  amount_cents INTEGER NOT NULL,  -- @SIGN@
  booked_at TEXT NOT NULL         -- UTC
);
CREATE INDEX payments_order ON payments(order_id);
CREATE INDEX lines_order ON order_lines(order_id);
"""

RULES = """# Closing a month

- A month is a month on the shop's own clock (`settings`, key `utc_offset`), the clock that customers see. The order number
  is made from it too: day, then a running number.
- Test orders and cancelled orders are not billed. Everything else is, whatever became of it.
- An order comes to its lines (quantity times unit price) plus shipping minus discount.
- Only settled payments are money. {sign}
- When we answer the provider late, he sends a notification again and we store it again. A settled row whose
  `provider_ref` was on an earlier settled row (lower id) is a repeat: it is no money.{loose}
- Pending and failed rows are only the history of a payment. They are no repeats, and nothing is a repeat of them.
- What came in for an order counts for that order, in whichever month it came in.
"""
LOOSE = """ The provider says of his
  references: letter case has no meaning, and blanks around them have none either."""


def build(world):
    rng = world.rng
    year, month = rng.choice([(2025, 10), (2025, 11), (2026, 1), (2026, 2), (2026, 3)])
    true_offset, new_offset = rng.choice([("+05:30", "-03:00"), ("+09:00", "-05:00"), ("-06:00", "+04:00"), ("+08:00", "-04:00")])
    if not world.knob("local_books"):
        true_offset = "+00:00"
    shift = _delta(true_offset)
    start = datetime(year, month, 1)
    end = datetime(year + month // 12, month % 12 + 1, 1)
    days = (end - start).days

    local = [start + timedelta(seconds=rng.randrange(86400, (days - 1) * 86400)) for _ in range(world.knob("orders"))]
    local += [start - timedelta(days=rng.randint(3, 20), seconds=rng.randrange(86400)) for _ in range(25)]
    local += [end + timedelta(days=rng.randint(3, 9), seconds=rng.randrange(86400)) for _ in range(20)]
    near = [timedelta(minutes=rng.randint(15, 150)) for _ in range(10)]
    edge = [start + d for d in near[:2]] + [end - d for d in near[2:4]]  # inside, though UTC says otherwise
    edge += [start - d for d in near[4:7]] + [end + d for d in near[7:10]]  # outside, though UTC says otherwise
    local = sorted(set(local) | set(edge))
    edge_unpaid = {edge[0], edge[2], edge[5], edge[8]}

    orders, lines, payments, numbers, counter = [], [], [], {}, {}
    signless = world.knob("signless")

    def pay(order_id, cents, moment, kind="charge", state="settled", ref="", at=None):
        if ref == "":
            ref = "pi_" + "".join(rng.choices("abcdefghjkmnpqrstuvwxyz23456789", k=12))
        amount = cents if kind == "charge" or signless else -cents
        payments.append([order_id, ref, kind, state, amount, moment, at])
        return ref

    middle = [m for m in local if start + timedelta(days=1) <= m < end - timedelta(days=1)]
    fates = ["unpaid"] * 4 + ["part"] * 3 + ["twice"] * 3 + ["refunded"] * 2 + ["part_refund"] * 2 + ["charged_back"] * 2
    fates += ["repeat"] * 6 + ["moved_on"] * 4 + ["instalments"] * 5 + ["cash"] * 5 + ["failed_then_ok"] * 4 + ["gift"] * 2
    fates += ["test"] * 4 + ["cancelled"] * 4 + ["cancelled_paid"] * 2 + ["pending"] * 2 + ["repeat_part"] * 2
    chosen = dict(zip(rng.sample(middle, len(fates)), fates))
    for number, moment in enumerate(local, 1):
        day = f"{moment:%y%m%d}"
        counter[day] = counter.get(day, 0) + 1
        order_no = f"{day}-{counter[day]:03d}"
        fate = chosen.get(moment, "unpaid" if moment in edge_unpaid else "paid")
        order_id = 1000 + number * 3 + rng.randrange(3)
        own = [(f"SKU-{rng.randint(100, 180)}", rng.randint(1, 3), rng.randint(190, 9990)) for _ in range(rng.randint(1, 4))]
        shipping = rng.choice([None, 390, 490, 690])
        discount = rng.choice([None, None, 100, 150]) if sum(q * u for _, q, u in own) > 800 else None
        status = "cancelled" if fate.startswith("cancelled") else rng.choice([None, "open", "paid", "shipped", "shipped"])
        test = 1 if fate == "test" else rng.choice([None, None, 0])
        placed = moment - shift
        orders.append((order_id, order_no, rng.randint(1, 40), f"{placed:%Y-%m-%d %H:%M:%S}", status, test, shipping, discount))
        lines.extend((order_id, *line) for line in own)
        total = sum(q * u for _, q, u in own) + (shipping or 0) - (discount or 0)
        numbers[order_no] = [moment, fate, total, 0]
        _settle(rng, pay, fate, order_id, total, placed, world.knob("loose_refs"))

    for _ in range(5):  # money that belongs to nobody: no order named, or an order that was deleted
        pay(None, rng.randint(900, 9000), start + timedelta(days=rng.randint(2, 25)), ref=None)
        pay(rng.randint(90000, 99999), rng.randint(900, 9000), start + timedelta(days=rng.randint(2, 25)))
    ref = pay(None, 4200, start + timedelta(days=7))
    pay(None, 4200, start + timedelta(days=7, minutes=3), ref=ref)
    pay(77777, 1500, start + timedelta(days=9), state="failed")
    payments.sort(key=lambda p: p[5])

    number_of = {o[0]: o[1] for o in orders}
    seen, repeats, orphans = set(), [], []
    for payment_id, (order_id, ref, kind, state, amount, _, _) in enumerate(payments, 1):
        if state != "settled":
            continue
        key = ref and ref.strip().lower()
        if key in seen:
            repeats.append(payment_id)
            continue
        if key:
            seen.add(key)
        if order_id not in number_of:
            orphans.append(payment_id)
        else:
            numbers[number_of[order_id]][3] += amount if kind == "charge" else -abs(amount)
    billed = {n: v for n, v in numbers.items() if start <= v[0] < end and v[1] not in ("test", "cancelled", "cancelled_paid")}

    sign = "charge: positive, refund and chargeback: negative"
    told = "Refunds and chargebacks carry a minus."
    if signless:
        sign, told = "never negative; see kind", "A charge adds, a refund or a chargeback takes away."
    path = world.path("/srv/shop/shop.db")
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(SCHEMA.replace("@SIGN@", sign))
    later = end + timedelta(days=rng.randint(10, 14), hours=9)
    stamp = "2024-02-05 08:00:00"
    history = [(stamp, "setup", "currency", None, "EUR"), (stamp, "setup", "utc_offset", None, true_offset),
               ("2025-06-11 10:12:44", "miriam", "invoice_footer", "", "Thank you!")]
    current = (true_offset, stamp)
    if world.knob("moved_clock"):
        history.append((f"{later:%Y-%m-%d %H:%M:%S}", "hosting", "utc_offset", true_offset, new_offset))
        current = (new_offset, f"{later:%Y-%m-%d %H:%M:%S}")
    db.executemany("INSERT INTO settings VALUES (?, ?, ?)", [("currency", "EUR", stamp), ("utc_offset", *current)])
    db.executemany("INSERT INTO settings_log (changed_at, who, key, was, became) VALUES (?, ?, ?, ?, ?)", history)
    db.executemany("INSERT INTO customers VALUES (?, ?, ?)", [(i, f"customer{i}@example.net", None) for i in range(1, 41)])
    db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)", orders)
    db.executemany("INSERT INTO order_lines (order_id, sku, qty, unit_cents) VALUES (?, ?, ?, ?)", lines)
    db.executemany("INSERT INTO payments (order_id, provider_ref, kind, state, amount_cents, booked_at) VALUES (?, ?, ?, ?, ?, ?)",
                   [(o, r, k, s, a, f"{m:%Y-%m-%d %H:%M:%S}") for o, r, k, s, a, m, _ in payments])
    db.commit()
    db.close()
    world.write("/srv/shop/docs/closing-a-month.md", RULES.format(sign=told, loose=LOOSE if world.knob("loose_refs") else ""))
    world.publish("month", f"{start:%B %Y}")
    return {
        "orders": len(billed),
        "billed_cents": sum(v[2] for v in billed.values()),
        "received_cents": sum(v[3] for v in billed.values()),
        "unpaid": [[n, v[2] - v[3]] for n, v in sorted(billed.items()) if v[3] < v[2]],
        "overpaid": [[n, v[3] - v[2]] for n, v in sorted(billed.items()) if v[3] > v[2]],
        "repeats": repeats,
        "orphans": orphans,
        "database": world.digest("/srv/shop/shop.db"),
    }


def _delta(offset):
    sign = -1 if offset[0] == "-" else 1
    return sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:6]))


def _settle(rng, pay, fate, order_id, total, placed, loose):
    """Write the payment rows that one order's fate leaves behind."""
    def after(**span):
        return placed + timedelta(**span)

    if fate in ("unpaid", "cancelled", "test"):
        return
    if fate == "pending":
        pay(order_id, total, after(minutes=2), state="pending")
    elif fate in ("part", "repeat_part"):
        first = total // 2
        ref = pay(order_id, first, after(minutes=3))
        if fate == "repeat_part":  # the repeat makes a half payment look like a whole one
            pay(order_id, first, after(minutes=9), ref=_again(rng, ref, loose))
    elif fate == "twice":  # two charges in truth: the references differ
        pay(order_id, total, after(minutes=1))
        pay(order_id, total, after(minutes=2))
    elif fate == "repeat":
        ref = pay(order_id, total, after(minutes=1))
        pay(order_id, total, after(minutes=rng.randint(4, 90)), ref=_again(rng, ref, loose))
    elif fate == "moved_on":
        ref = pay(order_id, total, after(minutes=1), state="pending")
        pay(order_id, total, after(days=2), ref=ref)
    elif fate == "failed_then_ok":
        ref = pay(order_id, total, after(minutes=1), state="failed")
        pay(order_id, total, after(minutes=6), ref=ref)
    elif fate == "instalments":
        third = total // 3
        for n, cents in enumerate((third, third, total - 2 * third)):
            pay(order_id, cents, after(days=11 * n, minutes=2))
    elif fate == "cash":
        pay(order_id, total - 100, after(days=1), ref=None)
        pay(order_id, 100, after(days=1, minutes=1), ref=None)
    elif fate == "gift":
        pay(order_id, total + rng.choice([200, 500]), after(days=2), ref=None)
    else:
        pay(order_id, total, after(minutes=2))
        if fate == "refunded":
            pay(order_id, total, after(days=6), kind="refund")
        elif fate == "part_refund":
            pay(order_id, total // 4, after(days=5), kind="refund")
        elif fate == "charged_back":
            pay(order_id, total, after(days=20), kind="chargeback")
            pay(order_id, total, after(days=26), kind="refund", state="failed")


def _again(rng, ref, loose):
    """The reference as a repeated notification spells it."""
    return rng.choice([ref.upper(), ref + " ", ref, " " + ref.capitalize()]) if loose else ref
