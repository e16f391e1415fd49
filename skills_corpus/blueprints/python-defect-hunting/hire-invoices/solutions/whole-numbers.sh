#> Rules and settings first, and what there is. More than one paper may speak of the rules, so read them all.
cd /workspace
ls . hire docs samples samples/accepted tests
cat docs/*.md
cat hire/settings.py
#> The program from the command line inwards, and what its tests import: those names have to stay.
tail -n +1 invoice.py hire/cli.py hire/periods.py hire/money.py tests/*.py
#> The modules with the prices and the VAT.
tail -n +1 hire/pricing.py hire/vat.py
#> Accepted invoices are the evidence. Each with its booking: what does the program make of it, and is the VAT that was accepted the one on the net sum of a rate, before rounding?
for f in samples/accepted/*.booking.json; do
  cat "$f"
  python3 -B invoice.py "$f" | diff - "${f%.booking.json}.invoice.json" || true
done
for f in samples/accepted/*.invoice.json; do
  python3 -B -c 'import json, sys; from fractions import Fraction as F; from hire.settings import VAT_PERCENT as P; i = json.load(open(sys.argv[1])); print(i["id"], [(r, n, "on the sum", float(F(n) * P[r] / 100), "accepted", i["vat"][r]) for r, n in i["net"].items()])' "$f"
done
#> The accepted VAT is that on the sum of a rate. Floats and state between calls are in several modules, so I calculate anew in one: exact fractions instead of floats, rounding as integer arithmetic in one place, a booking in and an invoice out.
cat > hire/engine.py <<'PY'
"""From booking to invoice with exact fractions; rounding happens in `cents` and nowhere else."""

import datetime
from collections import namedtuple
from fractions import Fraction

from . import settings as s

Line = namedtuple("Line", "item days amount vat")


def cents(x):
    """Round to the cent, half away from zero."""
    n, d = abs(x * 100).as_integer_ratio()
    return Fraction((2 * n + d) // (2 * d) * (1 if x >= 0 else -1), 100)


def show(amount):
    """Write an amount with two decimals."""
    n = int(cents(amount) * 100)
    return f"{'-' if n < 0 else ''}{abs(n) // 100}.{abs(n) % 100:02d}"


def hire_days(first, last):
    """Count the days of hire, pick-up and return included."""
    return max(last.toordinal() + 1 - first.toordinal(), 1)


def due_date(issued):
    """Return the day on which the invoice is due, never on a weekend."""
    due = issued.toordinal() + s.TERM_DAYS
    return datetime.date.fromordinal(due + {6: 2, 0: 1}.get(due % 7, 0))


def price(r):
    """Price a hired item."""
    days = hire_days(*(datetime.date.fromisoformat(r[k]) for k in ("from", "to")))
    part = Fraction(100 - (s.LONG_HIRE_PERCENT if days >= s.LONG_HIRE_DAYS else 0), 100)
    return Line(r["item"], days, cents(Fraction(r["rate"]) * r["qty"] * days * part), r["vat"])


def invoice_lines(b):
    """Return all lines of the invoice, in order."""
    rows = [price(r) for r in b["lines"]]
    rows += [Line("fuel " + r["item"], 0, cents(Fraction(s.FUEL_FEE) * r["qty"]), "standard") for r in b["lines"] if r["item"] in s.BURNS_FUEL]
    if b["delivery"] and sum(r.amount for r in rows) < Fraction(s.FREE_DELIVERY_FROM):
        rows.append(Line("delivery", 0, cents(Fraction(s.DELIVERY_FEE)), "standard"))
    return rows


def totals(rows):
    """Return net and VAT by rate; VAT is rounded once per rate, on its sum."""
    net = dict.fromkeys([r.vat for r in rows], 0)
    for r in rows:
        net[r.vat] += r.amount
    return net, {k: cents(v * s.VAT_PERCENT[k] / 100) for k, v in net.items()}


def invoice(b):
    """Make the invoice of a booking."""
    rows = invoice_lines(b)
    net, vat = totals(rows)
    return {"id": b["id"], "lines": [{"item": r.item, "days": r.days, "amount": show(r.amount)} for r in rows],
            "net": {k: show(v) for k, v in net.items()}, "vat": {k: show(v) for k, v in vat.items()},
            "total": show(sum(net.values()) + sum(vat.values())), "due": due_date(datetime.date.fromisoformat(b["issued"])).isoformat()}
PY
#> The command line uses the new module. The old ones stay for whoever imports them, as names for what the engine does, so that no wrong arithmetic is left anywhere.
sed -i '/^from \.\(money\|periods\|pricing\|vat\)/d; s/^from datetime import date$/from .engine import invoice/' hire/cli.py
sed -i '/^def invoice/,/^def main/{/^def main/!d}' hire/cli.py
cat hire/cli.py
front() { printf '"""%s; the work is done in engine.py."""\n\nfrom .engine import %s  # noqa: F401\n' "$2" "$3" > "hire/$1.py"; }
front money "Amounts of money" "cents, show"
front periods "Days of hire and days of payment" "due_date, hire_days"
front pricing "What the lines of a booking cost" "Line, invoice_lines, price"
front vat "Net amounts and VAT by rate" "totals"
cat hire/periods.py
#> Check: the accepted bookings show no difference, a day's file gives the same as its bookings one by one, ties round away from zero. The old tests run too; should one fail, it has to contradict the accepted invoices, or the mistake is mine.
for f in samples/accepted/*.booking.json; do python3 -B invoice.py "$f" | diff - "${f%.booking.json}.invoice.json" && echo "$f: same"; done
python3 -B invoice.py samples/march.jsonl > /tmp/together
while IFS= read -r b; do printf '%s\n' "$b" > /tmp/one; python3 -B invoice.py /tmp/one; done < samples/march.jsonl | diff /tmp/together - && echo "same one by one"
head -n 2 /tmp/together
python3 -B -c 'from fractions import Fraction as F; from hire.money import show; print([show(F(x)) for x in ("2.675", "0.125", "-0.125", "0.135")])'
python3 -B -m pytest -q --tb=line -p no:cacheprovider tests | tail -n 12
