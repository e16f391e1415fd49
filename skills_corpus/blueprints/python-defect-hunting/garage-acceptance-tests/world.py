"""A package for car park fees whose acceptance tests are to be written; right and faulty implementations are hidden."""

import json

FEES = '''"""What a stay costs."""

from decimal import Decimal

FREE_MINUTES = @FREE@
RATE = Decimal("@RATE@")
CAP = Decimal("@CAP@")


def fee(entered, left):
    """@FEE_DOC@"""
    if left < entered:
        raise ValueError("left before entered")
    minutes = int((left - entered).total_seconds() // 60)
    if minutes <= FREE_MINUTES:
        return Decimal("0.00")
    whole_days, rest = divmod(minutes, 24 * 60)
    return whole_days * CAP + min(CAP, -(-rest // 60) * RATE)
'''
MONEY = '''"""Sharing a bill."""

from decimal import Decimal


def split(amount, people):
    """@SPLIT_DOC@"""
    if people < 1:
        raise ValueError("nobody to pay")
    cents, more = divmod(int(amount * 100), people)
    return [Decimal(cents + (1 if i < more else 0)) / 100 for i in range(people)]
'''
BILLS = '''"""The bill of a customer."""

from decimal import Decimal

from .fees import fee


def statement(stays, extras=None):
    """@STATEMENT_DOC@"""
    lines = list(extras or [])
    count = 0
    for entered, left in stays:
        count += 1
        cost = fee(entered, left)
        if cost:
            lines.append(("parking", cost))
    return {"count": count, "total": sum((cost for _, cost in lines), Decimal("0.00")), "lines": lines}
'''
DAYS = '''"""Periods of monthly passes: pairs of first and last day."""

from datetime import timedelta


def overlap(one, other):
    """@OVERLAP_DOC@"""
    return one[0] <= other[1] and other[0] <= one[1]


def merge(periods):
    """@MERGE_DOC@"""
    merged = []
    for first, last in sorted(periods):
        if merged and first <= merged[-1][1] + timedelta(days=1):
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged
'''
REWRITE = '''"""All of it in one place."""

import decimal as _d
from datetime import date as _date

__all__ = ["fee", "split", "statement", "overlap", "merge"]


def fee(entered, left):
    seconds = (left - entered).total_seconds()
    if seconds < 0:
        raise ValueError(f"{left} lies before {entered}")
    n = int(seconds) // 60
    if n < @FREE@ + 1:
        return _d.Decimal(0)
    total = _d.Decimal(0)
    while n > 0:
        piece = min(n, 1440)
        total += min(_d.Decimal("@CAP@"), _d.Decimal("@RATE@") * ((piece + 59) // 60))
        n -= piece
    return total.normalize()


def split(amount, people):
    if people <= 0:
        raise ValueError(people)
    out, left = [], amount
    for n in range(people, 0, -1):
        out.append((left / n).quantize(_d.Decimal("0.01"), rounding=_d.ROUND_CEILING))
        left -= out[-1]
    return out


def statement(stays, extras=()):
    costs = [fee(*stay) for stay in stays]
    lines = [*(extras or ()), *(("parking", cost) for cost in costs if cost > 0)]
    return dict(lines=lines, total=sum((cost for _, cost in lines), _d.Decimal(0)), count=len(costs))


def overlap(one, other):
    return max(one[0], other[0]) <= min(one[1], other[1])


def merge(periods):
    days = sorted({n for first, last in periods for n in range(first.toordinal(), last.toordinal() + 1)})
    result = []
    for n in days:
        if result and result[-1][1] == n - 1:
            result[-1][1] = n
        else:
            result.append([n, n])
    return [(_date.fromordinal(a), _date.fromordinal(b)) for a, b in result]
'''
INIT = '''"""Car park fees."""

from .bills import statement
from .days import merge, overlap
from .fees import fee
from .money import split

__all__ = ["fee", "merge", "overlap", "split", "statement"]
'''
FAULTS = {  # name: (check, file, right, wrong)
    "free minutes end too early": ("time", "fees.py", "minutes <= FREE_MINUTES", "minutes < FREE_MINUTES"),
    "full hours cost one more": ("time", "fees.py", "-(-rest // 60) * RATE", "(rest // 60 + 1) * RATE"),
    "one cap for the whole stay": ("time", "fees.py", "return whole_days * CAP + min(CAP, -(-rest // 60) * RATE)", "return min(CAP, -(-minutes // 60) * RATE)"),
    "free minutes are deducted": ("time", "fees.py", "divmod(minutes, 24 * 60)", "divmod(minutes - FREE_MINUTES, 24 * 60)"),
    "days end at midnight": ("time", "fees.py", "    whole_days, rest = divmod(minutes, 24 * 60)\n    return whole_days * CAP + min(CAP, -(-rest // 60) * RATE)\n", '''    total, start = Decimal("0.00"), entered
    while start < left:
        end = min(left, (start + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0))
        total += min(CAP, -(-int((end - start).total_seconds() // 60) // 60) * RATE)
        start = end
    return total
'''),
    "no cap on the last day": ("time", "fees.py", "min(CAP, -(-rest // 60) * RATE)", "-(-rest // 60) * RATE"),
    "seconds make a minute": ("time", "fees.py", "int((left - entered).total_seconds() // 60)", "-int(-(left - entered).total_seconds() // 60)"),
    "cents get lost": ("money", "money.py", "cents + (1 if i < more else 0)", "cents"),
    "larger parts come last": ("money", "money.py", "1 if i < more else 0", "1 if i >= people - more else 0"),
    "all cents to the first": ("money", "money.py", "1 if i < more else 0", "more if i == 0 else 0"),
    "parts are floats": ("money", "money.py", "Decimal(cents + (1 if i < more else 0)) / 100", "(cents + (1 if i < more else 0)) / 100"),
    "nobody pays nothing": ("money", "money.py", '    if people < 1:\n        raise ValueError("nobody to pay")\n', '    if people < 1:\n        return []\n'),
    "free stays are listed": ("calls", "bills.py", "        if cost:\n            lines.append", "        if True:\n            lines.append"),
    "extras are left out of the total": ("calls", "bills.py", "sum((cost for _, cost in lines), Decimal(\"0.00\"))", "sum((cost for text, cost in lines if text == \"parking\"), Decimal(\"0.00\"))"),
    "free stays are not counted": ("calls", "bills.py", "        count += 1\n        cost = fee(entered, left)\n        if cost:\n", "        cost = fee(entered, left)\n        if cost:\n            count += 1\n"),
    "extras are remembered": ("calls", "bills.py", "extras=None):", "extras=[]):"),
    "extras of the caller grow": ("calls", "bills.py", "lines = list(extras or [])", "lines = extras if extras is not None else []"),
    "stays are read twice": ("calls", "bills.py", "    count = 0\n", (
        '    if not any(True for _ in stays):\n        return {"count": 0, "total": sum((cost for _, cost in lines), Decimal("0.00")), "lines": lines}\n    count = 0\n')),
    "last day does not count": ("days", "days.py", "one[0] <= other[1] and other[0] <= one[1]", "one[0] < other[1] and other[0] < one[1]"),
    "only the first may be earlier": ("days", "days.py", "one[0] <= other[1] and other[0] <= one[1]", "one[0] <= other[0] <= one[1]"),
    "next day is a gap": ("days", "days.py", "first <= merged[-1][1] + timedelta(days=1)", "first <= merged[-1][1]"),
    "inner period cuts the outer": ("days", "days.py", "max(merged[-1][1], last)", "last"),
    "periods must be sorted": ("days", "days.py", "in sorted(periods):", "in periods:"),
    "periods of the caller are sorted": ("days", "days.py", "    merged = []\n    for first, last in sorted(periods):", "    merged = []\n    periods = periods if isinstance(periods, list) else list(periods)\n    periods.sort()\n    for first, last in periods:"),
}
LEVELS = {  # level: (always there, one of these more)
    "easy": (["free minutes end too early", "one cap for the whole stay", "cents get lost", "free stays are listed",
              "extras are left out of the total", "last day does not count", "inner period cuts the outer"],
             ["full hours cost one more", "no cap on the last day", "nobody pays nothing", "free stays are not counted"]),
    "medium": (["free minutes end too early", "days end at midnight", "larger parts come last", "extras are remembered", "stays are read twice",
                "last day does not count", "periods of the caller are sorted"],
               ["parts are floats", "extras of the caller grow", "next day is a gap", "free minutes are deducted"]),
    "hard": (["seconds make a minute", "larger parts come last", "extras are remembered", "stays are read twice", "next day is a gap"],
             ["only the first may be earlier", "periods must be sorted", "all cents to the first", "full hours cost one more"]),
}


