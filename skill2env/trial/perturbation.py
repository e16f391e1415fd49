"""Surroundings that must not matter: the sets under which the oracle is run again."""

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
    umask="077",
)
"""Half an hour off every other time zone, decimal commas and another collation, one cpu, another order of sets, and files that
nobody else may read."""
LATER = Perturbation(name="later", cpu_share=0.5, clock_days=400, uid=1234)
"""The clock 400 days on, half of the cpus, as a doubled load leaves them, and another user than root, who owns the world."""

_IN_TURN = (ELSEWHERE, LATER)
_ALONE = (
    Perturbation(name="time zone", env=ELSEWHERE.env[:1]),
    Perturbation(name="locale", env=ELSEWHERE.env[1:3]),
    Perturbation(name="hash seed", env=ELSEWHERE.env[3:]),
    Perturbation(name="host name", hostname=ELSEWHERE.hostname),
    Perturbation(name="one cpu", one_cpu=True),
    Perturbation(name="umask", umask=ELSEWHERE.umask),
    Perturbation(name="load", cpu_share=LATER.cpu_share),
    Perturbation(name="clock", clock_days=LATER.clock_days),
    Perturbation(name="user", uid=LATER.uid),
)


def perturbations(runs: int) -> tuple[Perturbation, ...]:
    """Return the surroundings of each of `runs` executions: the first plain, the others in turn."""
    return (PLAIN, *(_IN_TURN[i % len(_IN_TURN)] for i in range(runs - 1)))


def parts(around: Perturbation) -> tuple[Perturbation, ...]:
    """Return what a set is made of, each part alone, to find the one that matters."""
    plain = PLAIN.model_dump()
    mine = around.model_dump()
    return tuple(
        part
        for part in _ALONE
        if all(
            set(mine["env"]) >= set(value) if name == "env" else mine[name] == value
            for name, value in part.model_dump().items()
            if name != "name" and value != plain[name]
        )
    )
