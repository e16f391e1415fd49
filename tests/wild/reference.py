"""Asks the reference validator about folders, in an environment of its own; runs there with no package of ours.

Reads one folder a line from standard input, and answers each with a line of JSON: its errors, or what it broke with.
"""

import json
import sys
from pathlib import Path

from skills_ref.validator import validate


def answer(folder: str) -> dict[str, object]:
    """Return what the validator says of one folder."""
    try:
        return {"errors": validate(Path(folder)), "broke": ""}
    except Exception as error:  # the validator's own crash is what is counted
        return {"errors": [], "broke": type(error).__name__}


for line in sys.stdin:
    print(json.dumps(answer(line.rstrip("\n"))), flush=True)
