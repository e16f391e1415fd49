#> Read the rules, wherever they stand, the package and the tests that there are.
cd /workspace
tail -n +1 garage/*.py tests/*.py
for paper in SPEC.md CHANGES.md; do if [ -f "$paper" ]; then cat "$paper"; fi; done
#> Take the numbers from the specification, or from the docstrings if there is none, with agreed changes on top. They go into a slow, plain model inside the tests, with which the implementation is compared over many inputs.
rules=$(cat SPEC.md 2>/dev/null || cat garage/*.py)
free=$(grep -oE 'up to [0-9]+ minutes' <<<"$rules" | grep -oE '[0-9]+' | head -n 1)
rate=$(grep -oE 'costs [0-9.]+, an hour' <<<"$rules" | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
cap=$(grep -oE 'more than [0-9.]+,' <<<"$rules" | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
if [ -f CHANGES.md ]; then
  agreed=$(awk '/^## /{on = /, agreed$/} on' CHANGES.md)
  free=$(grep -oE 'free minutes are [0-9]+' <<<"$agreed" | grep -oE '[0-9]+$')
  cap=$(grep -oE '24 hours is [0-9.]+' <<<"$agreed" | grep -oE '[0-9]+\.[0-9]+$')
fi
echo "$free $rate $cap"
#> The suite in unittest style, with cents as integers and the fee as a walk minute by minute.
{
echo "FREE, RATE, CAP = $free, ${rate/./}, ${cap/./}  # minutes, cents"
cat <<'PY'
import datetime as dt
import itertools
import unittest
from decimal import Decimal

import garage


def walk(seconds):
    """Cost in cents, minute by minute."""
    minutes, total, today = seconds // 60, 0, 0
    if minutes <= FREE:
        return 0
    for m in range(minutes):
        if m % 1440 == 0:
            total, today = total + today, 0
        if m % 1440 % 60 == 0:
            today = min(CAP, today + RATE)
    return total + today


def euros(cents):
    return Decimal(cents) / 100


class Fees(unittest.TestCase):
    def test_like_the_walk(self):
        edges = {0, FREE, 60, 120, 600, 1380, 1440, 1500, 2820, 2880, 4320}
        for clock, edge, around in itertools.product((0, 545, 1290), sorted(edges), (-61, -60, -59, -1, 0, 1, 59, 60, 61)):
            seconds = edge * 60 + around
            if seconds >= 0:
                start = dt.datetime(2026, 2, 27) + dt.timedelta(minutes=clock)
                cost = garage.fee(start, start + dt.timedelta(seconds=seconds))
                self.assertEqual(cost, euros(walk(seconds)), (clock, seconds))
                self.assertIsInstance(cost, Decimal)

    def test_backwards(self):
        now = dt.datetime(2026, 2, 27)
        self.assertRaises(ValueError, garage.fee, now, now - dt.timedelta(minutes=5))


class Parts(unittest.TestCase):
    def test_deal_out_cents_one_by_one(self):
        for cents in (0, 1, 2, 5, 99, 100, 731, 1000):
            for people in (1, 2, 3, 4, 7):
                piles = [0] * people
                for cent in range(cents):
                    piles[cent % people] += 1
                parts = garage.split(euros(cents), people)
                self.assertEqual(parts, [euros(p) for p in piles])
                self.assertTrue(all(type(p) is Decimal for p in parts))
        for people in (0, -3):
            self.assertRaises(ValueError, garage.split, Decimal("1.00"), people)


class Bills(unittest.TestCase):
    def test_all_combinations(self):
        start = dt.datetime(2026, 2, 27, 9)
        lengths = (0, FREE, FREE + 1, 75, 1600)
        extras_seen = ([], [("wash", Decimal("9.90"))], None)
        for n in (0, 1, 2, 3):
            for some in itertools.product(lengths, repeat=n):
                stays = [(start, start + dt.timedelta(minutes=m)) for m in some]
                costs = [("parking", euros(walk(m * 60))) for m in some if walk(m * 60)]
                for extras in extras_seen:
                    mine, given = list(extras or []), list(stays)
                    for form in (given, iter(given)):
                        bill = garage.statement(form, extras) if extras is not None else garage.statement(form)
                        self.assertEqual((bill["count"], bill["lines"], bill["total"]), (n, mine + costs, sum(c for _, c in mine + costs)))
                    self.assertEqual((given, list(extras or [])), (stays, mine))


class Periods(unittest.TestCase):
    def test_as_sets_of_days(self):
        day = dt.date(2026, 2, 26).toordinal()
        periods = [(a, b) for a in range(5) for b in range(a, 6)]
        as_dates = {p: tuple(dt.date.fromordinal(day + n) for n in p) for p in periods}
        for one, other in itertools.product(periods, repeat=2):
            shared = bool(set(range(one[0], one[1] + 1)) & set(range(other[0], other[1] + 1)))
            self.assertEqual(bool(garage.overlap(as_dates[one], as_dates[other])), shared)
        for some in [(), *itertools.product(periods[::2], repeat=3)]:
            covered = sorted({n for a, b in some for n in range(a, b + 1)})
            runs = []
            for n in covered:
                if runs and runs[-1][1] == n - 1:
                    runs[-1][1] = n
                else:
                    runs.append([n, n])
            given = [as_dates[p] for p in some]
            for form in (given, iter(list(given))):
                self.assertEqual([tuple(p) for p in garage.merge(form)], [tuple(dt.date.fromordinal(day + n) for n in run) for run in runs])
            self.assertEqual(given, [as_dates[p] for p in some])
PY
} > tests/test_against_model.py
#> Run it on the package of today: it has to be green where that keeps the rules and red where it does not, and it must not take long.
python3 -B -m pytest -q -p no:cacheprovider tests 2>&1 | tail -n 12
