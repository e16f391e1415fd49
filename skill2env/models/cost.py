"""What the work on one item has cost."""

from __future__ import annotations

from skill2env.models.base import Record
from skill2env.models.chat import Spent


class Cost(Record):
    """What the work on one item of one stage has cost, whatever came of it; several add up."""

    wall_sec: float = 0.0
    """Wall seconds; those of items that are worked on at the same time add up."""
    cpu_sec: float = 0.0
    """CPU seconds: of the driver, and of the containers as far as the kernel could be asked."""
    stored_bytes: int = 0
    """Bytes that were kept in the store."""
    models: dict[str, Spent] = {}  # noqa: RUF012  # pydantic copies it
    """What language models have cost by purpose; what was replayed counts as when it was made."""

    def __add__(self, other: Cost) -> Cost:
        """Return the sum."""
        purposes = sorted({*self.models, *other.models})
        return Cost(
            wall_sec=self.wall_sec + other.wall_sec,
            cpu_sec=self.cpu_sec + other.cpu_sec,
            stored_bytes=self.stored_bytes + other.stored_bytes,
            models={
                name: self.models.get(name, Spent()) + other.models.get(name, Spent()) for name in purposes
            },
        )

    @property
    def spent(self) -> Spent:
        """What language models have cost for all purposes."""
        return sum(self.models.values(), Spent())
