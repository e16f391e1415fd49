"""Surroundings that must not matter: the sets under which the oracle is run again (VERIFIER.md, strength)."""

from __future__ import annotations

from skill2env.models.trial import Perturbation

PLAIN = Perturbation()
ELSEWHERE = Perturbation(
    name="elsewhere",
    env=(
        ("TZ", "America/St_Johns"),
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("PYTHONHASHSEED", "4711"),
    ),
    hostname="build-07",
    one_cpu=True,
)
"""Half an hour off every other time zone, decimal commas and another collation, one cpu, another order of sets."""

_IN_TURN = (ELSEWHERE, PLAIN)


def perturbations(runs: int) -> tuple[Perturbation, ...]:
    """Return the surroundings of each of `runs` executions: the first plain, the others in turn."""
    return (PLAIN, *(_IN_TURN[i % len(_IN_TURN)] for i in range(runs - 1)))
