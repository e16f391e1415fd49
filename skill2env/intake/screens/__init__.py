"""Looks through a skill's files for what must not be passed on, and for what its text would make others do."""

from skill2env.intake.screens.screen import screen

__all__ = ["screen"]
