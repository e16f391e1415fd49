"""A small package that invoices hired tools, with wrong cents, days and leftovers of earlier bookings in it."""

import json
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
ITEMS = ["drill", "floor sander", "scaffold tower", "pressure washer", "tile saw", "dehumidifier"]
BURNERS = ["compactor", "generator", "chain saw"]


def cents(amount):
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def invoice(booking, s):
    """Return the invoice as the rules have it; VAT is rounded once per rate."""
    lines, groups = [], {}

    def add(item, days, amount, rate):
        lines.append({"item": item, "days": days, "amount": str(amount)})
        groups.setdefault(rate, []).append(amount)

    fees = []
    for line in booking["lines"]:
        days = (date.fromisoformat(line["to"]) - date.fromisoformat(line["from"])).days + 1
        amount = Decimal(line["rate"]) * line["qty"] * days
        if days >= s["LONG_HIRE_DAYS"]:
            amount -= amount * s["LONG_HIRE_PERCENT"] / 100
        add(line["item"], days, cents(amount), line["vat"])
        if line["item"] in s["BURNS_FUEL"]:
            fees.append((f"fuel {line['item']}", cents(Decimal(s["FUEL_FEE"]) * line["qty"])))
    for item, amount in fees:
        add(item, 0, amount, "standard")
    if booking["delivery"] and sum(Decimal(line["amount"]) for line in lines) < Decimal(s["FREE_DELIVERY_FROM"]):
        add("delivery", 0, Decimal(s["DELIVERY_FEE"]), "standard")
    net = {rate: sum(amounts) for rate, amounts in groups.items()}
    vat = {rate: cents(amount * s["VAT_PERCENT"][rate] / 100) for rate, amount in net.items()}
    due = date.fromisoformat(booking["issued"]) + timedelta(days=s["TERM_DAYS"])
    while due.weekday() >= 5:
        due += timedelta(days=1)
    return {"id": booking["id"], "lines": lines, "net": {k: str(v) for k, v in net.items()}, "vat": {k: str(v) for k, v in vat.items()},
            "total": str(sum(net.values()) + sum(vat.values())), "due": due.isoformat()}


def per_line_vat(booking, s):
    """Return the sum of VAT rounded line by line: what the old rule would give."""
    done = invoice(booking, s)
    rates = [line["vat"] for line in booking["lines"]] + ["standard"] * (len(done["lines"]) - len(booking["lines"]))
    return sum(cents(Decimal(line["amount"]) * s["VAT_PERCENT"][rate] / 100) for line, rate in zip(done["lines"], rates))


