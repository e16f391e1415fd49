# Slip: the default list is gone, but the day rate of an item is still remembered from the booking before
# Fails at: medium, hard
# Source: SKILL.md:30
#> Read the rules and the package.
cd /workspace
cat docs/*.md hire/*.py
#> Money first: Decimal from the text of the booking, one rounding function with its mode named, no second copy of it.
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
#> The lines: no default list that lives on, each item's rate is parsed only once, both days count, the discount begins at its first day, and lines that are read twice are a list.
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


RATES = {}


def day_rate(line):
    """Return the day rate; parsing it once per item is enough."""
    return RATES.setdefault(line["item"], Decimal(line["rate"]))


def price(line):
    """Price a hired item."""
    days = hire_days(date.fromisoformat(line["from"]), date.fromisoformat(line["to"]))
    amount = day_rate(line) * line["qty"] * days
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
#> VAT: once per rate, on the sum of all its lines, wherever they stand.
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
#> Run it once.
python3 -B invoice.py samples/march.jsonl
