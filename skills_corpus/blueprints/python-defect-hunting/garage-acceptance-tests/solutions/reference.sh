#> Read what is promised, with agreed changes if there are any, and what is there already. The rules decide, be they in a specification or in docstrings, not what the code does.
cd /workspace
tail -n +1 garage/*.py tests/*.py
cat SPEC.md CHANGES.md 2>/dev/null || true
#> Take the numbers from the rules: from the specification if there is one, else from the docstrings, then from agreed changes, if any, in their order.
cat > /tmp/numbers.py <<'PY'
import glob, os, re
text = open("/workspace/SPEC.md").read() if os.path.exists("/workspace/SPEC.md") else "\n".join(open(p).read() for p in glob.glob("/workspace/garage/*.py"))
n = {"FREE": re.search(r"up to (\d+) minutes", text)[1], "RATE": re.search(r"costs ([\d.]+), an hour", text)[1],
     "CAP": re.search(r"more than ([\d.]+),", text)[1], "ORDER": re.search(r"larger parts come (\w+)", text)[1]}
if os.path.exists("/workspace/CHANGES.md"):
    for part in open("/workspace/CHANGES.md").read().split("\n## ")[1:]:
        if part.split("\n")[0].endswith("agreed"):
            for key, pattern in (("FREE", r"free minutes (?:are|go down from \d+ to) (\d+)"), ("CAP", r"most for 24 hours is ([\d.]+)"), ("ORDER", r"larger parts come (\w+)")):
                found = re.search(pattern, part)
                n[key] = found[1] if found else n[key]
print("\n".join(f"s/@{k}@/{v}/g" for k, v in n.items()))
PY
python3 /tmp/numbers.py | tee /tmp/numbers.sed
#> Write the tests: every limit from both sides, odd cents, iterators, second calls, arguments compared with a copy. Expected values are worked out from the rules.
cat > /tmp/test_garage.py <<'PY'
"""Acceptance tests for the car park fees, from the rules alone."""

from copy import deepcopy
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from garage import fee, merge, overlap, split, statement

FREE, RATE, CAP = @FREE@, Decimal("@RATE@"), Decimal("@CAP@")
LARGER_FIRST = "@ORDER@" == "first"
MORNING = datetime(2026, 5, 4, 8, 0)
EVENING = datetime(2026, 5, 4, 20, 30)
HOURS_TO_CAP = int(CAP / RATE) + 1


def stay(minutes, seconds=0, start=MORNING):
    return start, start + timedelta(minutes=minutes, seconds=seconds)


@pytest.mark.parametrize("minutes", [0, 1, FREE - 1, FREE])
def test_short_stays_are_free(minutes):
    assert fee(*stay(minutes)) == 0


def test_seconds_are_dropped():
    assert fee(*stay(FREE, 59)) == 0
    assert fee(*stay(60, 59)) == RATE
    assert fee(*stay(FREE, 60)) == RATE


@pytest.mark.parametrize("minutes, hours", [(FREE + 1, 1), (59, 1), (60, 1), (61, 2), (60 + FREE, 2), (119, 2), (120, 2), (121, 3)])
@pytest.mark.parametrize("start", [MORNING, EVENING, datetime(2026, 5, 4, 23, 50)])
def test_each_started_hour_costs(minutes, hours, start):
    assert fee(*stay(minutes, start=start)) == min(CAP, hours * RATE)


@pytest.mark.parametrize("start", [MORNING, EVENING])
def test_cap_for_each_24_hours_since_entry(start):
    day = 24 * 60
    assert fee(*stay((HOURS_TO_CAP - 1) * 60, start=start)) == (HOURS_TO_CAP - 1) * RATE
    for minutes, cost in ((HOURS_TO_CAP * 60, CAP), (23 * 60, CAP), (day - 1, CAP), (day, CAP), (day + 1, CAP + RATE), (day + 61, CAP + 2 * RATE),
                          (day + 23 * 60, 2 * CAP), (2 * day, 2 * CAP), (3 * day + 30, 3 * CAP + RATE)):
        assert fee(*stay(minutes, start=start)) == cost, minutes


def test_fee_is_a_decimal_and_time_does_not_run_backwards():
    assert isinstance(fee(*stay(200)), Decimal) and isinstance(fee(*stay(0)), Decimal)
    with pytest.raises(ValueError):
        fee(MORNING, MORNING - timedelta(seconds=1))


@pytest.mark.parametrize("amount, people", [("10.00", 3), ("0.05", 3), ("0.02", 5), ("7.31", 4), ("99.99", 7), ("0.00", 2), ("12.34", 1), ("10.00", 4), ("1.10", 6)])
def test_parts_add_up_and_larger_ones_have_their_place(amount, people):
    cents = int(Decimal(amount) * 100)
    wanted = [Decimal(cents // people + (i < cents % people)) / 100 for i in range(people)]
    parts = split(Decimal(amount), people)
    assert parts == (wanted if LARGER_FIRST else wanted[::-1])
    assert all(isinstance(part, Decimal) for part in parts)
    assert sum(parts) == Decimal(amount)


@pytest.mark.parametrize("people", [0, -1])
def test_somebody_has_to_pay(people):
    with pytest.raises(ValueError):
        split(Decimal("5.00"), people)


STAYS = [stay(90), stay(FREE), stay(30), stay(25 * 60)]
COSTS = [2 * RATE, RATE, CAP + RATE]


@pytest.mark.parametrize("form", [list, tuple, iter, lambda stays: (one for one in stays)])
def test_bill_of_any_iterable(form):
    bill = statement(form(STAYS))
    assert bill["count"] == 4
    assert list(bill["lines"]) == [("parking", cost) for cost in COSTS]
    assert bill["total"] == sum(COSTS)


def test_bill_with_extras_changes_nothing_that_it_was_given():
    extras, stays = [("lost ticket", Decimal("25.00")), ("wash", Decimal("9.90"))], list(STAYS)
    before = deepcopy((extras, stays))
    bill = statement(stays, extras)
    assert (extras, stays) == before
    assert list(bill["lines"]) == before[0] + [("parking", cost) for cost in COSTS]
    assert bill["total"] == Decimal("34.90") + sum(COSTS)
    assert statement(stays, extras) == bill


def test_calls_know_nothing_of_each_other():
    for _ in range(2):
        assert statement([stay(90)]) == {"count": 1, "total": 2 * RATE, "lines": [("parking", 2 * RATE)]}
        assert statement([stay(90)], [("wash", Decimal("9.90"))])["total"] == 2 * RATE + Decimal("9.90")
        assert statement([stay(30)]) == {"count": 1, "total": RATE, "lines": [("parking", RATE)]}


def test_empty_bill():
    for nothing in ([], iter(())):
        bill = statement(nothing)
        assert bill["count"] == 0 and bill["total"] == 0 and list(bill["lines"]) == []
    assert statement([], [("wash", Decimal("9.90"))])["total"] == Decimal("9.90")
    assert statement([stay(0)])["count"] == 1


def day(n):
    return date(2026, 1, 1) + timedelta(days=n)


@pytest.mark.parametrize("one, other, both", [((1, 5), (5, 9), True), ((1, 5), (6, 9), False), ((1, 9), (3, 4), True), ((3, 3), (3, 3), True),
                                              ((1, 5), (4, 9), True), ((1, 2), (8, 9), False), ((1, 5), (1, 1), True)])
def test_overlap_both_ways(one, other, both):
    a, b = tuple(map(day, one)), tuple(map(day, other))
    assert bool(overlap(a, b)) is both
    assert bool(overlap(b, a)) is both


@pytest.mark.parametrize("periods, merged", [
    ([], []), ([(1, 1)], [(1, 1)]), ([(1, 3), (4, 6)], [(1, 6)]), ([(1, 3), (5, 6)], [(1, 3), (5, 6)]), ([(1, 3), (3, 6)], [(1, 6)]),
    ([(1, 20), (2, 3), (4, 5)], [(1, 20)]), ([(1, 9), (2, 3), (11, 12)], [(1, 9), (11, 12)]), ([(20, 25), (1, 2), (8, 9), (2, 6)], [(1, 6), (8, 9), (20, 25)]),
    ([(28, 30), (31, 33)], [(28, 33)]), ([(5, 6), (5, 9), (5, 5)], [(5, 9)]),
])
@pytest.mark.parametrize("form", [list, tuple, iter])
def test_merge(periods, merged, form):
    given = [tuple(map(day, period)) for period in periods]
    kept = list(given)
    assert [tuple(period) for period in merge(given if form is list else form(given))] == [tuple(map(day, period)) for period in merged]
    assert given == kept
PY
sed -f /tmp/numbers.sed /tmp/test_garage.py > tests/test_garage.py
#> Where the present package is right the suite has to be green on it; where it departs from the rules the suite has to be red. Then try a copy whose overlap forgets periods that share just one day: the tests of overlap have to turn it down.
python3 -B -m pytest -q -p no:cacheprovider tests 2>&1 | tail -n 15
rm -rf /tmp/try && mkdir /tmp/try
python3 -B -m pytest -q -p no:cacheprovider -k overlap tests | tail -n 1
attempt() { rm -rf /tmp/try/*; cp -r tests garage /tmp/try; sed -i "$2" "/tmp/try/garage/$1"; diff "garage/$1" "/tmp/try/garage/$1"; (cd /tmp/try && python3 -B -m pytest -q -p no:cacheprovider -k "$3" tests | tail -n 1); }
attempt days.py 's/one\[0\] <= other/one[0] < other/' overlap
find tests garage -name __pycache__ -prune -exec rm -r {} +
ls tests
