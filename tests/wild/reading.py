"""What each process does with one skill."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import NamedTuple

from skill2env.models.outcome import Accepted, Severity
from skill2env.stages.parse import read_skill


class Read(NamedTuple):
    """What one process says of one skill."""

    usable: bool
    rule: str
    codes: tuple[str, ...]
    errors: int
    pid: int
    peak_kb: int
    cpu_sec: float


def read(folder: str) -> Read:
    """Read one folder; whatever it holds, this returns."""
    place = Path(folder)
    began = time.process_time()
    answer = read_skill(place, place.name)
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if isinstance(answer, Accepted):
        skill = answer.record
        usable = bool(skill.name and skill.description)
        return Read(usable, "", tuple(f.code for f in skill.findings), 0, os.getpid(), peak, cpu)
    errors = sum(finding.severity == Severity.ERROR for finding in answer.findings)
    codes = tuple(finding.code for finding in answer.findings)
    return Read(False, answer.rule, codes, errors, os.getpid(), peak, cpu)
