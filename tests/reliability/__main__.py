"""Prints a table of what runs survive, with figures, and exits 1 where one does not: `make reliability`."""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback

from skill2env.errors import Skill2EnvError
from tests.reliability import scenarios
from tests.reliability.engine import PrivateEngine
from tests.reliability.scenarios import Lab, Seen

TABLE = (
    scenarios.unbroken,
    scenarios.orphans,
    scenarios.two_runs,
    scenarios.two_workspaces,
    scenarios.engine_stops,
    scenarios.work_disk_full,
    scenarios.engine_disk_full,
    scenarios.kills,
)


def main() -> int:
    """Run the scenarios that were asked for; the unbroken run always comes first."""
    names = [scenario.__name__ for scenario in TABLE]
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--only", nargs="*", choices=names, default=names)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    began, failed = time.monotonic(), 0
    with PrivateEngine() as engine:
        lab = Lab(engine, engine.folder / "work", given.seed, given.kills)
        lab.folder.mkdir()
        print(f"{'engine':18} ready in {time.monotonic() - began:.0f} s", flush=True)
        for scenario in TABLE:
            if scenario is scenarios.unbroken or scenario.__name__ in given.only:
                failed += _failed(scenario.__name__, lambda scenario=scenario: scenario(lab))  # type: ignore[misc]
    print(f"{failed} of the scenarios failed; {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def _failed(name: str, scenario: object) -> bool:
    began = time.monotonic()
    try:
        seen: Seen = scenario()  # type: ignore[operator]
    except Exception:
        seen = Seen(faults=[traceback.format_exc()])
    figures = "; ".join(f"{key} {value}" for key, value in seen.figures.items())
    mark = "FAILED" if seen.faults else "ok"
    print(f"{name:18} {mark:6} {time.monotonic() - began:5.0f} s  {figures}", flush=True)
    for fault in seen.faults:
        print(f"{'':18} - {fault}", flush=True)
    return bool(seen.faults)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skill2EnvError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
