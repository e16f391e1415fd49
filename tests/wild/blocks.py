"""Roles and commands of code blocks that were labelled by hand: `python -m tests.wild.blocks`.

`programs` of a label are the programs of the block's commands, in order; `?` where they were not labelled.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import NamedTuple

from tests.wild.samples import SKILLS, labels, skills


class Measured(NamedTuple):
    """How many blocks were labelled and found right, and what was wrong."""

    roles: int
    right_roles: int
    commands: int
    right_commands: int
    wrong: list[str]


def measure(split: str) -> Measured:
    """Return how roles and commands of a split agree with the labels; a block that is not found is wrong."""
    rows = labels("blocks", split)
    read = dict(skills({(row["repository"], row["path"]) for row in rows}))
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows:
        skill = read.get((row["repository"], row["path"]))
        blocks = enumerate(skill.code_blocks) if skill else ()
        index, block = next(
            ((i, block) for i, block in blocks if block.start_line == int(row["line"])), (-1, None)
        )
        place = f"{row['repository']}/{row['path']}:{row['line']}"
        role = block.role if block else "none"
        count["role"] += role == row["role"]
        if role != row["role"]:
            wrong.append(f"{place}: {row['role']} was found to be {role}")
        if row["programs"] != "?":
            found = (
                " ".join(item.program for item in skill.commands if item.block == index) if skill else "none"
            )
            count["commands"] += 1
            count["right"] += found == row["programs"]
            if found != row["programs"]:
                wrong.append(f"{place}: `{row['programs']}` were found to be `{found}`")
    return Measured(len(rows), count["role"], count["commands"], count["right"], wrong)


def main() -> int:
    """Print both parts with everything that is wrong, or say that there are no wild skills here."""
    if not SKILLS.exists():
        print(
            "skipped: there are no wild skills here; name the folder that holds `wild/` in SKILL2ENV_SHARED"
        )
        return 0
    for split in sys.argv[1:] or ("development", "held"):
        done = measure(split)
        print(
            f"{split}: roles {done.right_roles} of {done.roles} ({done.right_roles / done.roles:.3f}), "
            f"commands {done.right_commands} of {done.commands} ({done.right_commands / done.commands:.3f})"
        )
        print("\n".join(f"  {line}" for line in done.wrong))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
