"""Statistics of attempts: pass@k, difficulty and lift, each with an interval; pure functions, the same for the same input.

A task is the unit: its attempts depend on each other, tasks do not. So intervals come from resampling tasks, by the Bayesian
bootstrap (Rubin 1981, The Annals of Statistics 9:130): each draw weighs the tasks by a Dirichlet distribution. To it belong two
half tasks at the ends of the range. With them, an interval has a width also where all tasks agree, or are few; for values of
0 and 1 alone it is exactly the Jeffreys interval (Brown, Cai, DasGupta 2001, Statistical Science 16:101).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
_DRAWS = 4000
_SEED = 20260101


@dataclass(frozen=True)
class Estimate:
    """A mean over tasks."""

    mean: float
    """The mean itself."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end."""
    tasks: int
    """Tasks that it is taken over."""


def pass_at(attempts: int, passed: int, k: int) -> float:
    """Return the probability that one of k attempts passes, of which `passed` in `attempts` did: 1 - C(n-c, k) / C(n, k).

    The estimator is unbiased (Chen et al. 2021, arXiv:2107.03374, section 2.1).

    Raises:
        ValueError: there are fewer attempts than k, or more passed than were made.
    """
    if not 1 <= k <= attempts or not 0 <= passed <= attempts:
        raise ValueError(f"pass@{k} can't be told from {passed} of {attempts} attempts")
    return 1 - math.comb(attempts - passed, k) / math.comb(attempts, k)


def estimate(values: Sequence[float], low: float = 0.0, high: float = 1.0) -> Estimate | None:
    """Return the mean of one value per task with its interval, or None without any task.

    Args:
        values: one per task.
        low: the least that a value can be.
        high: the most.

    Raises:
        ValueError: a value is out of range.
    """
    if not values:
        return None
    if not all(low <= value <= high for value in values):
        raise ValueError(f"a value is not within {low:g} and {high:g}")
    mean = min(max(math.fsum(values) / len(values), low), high)
    means = sorted(_draws(values, low, high))
    tail = (1 - CONFIDENCE) / 2
    below, above = means[int(tail * _DRAWS)], means[int((1 - tail) * _DRAWS)]
    # Where all agree on an end, the interval reaches it, as Jeffreys' does.
    below = low if mean == low else min(below, mean)
    above = high if mean == high else max(above, mean)
    return Estimate(mean, below, above, len(values))


def _draws(values: Sequence[float], low: float, high: float) -> list[float]:
    """Return means under random weights; weights of equal values are drawn as one, which has the same distribution."""
    shapes: dict[float, float] = {low: 0.5, high: 0.5}
    for value in values:
        shapes[value] = shapes.get(value, 0.0) + 1
    # Not the set of values, but their order would else decide.
    ordered = sorted(shapes.items())
    chance = random.Random(_SEED)
    found = []
    for _ in range(_DRAWS):
        weights = [chance.gammavariate(shape, 1.0) for _, shape in ordered]
        total = math.fsum(weights)
        found.append(math.fsum(w * value for w, (value, _) in zip(weights, ordered, strict=True)) / total)
    return found


def share(part: int, whole: int) -> tuple[float, float, float]:
    """Return a share with its Wilson interval, for attempts at one task; (0, 0, 1) stands for nothing known.

    Raises:
        ValueError: the part is more than the whole.
    """
    if not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is no share")
    if whole == 0:
        return 0.0, 0.0, 1.0
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    p = part / whole
    middle = (p + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    return p, 0.0 if part == 0 else middle - half, 1.0 if part == whole else middle + half


def lift(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """Return by how much the rate of passing is higher with a skill than without, or None without any task.

    Args:
        pairs: for each task that was attempted both ways, its rate without and with the skill.
    """
    return estimate([after - before for before, after in pairs], -1.0, 1.0)


def hurts(found: Estimate) -> bool:
    """Return whether a skill makes things worse: the interval of its lift lies wholly below 0."""
    return found.high < 0
