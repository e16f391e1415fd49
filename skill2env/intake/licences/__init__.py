"""The licence of a skill: which statement counts, what it says in SPDX, and whether it allows redistribution."""

from skill2env.intake.licences.resolve import Licence, resolve
from skill2env.intake.licences.spdx import permits

__all__ = ["Licence", "permits", "resolve"]