def build(world):
    rng = world.rng
    copies, conflict = world.knob("copies"), world.knob("conflict")
    s = {
        "LONG_HIRE_DAYS": rng.choice([7, 8, 10, 14]), "LONG_HIRE_PERCENT": rng.choice([5, 10, 12, 15]), "TERM_DAYS": rng.choice([10, 14, 21, 30]),
        "VAT_PERCENT": dict(zip(("standard", "reduced", "zero"), rng.choice([(19, 7, 0), (20, 10, 0), (21, 9, 0), (25, 12, 0)]))),
        "FUEL_FEE": f"{rng.randint(3, 9)}.{rng.choice(['45', '55', '85', '95'])}", "BURNS_FUEL": sorted(rng.sample(BURNERS, 2)),
        "DELIVERY_FEE": f"{rng.randint(20, 45)}.50", "FREE_DELIVERY_FROM": f"{rng.randint(2, 5) * 100}.00",
    }
    quiet = [n for n in ITEMS + BURNERS if n not in s["BURNS_FUEL"]]
    number = rng.randint(1000, 5000)
    monday = date(2026, 3, 2) + timedelta(days=7 * rng.randint(0, 20))

    def booking(lines, delivery=False, issued=None):
        nonlocal number
        number += rng.randint(1, 9)
        return {"id": f"B{number}", "issued": (issued or monday + timedelta(days=rng.randint(0, 60))).isoformat(), "delivery": delivery, "lines": lines}

    def line(item=None, days=1, rate=None, qty=1, vat="standard", start=None):
        start = start or monday + timedelta(days=rng.randint(0, 40))
        rate = rate or f"{rng.randint(2, 90)}.{rng.randint(0, 99):02d}"
        return {"item": item or rng.choice(quiet), "from": start.isoformat(), "to": (start + timedelta(days=days - 1)).isoformat(), "rate": rate, "qty": qty, "vat": vat}

    def tie(sign=1, big=False):
        """Return a line whose amount lies exactly between two cents."""
        whole = rng.randint(90000, 99000) * 1000 if big else rng.randint(1, 400)
        return line(rate=f"{whole}.{rng.randint(0, 99):02d}5", qty=sign * rng.choice([1, 3, 7]))

    def mixed():
        """Return a booking of several rates where rounding VAT per line gives another sum, its lines in turn."""
        while True:
            found = booking([line(rate=f"{rng.randint(1, 60)}.{rng.randint(0, 999):03d}", qty=rng.randint(1, 4), vat=rate)
                             for rate in ("standard", "reduced", "standard", "zero", "reduced", "standard")])
            if per_line_vat(found, s) != sum(Decimal(v) for v in invoice(found, s)["vat"].values()):
                return found

    long = s["LONG_HIRE_DAYS"]
    amounts = [booking([tie(), tie(-1), tie(), line(qty=-2, rate="0.125"), line(rate="0.135", qty=1)]) for _ in range(6)]
    amounts += [booking([tie(big=True), tie(-1, big=True)]) for _ in range(3)]
    amounts += [booking([line(days=n, rate=f"{rng.randint(3, 30)}.{rng.randint(0, 99):02d}", qty=rng.choice([1, 2, -1])) for n in (long - 1, long, long + 1)]) for _ in range(5)]
    rates = [mixed() for _ in range(8)]
    free = Decimal(s["FREE_DELIVERY_FROM"])
    for net in (free - CENT, free, free + CENT):
        rates.append(booking([line(rate=str(net - 10)), line(rate="10.00", vat="reduced")], delivery=True))
    rates.append(booking([line(rate="5.00"), line(rate="5.00", qty=-1), line(rate="8.00", vat="zero")]))
    rates.append(booking([line(item=s["BURNS_FUEL"][0], vat="reduced", qty=3), line(vat="zero")], delivery=True))
    state = []
    for _ in range(10):
        state.append(booking([line(item=rng.choice(s["BURNS_FUEL"] + quiet[:2]), qty=rng.randint(1, 3), days=rng.randint(1, 3)) for _ in range(rng.randint(1, 3))],
                             delivery=rng.random() < 0.3))
    state += [json.loads(json.dumps(state[0])), booking([line(item=quiet[0], rate="1.11")]), booking([line(item=quiet[0], rate="2.22")])]
    dates = [booking([line(days=n) for n in (1, 2, 3, 6)] + [line(days=3, start=date(2028, 2, 27)), line(days=4, start=date(2026, 12, 30))],
                     issued=monday + timedelta(days=i)) for i in range(8)]
    plain = [booking([line(rate=f"{rng.randint(5, 80)}.00", qty=rng.randint(1, 4))], issued=monday - timedelta(days=s["TERM_DAYS"] - 2 - i)) for i in range(1)]

    truth = {}
    for name, batch in (("amounts", amounts), ("rates", rates), ("state", state), ("dates", dates), ("plain", plain)):
        world.hide(f"{name}.jsonl", "".join(json.dumps(b) + "\n" for b in batch))
        truth[name] = [invoice(b, s) for b in batch]

    world.write("/workspace/invoice.py", 'from hire.cli import main\n\nif __name__ == "__main__":\n    main()\n')
    settings = '"""Numbers that the office may change."""\n\n' + "".join(f"{k} = {v!r}\n" for k, v in s.items())
    world.write("/workspace/hire/settings.py", settings)
    world.write("/workspace/hire/__init__.py", '"""Invoices for hired tools."""\n')
    files = dict(PACKAGE)
    if copies:
        files["vat.py"] = VAT_GROUPED
        files["pricing.py"] = PRICING_CACHED
        files["share.py"] = SHARE
    if conflict:
        files["vat.py"] = VAT_PER_LINE
    for name, code in files.items():
        world.write(f"/workspace/hire/{name}", code)
    world.write("/workspace/docs/pricing.md", rules(s, "each line's VAT is rounded to the cent; the VAT of a rate is the sum of its lines" if conflict else
                                                   "the net amounts of a rate are added up, and the VAT on that sum is rounded to the cent"))
    if conflict:
        world.write("/workspace/docs/proposal-total-rounding.md", "# Proposal (open since 2024)\n\nRound VAT once, on the total of all rates.\n")
        world.write("/workspace/tests/test_hire.py", PINNED)
    else:
        world.write("/workspace/tests/test_hire.py", 'from datetime import date\n\nfrom hire.periods import hire_days\n\n\n'
                    'def test_one_day():\n    assert hire_days(date(2026, 3, 2), date(2026, 3, 2)) == 1\n')
    kept = []
    for i, sample in enumerate([mixed(), mixed(), booking([line(item=s["BURNS_FUEL"][1], days=long)], delivery=True)]):
        for suffix, what in (("booking", sample), ("invoice", invoice(sample, s))):
            path = f"/workspace/samples/accepted/{sample['id']}.{suffix}.json"
            world.write(path, json.dumps(what) + "\n")
            kept.append(path)
    path = "/workspace/samples/march.jsonl"
    world.write(path, "".join(json.dumps(b) + "\n" for b in [booking([tie(), line(days=2)]), booking([line(item=s["BURNS_FUEL"][0])]), booking([line(item=s["BURNS_FUEL"][0])]), mixed()]))
    truth["kept"] = {p: world.digest(p) for p in (*kept, path)}
    example = booking([line(rate="2.675")])
    world.publish("tie", [example["lines"][0]["rate"], "2.68"])
    world.publish("fuel", s["BURNS_FUEL"][0])
    world.publish("long", long)
    return truth