def build(world):
    rng, level = world.rng, world.level
    free = rng.choice([10, 12, 15, 20])
    rate = f"{rng.randint(1, 3)}.{rng.choice(['20', '40', '60', '80'])}"
    cap = f"{rng.randint(9, 14)}.50"
    old_free, old_cap = (free + rng.choice([5, 10]), f"{rng.randint(15, 17)}.00") if level == "hard" else (free, cap)
    order = "first"

    def fill(text, numbers, docs):
        for key, value in {**numbers, **docs}.items():
            text = text.replace(f"@{key}@", value)
        return text

    rules = {
        "FEE": ["Returns what a stay from `entered` to `left` (datetimes) costs, a Decimal.",
                "The length is counted in whole minutes; seconds beyond are dropped.",
                "Stays of up to @FREE@ minutes, @FREE@ included, cost nothing. Longer ones are charged from the first minute.",
                "Each started hour since `entered` costs @RATE@, an hour that is just full costs no second one.",
                "For each 24 hours since `entered` it is never more than @CAP@, for the last, shorter piece neither.",
                "`left` before `entered`: ValueError."],
        "SPLIT": ["Returns `amount` (a Decimal of whole cents, not negative) in `people` parts, a list of Decimal of whole cents.",
                  "Together they are exactly `amount`, none differs from another by more than a cent, and the larger parts come @ORDER@.",
                  "`people` below 1: ValueError."],
        "STATEMENT": ["Takes `stays`, any iterable of (entered, left) that can perhaps be read only once, and `extras`, a list of (text, Decimal) or nothing.",
                      "Returns a dict: `count` (number of stays), `lines` (the extras, then (\"parking\", cost) for each stay that cost something, in order),",
                      "`total` (Decimal, the sum of all lines; 0 without any). Changes nothing that it was given; calls know nothing of each other."],
        "OVERLAP": ["Tells whether two periods (first day, last day; both belong to them) share a day."],
        "MERGE": ["Takes any iterable of such periods, in any order. Returns a list of periods, sorted, that cover the same days and no others,",
                  "where periods that share a day or follow each other without a free day between them are one. Changes nothing that it was given."],
    }
    now = {"FREE": str(free), "RATE": rate, "CAP": cap, "ORDER": order}
    then = {"FREE": str(old_free), "RATE": rate, "CAP": old_cap, "ORDER": "last" if level == "hard" else order}
    short = {f"{k}_DOC": {"FEE": "Return what a stay costs.", "SPLIT": "Return an amount in parts.", "STATEMENT": "Return the bill.",
                          "OVERLAP": "Tell whether two periods share a day.", "MERGE": "Return the periods, joined."}[k] for k in rules}
    full = {f"{k}_DOC": "\n    ".join(fill(line, then, {}) for line in lines) for k, lines in rules.items()}
    docs = full if level == "easy" else short
    plain = {"__init__.py": INIT, "fees.py": FEES, "money.py": MONEY, "bills.py": BILLS, "days.py": DAYS}

    def package(numbers, faults=()):
        files = dict(plain)
        for name in faults:
            _, path, right, wrong = FAULTS[name]
            assert files[path].count(right) == 1, name
            files[path] = files[path].replace(right, wrong)
            if name == "extras are remembered":
                files[path] = files[path].replace("lines = list(extras or [])", "lines = extras")
            if name == "days end at midnight":
                files[path] = files[path].replace("from decimal import Decimal\n", "from datetime import timedelta\nfrom decimal import Decimal\n", 1)
        return {f"garage/{path}": fill(text, numbers, short) for path, text in files.items()}

    present_faults = ["days end at midnight", "larger parts come last", "next day is a gap"] if level == "hard" else []
    present = package(then, present_faults)
    for path, text in present.items():
        world.write(f"/workspace/{path}", text if level != "easy" else fill(plain[path.split("/")[1]], then, docs))
    world.write("/workspace/tests/test_smoke.py", (
        "from datetime import datetime, timedelta\nfrom decimal import Decimal\n\nfrom garage import fee, split\n\n\n"
        "def test_costs_something():\n    start = datetime(2026, 5, 4, 9, 0)\n    assert fee(start, start + timedelta(minutes=90)) > 0\n\n\n"
        "def test_two_pay_half():\n    assert split(Decimal(\"10.00\"), 2) == [Decimal(\"5.00\"), Decimal(\"5.00\")]\n"))
    if level != "easy":
        text = "# Car park fees: what the package `garage` promises\n\nAll names are taken from `garage` itself. Its modules are nobody's business and will change.\n"
        for name, key in (("fee(entered, left)", "FEE"), ("split(amount, people)", "SPLIT"), ("statement(stays, extras=None)", "STATEMENT"),
                          ("overlap(one, other)", "OVERLAP"), ("merge(periods)", "MERGE")):
            text += f"\n## {name}\n\n" + "\n".join(fill(line, then, {}) for line in rules[key]) + "\n"
        world.write("/workspace/SPEC.md", text)
        world.write("/workspace/attic/SPEC-2021.md", f"# Car park fees (2021)\n\nThe first {free + 20} minutes are free and are not charged on longer stays either. No cap. Parts of a bill are rounded up.\n")
    if level == "hard":
        world.write("/workspace/CHANGES.md", (
            "# Changes to SPEC.md\n\nSPEC.md is the text of the contract of 2024; what the operator and the city agreed on later is here.\n\n"
            f"## 2025-02, agreed\n\nThe free minutes go down from {old_free} to {free + 2}.\n\n"
            f"## 2025-06, withdrawn\n\nEach started half hour is charged.\n\n"
            f"## 2025-09, agreed\n\nThe free minutes are {free} (instead of {free + 2}). The most for 24 hours is {cap} instead of {old_cap}.\n\n"
            "## 2026-01, agreed\n\nWhen a bill is split the larger parts come first: the one who asks pays the odd cent.\n\n"
            "## 2026-04, proposed\n\nSundays are free.\n"))
    always, more = LEVELS[level]
    faulty = {name: package(now, [name]) for name in (*always, rng.choice(more))}
    if level == "hard":
        faulty["the present one"] = present
        faulty["free minutes of the contract"] = package({**now, "FREE": str(old_free)})
    groups = {name: FAULTS[name][0] if name in FAULTS else "time" for name in faulty}
    good = {"modules": package(now), "rewrite": {"garage/__init__.py": fill(REWRITE, now, {})}}
    world.hide("implementations.json", json.dumps({"good": good, "faulty": faulty}))
    return {"groups": groups, "package": {f"/workspace/{path}": world.digest(f"/workspace/{path}") for path in present}}
