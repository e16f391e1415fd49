#> Read the rules, the settings, the whole package and its tests, and see which samples there are, before touching anything.
cd /workspace
cat docs/*.md hire/settings.py
tail -n +1 hire/*.py tests/*.py
ls samples samples/accepted
#> Reproduce: run the program on the accepted bookings and compare with the accepted invoices; should documents, docstrings or tests say otherwise, the accepted results count. Then march.jsonl, and a list of the places to suspect: floats, rounding, default lists, limits.
compare() {
  for booking in samples/accepted/*.booking.json; do
    python3 -B invoice.py "$booking" | diff - "${booking%.booking.json}.invoice.json" && echo "$booking: same"
  done
}
compare
python3 -B invoice.py samples/march.jsonl
grep -nE 'float|round\(|int\(|=\[\]|=\{\}|\{\}$|groupby|\.days|> ' hire/*.py
#> Money first: amounts will be Decimals, and one rounding function with its mode named has to serve all modules.
cat > hire/money.py <<'PY'
"""Amounts of money."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def cents(amount):
    """Round to the cent, half away from zero."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def show(amount):
    """Write an amount with two decimals."""
    return f"{amount:.2f}"
PY
#> The lines: Decimal from the booking's text, each line at its own rate, no default list that lives on from call to call, the discount from its first day on, and lines that are read twice are a list.
cat > hire/pricing.py <<'PY'
"""What the lines of a booking cost."""

from datetime import date
from decimal import Decimal

from . import settings
from .money import cents
from .periods import hire_days


class Line:
    """A line of an invoice."""

    def __init__(self, item, days, amount, vat="standard"):
        self.item, self.days, self.amount, self.vat = item, days, amount, vat


def price(line):
    """Price a hired item."""
    days = hire_days(date.fromisoformat(line["from"]), date.fromisoformat(line["to"]))
    amount = Decimal(line["rate"]) * line["qty"] * days
    if days >= settings.LONG_HIRE_DAYS:
        amount = amount * (100 - settings.LONG_HIRE_PERCENT) / 100
    return Line(line["item"], days, cents(amount), line["vat"])


def fuel_fees(lines):
    """Return a fee line for each item that burns fuel."""
    return [
        Line("fuel " + line["item"], 0, cents(Decimal(settings.FUEL_FEE) * line["qty"]))
        for line in lines
        if line["item"] in settings.BURNS_FUEL
    ]


def with_delivery(lines, wanted):
    """Add the delivery to priced lines, unless it is free."""
    lines = list(lines)
    if wanted and sum(line.amount for line in lines) < Decimal(settings.FREE_DELIVERY_FROM):
        lines.append(Line("delivery", 0, cents(Decimal(settings.DELIVERY_FEE))))
    return lines


def invoice_lines(booking):
    """Return all lines of the invoice, in order."""
    hired = [price(line) for line in booking["lines"]]
    return with_delivery(hired + fuel_fees(booking["lines"]), booking["delivery"])
PY
#> Days: one is added to days of hire and only there; Saturday is a weekend too.
sed -i 's/return max((last - first).days, 1)/return max((last - first).days + 1, 1)/; s/due.weekday() > 5/due.weekday() >= 5/' hire/periods.py
#> VAT as in the accepted invoices: once per rate, on the sum of all its lines, wherever they stand. groupby would join only neighbours: if vat.py uses it, write it anew, else it can stay as it is.
if grep -q groupby hire/vat.py; then
cat > hire/vat.py <<'PY'
"""Net amounts and VAT by rate."""

from . import settings
from .money import cents


def totals(lines):
    """Return net and VAT by rate; VAT is rounded once per rate, on its sum."""
    net = {}
    for line in lines:
        net[line.vat] = net.get(line.vat, 0) + line.amount
    vat = {rate: cents(amount * settings.VAT_PERCENT[rate] / 100) for rate, amount in net.items()}
    return net, vat
PY
fi
#> Check: the accepted invoices come out, march.jsonl gives the same as its bookings one by one, ties and credits are right.
compare
python3 -B invoice.py samples/march.jsonl > /tmp/together
while IFS= read -r booking; do printf '%s\n' "$booking" > /tmp/one; python3 -B invoice.py /tmp/one; done < samples/march.jsonl | diff /tmp/together - && echo "same one by one"
python3 -B -c 'from decimal import Decimal as D; from hire.money import cents; print([cents(D(x)) for x in ("2.675", "0.125", "-0.125", "0.135")])'