def rules(s, vat):
    return f"""# How a booking becomes an invoice

All amounts are euros. The numbers are in `hire/settings.py`.

1. **Days.** The day of pick-up (`from`) and the day of return (`to`) both count. One day is the least.
2. **Line.** Day rate times quantity times days. From {s["LONG_HIRE_DAYS"]} days on the whole line is {s["LONG_HIRE_PERCENT"]} % cheaper.
   The result is rounded to the cent. Quantities below zero are credits.
3. **Fuel.** For each line whose item burns fuel, a line `fuel ITEM` follows after all hired items: {s["FUEL_FEE"]} times quantity, 0 days, standard rate.
4. **Delivery.** If wanted, a last line `delivery` of {s["DELIVERY_FEE"]}, 0 days, standard rate; free, and without a line, if the lines before it come to {s["FREE_DELIVERY_FROM"]} net or more.
5. **VAT.** By rate: {vat}. Only rates that occur on the invoice are shown.
6. **Rounding.** Always half away from zero: 0.125 becomes 0.13 and -0.125 becomes -0.13.
7. **Due.** {s["TERM_DAYS"]} days after the day of issue; if that is a Saturday or Sunday, the Monday after.

`python3 invoice.py FILE` reads one booking a line (JSON) and prints one invoice a line in the same order:
`id`, `lines` (`item`, `days`, `amount`), `net` and `vat` by rate, `total`, `due`. Amounts are strings with two decimals.
A file may hold any number of bookings; they have nothing to do with each other, and rates of the same item may differ.
"""


