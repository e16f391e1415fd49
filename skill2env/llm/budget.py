"""Budgets of money, tokens and seconds, asked before each request."""

from __future__ import annotations

import threading

from skill2env.errors import BudgetSpent
from skill2env.models.chat import Spent
from skill2env.params import BudgetParams

_WORDS = {"money": "US dollars", "tokens": "tokens", "seconds": "seconds of waiting for models"}


class Budget:
    """What may be spent and what is spent; safe under threads.

    A request that is under way is never broken off, so each thread may go over the bound by one completion at most.
    """

    def __init__(self, bounds: BudgetParams, name: str = "llm.budget") -> None:
        """Begin with nothing spent; `name` is what the error calls it."""
        self.bounds, self._name = bounds, name
        self._spent = Spent()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What is spent so far."""
        return self._spent

    def spend(self, spent: Spent) -> None:
        """Count what was spent."""
        with self._lock:
            self._spent += spent

    def check(self) -> None:
        """Allow another request.

        Raises:
            BudgetSpent: one of the bounds is reached.
        """
        spent = self._spent
        used = {
            "money": spent.money,
            "tokens": spent.tokens.input + spent.tokens.output,
            "seconds": spent.seconds,
        }
        for kind, words in _WORDS.items():
            bound = getattr(self.bounds, kind)
            if bound is not None and used[kind] >= bound:
                raise BudgetSpent(
                    f"{self._name}.{kind}: {used[kind]:.6g} of {bound:.6g} {words} are spent; what was answered is kept, "
                    "raise the bound and run again to go on"
                )
