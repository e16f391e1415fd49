"""Prints pass@1 and pass@n of scripted policies over the accepted tasks, by level: `make policies`. No model takes part.

Exits 1 where a policy passes more at a harder level.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from skill2env.attempted import figures, lines_of
from skill2env.commands.common import opened
from skill2env.errors import Skill2EnvError
from skill2env.models.blueprint import LEVELS

from .policy import POLICIES
from .runner import outcomes

TITLE = (
    "Scripted policies, no models: each plays the tasks' own solutions and mistakes through the agent loop, with a probability "
    "that is fixed beforehand."
)


def main() -> int:
    """Run the policies and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.policies", description=__doc__)
    parser.add_argument("--workspace", type=Path, default=Path())
    parser.add_argument("--tasks", type=int, help="only so many of the accepted tasks")
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--replay", action="store_true", help="do not run the very same steps again")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    try:
        with opened(chosen.workspace) as context:
            found = figures(list(outcomes(context, chosen.tasks, chosen.attempts, chosen.replay)))
    except Skill2EnvError as error:
        print(f"error: {error}", file=sys.stderr)
        return int(error.exit_code)
    falls = falling(found)
    if chosen.json:
        print(json.dumps({"scripted": True, **found, "monotone": falls}))
    else:
        print("\n".join([TITLE, "", *lines_of(found), "", f"Monotone in level: {falls}"]))
    return 0 if all(falls.values()) else 1


def falling(found: dict[str, Any]) -> dict[str, bool]:
    """Return for each policy whether its pass@1 does not rise from a level to the next harder one."""
    told = {}
    for policy in POLICIES:
        rates = {
            row["level"]: row["pass_at"]["1"]["mean"]
            for row in found["passes"]
            if row["model"] == policy.model
        }
        known = [rates[level] for level in LEVELS if level in rates]
        told[policy.model] = all(easier >= harder for easier, harder in pairwise(known))
    return told


if __name__ == "__main__":
    sys.exit(main())
