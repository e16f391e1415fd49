"""Statistics of attempts against values from the literature, and against what must hold whatever the numbers are."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill2env.passes import Estimate, estimate, hurts, lift, pass_at, share

RATES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("attempts", "passed", "k", "value"),
    [
        (4, 0, 1, 0),
        (4, 1, 1, 0.25),
        (4, 1, 4, 1),
        (4, 2, 2, 1 - 1 / 6),
        (10, 3, 5, 1 - 21 / 252),
        (5, 5, 5, 1),
    ],
)
def test_pass_at_k_of_known_values(attempts: int, passed: int, k: int, value: float) -> None:
    assert pass_at(attempts, passed, k) == pytest.approx(value)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_the_choices_of_k_attempts_that_hold_a_pass(
    case: tuple[int, int, int],
) -> None:
    attempts, passed, k = case
    choices = list(itertools.combinations([True] * passed + [False] * (attempts - passed), k))
    assert pass_at(attempts, passed, k) == pytest.approx(sum(map(any, choices)) / len(choices))


@pytest.mark.parametrize(
    ("attempts", "passed", "k"), [(3, 1, 4), (3, 4, 1), (3, 1, 0), (0, 0, 1), (3, -1, 1)]
)
def test_what_cannot_be_told_is_an_error(attempts: int, passed: int, k: int) -> None:
    with pytest.raises(ValueError, match="can't be told"):
        pass_at(attempts, passed, k)


# Quantiles of Beta(c + 1/2, n - c + 1/2), as printed for the Jeffreys interval.
@pytest.mark.parametrize(
    ("passed", "tasks", "low", "high"),
    [
        (0, 10, 0.0, 0.2172),
        (10, 10, 0.7828, 1.0),
        (5, 10, 0.2235, 0.7765),
        (0, 1, 0.0, 0.8532),
        (30, 100, 0.2168, 0.3943),
    ],
)
def test_of_values_0_and_1_the_interval_is_that_of_jeffreys(
    passed: int, tasks: int, low: float, high: float
) -> None:
    found = estimate([1.0] * passed + [0.0] * (tasks - passed))
    assert found is not None
    assert found.mean == passed / tasks
    assert (found.low, found.high) == (pytest.approx(low, abs=0.025), pytest.approx(high, abs=0.025))


@settings(deadline=None, max_examples=30)
@given(RATES)
def test_an_interval_holds_its_mean_stays_in_range_and_repeats_in_any_order(values: list[float]) -> None:
    found = estimate(values)
    assert found is not None
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low < found.high
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert estimate(values[::-1]) == found


def test_more_tasks_make_a_narrower_interval() -> None:
    widths = []
    for times in (1, 4, 16, 64):
        found = estimate([0.0, 0.5, 1.0, 0.25] * times)
        assert found is not None
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.12


def test_attempts_at_one_task_do_not_count_as_tasks() -> None:
    one = estimate([0.5])
    many = estimate([0.5] * 40)
    assert one and many
    assert one.high - one.low > 0.5
    assert many.high - many.low < 0.2


def test_without_tasks_there_is_nothing_to_tell() -> None:
    assert estimate([]) is None
    assert lift([]) is None
    with pytest.raises(ValueError, match="not within"):
        estimate([1.5])


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (1, 4, 0.0456, 0.6994),
        (15, 148, 0.0624, 0.1605),
    ],
)
def test_a_share_has_the_interval_of_wilson(part: int, whole: int, low: float, high: float) -> None:
    assert share(part, whole) == (part / whole, pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_a_share_of_nothing_is_unknown_and_more_than_all_is_an_error() -> None:
    assert share(0, 0) == (0.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="no share"):
        share(3, 2)


def test_a_lift_is_paired_by_task() -> None:
    found = lift([(0.0, 0.25), (0.75, 1.0), (0.5, 0.75)] * 12)
    assert found is not None
    assert (found.mean, found.tasks) == (pytest.approx(0.25), 36)
    assert 0.1 < found.low < 0.25 < found.high < 0.4
    assert not hurts(found)


def test_only_an_interval_wholly_below_0_is_an_alarm() -> None:
    harmful, doubtful = lift([(1.0, 0.25)] * 20), lift([(1.0, 0.25), (0.25, 1.0), (1.0, 0.0)])
    assert harmful and doubtful
    assert hurts(harmful)
    assert doubtful.mean < 0
    assert not hurts(doubtful)
    assert not hurts(Estimate(-0.1, -0.2, 0.0, 9))


@settings(deadline=None, max_examples=20)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30
    )
)
def test_a_lift_the_other_way_round_has_the_other_sign(pairs: list[tuple[float, float]]) -> None:
    there, back = lift(pairs), lift([(after, before) for before, after in pairs])
    assert there and back
    assert there.mean == pytest.approx(-back.mean)
    assert math.isclose(there.low, -back.high, abs_tol=0.06)
