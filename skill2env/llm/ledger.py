"""The ledger: what was spent on models, by purpose, model and outcome."""

from __future__ import annotations

import threading

from skill2env.models.chat import Completion, LedgerRow, Spent

Outcome = str
"""`answered`, `refused`, `failed` or `replayed`, as `LedgerRow.outcome` says."""


class Ledger:
    """Sums; safe under threads."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._sums: dict[tuple[str, str, Outcome], Spent] = {}
        self._lock = threading.Lock()

    def add(self, purpose: str, model: str, outcome: Outcome, spent: Spent) -> None:
        """Count one completion or failure."""
        with self._lock:
            key = (purpose, model, outcome)
            self._sums[key] = self._sums.get(key, Spent()) + spent

    def rows(self) -> tuple[LedgerRow, ...]:
        """Return the sums, in order."""
        with self._lock:
            return tuple(
                LedgerRow.model_validate(
                    {"purpose": purpose, "model": model, "outcome": outcome, "spent": spent}
                )
                for (purpose, model, outcome), spent in sorted(self._sums.items())
            )

    def now(self) -> Spent:
        """Return what was spent now: all but what was replayed."""
        return sum((row.spent for row in self.rows() if row.outcome != "replayed"), Spent())


def spent_on(completion: Completion) -> Spent:
    """Return what a completion cost when it was made."""
    return Spent(
        completions=1,
        requests=completion.requests,
        tokens=completion.tokens,
        money=completion.money or 0.0,
        unpriced=int(completion.money is None),
        seconds=completion.seconds,
    )