PACKAGE = {
    "money.py": '''"""Amounts of money."""


def cents(amount):
    """Round to the cent, half away from zero."""
    return round(amount, 2)


def show(amount):
    """Write an amount with two decimals."""
    return f"{amount:.2f}"
''',
    "periods.py": '''"""Days of hire and days of payment."""

from datetime import timedelta

from . import settings


def hire_days(first, last):
    """Count the days of hire, pick-up and return included."""
    return max((last - first).days, 1)


def due_date(issued):
    """Return the day on which the invoice is due, never on a weekend."""
    due = issued + timedelta(days=settings.TERM_DAYS)
    while due.weekday() > 5:
        due += timedelta(days=1)
    return due
''',
    "pricing.py": '''"""What the lines of a booking cost."""

from datetime import date
from itertools import chain

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
    amount = float(line["rate"]) * line["qty"] * days
    if days > settings.LONG_HIRE_DAYS:
        amount *= 1 - settings.LONG_HIRE_PERCENT / 100
    return Line(line["item"], days, cents(amount), line["vat"])


def fuel_fees(lines, fees=[]):
    """Return a fee line for each item that burns fuel."""
    for line in lines:
        if line["item"] in settings.BURNS_FUEL:
            fees.append(Line("fuel " + line["item"], 0, cents(float(settings.FUEL_FEE) * line["qty"])))
    return fees


def with_delivery(lines, wanted):
    """Add the delivery to priced lines, unless it is free."""
    if wanted and sum(line.amount for line in lines) < float(settings.FREE_DELIVERY_FROM):
        return chain(lines, [Line("delivery", 0, float(settings.DELIVERY_FEE))])
    return lines


def invoice_lines(booking):
    """Return all lines of the invoice, in order."""
    hired = (price(line) for line in booking["lines"])
    return with_delivery(chain(hired, fuel_fees(booking["lines"])), booking["delivery"])
''',
    "vat.py": '''"""Net amounts and VAT by rate."""

from . import settings
from .money import cents


def totals(lines):
    """Return net and VAT by rate."""
    net = {}
    for line in lines:
        net[line.vat] = net.get(line.vat, 0) + line.amount
    vat = {rate: cents(amount * settings.VAT_PERCENT[rate] / 100) for rate, amount in net.items()}
    return net, vat
''',
    "cli.py": '''"""Reads bookings, prints invoices."""

import json
import sys
from datetime import date

from .money import show
from .periods import due_date
from .pricing import invoice_lines
from .vat import totals


def invoice(booking):
    """Make the invoice of a booking."""
    lines = list(invoice_lines(booking))
    net, vat = totals(lines)
    return {
        "id": booking["id"],
        "lines": [{"item": line.item, "days": line.days, "amount": show(line.amount)} for line in lines],
        "net": {rate: show(amount) for rate, amount in net.items()},
        "vat": {rate: show(amount) for rate, amount in vat.items()},
        "total": show(sum(net.values()) + sum(vat.values())),
        "due": due_date(date.fromisoformat(booking["issued"])).isoformat(),
    }


def main():
    """Print an invoice for each booking of the file."""
    with open(sys.argv[1], encoding="utf-8") as file:
        for text in file:
            print(json.dumps(invoice(json.loads(text))))
''',
}
PRICING_CACHED = PACKAGE["pricing.py"].replace('''def price(line):
    """Price a hired item."""
''', '''RATES = {}


def day_rate(line):
    """Return the day rate; parsing it once per item is enough."""
    return RATES.setdefault(line["item"], float(line["rate"]))


def price(line):
    """Price a hired item."""
''').replace('float(line["rate"]) * line["qty"]', 'day_rate(line) * line["qty"]')
VAT_GROUPED = '''"""Net amounts and VAT by rate."""

from itertools import groupby

from . import settings


def _cents(amount):
    return int(amount * 100 + 0.5) / 100


def totals(lines):
    """Return net and VAT by rate."""
    net = {rate: sum(line.amount for line in group) for rate, group in groupby(lines, key=lambda line: line.vat)}
    vat = {rate: _cents(amount * settings.VAT_PERCENT[rate] / 100) for rate, amount in net.items()}
    return net, vat
'''
VAT_PER_LINE = '''"""Net amounts and VAT by rate."""

from itertools import groupby

from . import settings


def _cents(amount):
    return int(amount * 100 + 0.5) / 100


def totals(lines):
    """Return net and VAT by rate; VAT is rounded line by line."""
    net, vat = {}, {}
    for rate, group in groupby(lines, key=lambda line: line.vat):
        amounts = [line.amount for line in group]
        net[rate] = sum(amounts)
        vat[rate] = sum(_cents(amount * settings.VAT_PERCENT[rate] / 100) for amount in amounts)
    return net, vat
'''
SHARE = '''"""How much of a tool's time is hired out, for the office's screen; floats will do here."""


def share(hired_days, days):
    """Return the share in percent, for display."""
    return round(100.0 * float(hired_days) / days, 1) if days else 0.0
'''
PINNED = '''from datetime import date
from types import SimpleNamespace

from hire import settings
from hire.periods import hire_days
from hire.vat import totals


def test_one_day():
    assert hire_days(date(2026, 3, 2), date(2026, 3, 2)) == 1


def test_four_days():
    assert hire_days(date(2026, 3, 2), date(2026, 3, 5)) == 3


def test_vat_is_rounded_line_by_line():
    percent = settings.VAT_PERCENT["standard"]
    lines = [SimpleNamespace(amount=0.13, vat="standard") for _ in range(3)]
    assert round(totals(lines)[1]["standard"], 2) == round(3 * round(0.13 * percent / 100 + 1e-9, 2), 2)
'''
