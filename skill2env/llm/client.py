"""The client: what a stage uses to ask language models, with records, retries, budgets and the ledger behind it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from skill2env.errors import EndpointUnusable, ModelError, UsageError
from skill2env.llm.budget import Budget
from skill2env.llm.failure import Failure
from skill2env.llm.keys import Keys
from skill2env.llm.ledger import Ledger, spent_on
from skill2env.llm.loop import Loop
from skill2env.llm.prices import price_of
from skill2env.llm.recorder import Recorder
from skill2env.llm.records import Layer
from skill2env.llm.structured import RecordT, structured
from skill2env.meter import charge
from skill2env.models.base import canonical_json
from skill2env.models.chat import Ask, Completion, Spent
from skill2env.params import LlmParams
from skill2env.store.results import ResultStore

if TYPE_CHECKING:
    from skill2env.llm.endpoint import Endpoint


class Model(Protocol):
    """Anything that completes requests: the client, one purpose of it, or a script in a test."""

    def complete(self, ask: Ask) -> Completion:
        """Return what comes of a request."""


class Client:
    """Asks language models; safe under threads, and a context manager that closes all connections.

    What is recorded is replayed. Everything else is asked, at most `tries` times, and recorded as it comes.
    """

    def __init__(
        self,
        params: LlmParams,
        store: ResultStore,
        root: Path = Path(),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Take the parameters; nothing is connected yet.

        Args:
            params: The section `llm`.
            store: Where completions are recorded.
            root: The workspace, to which the paths of records are relative.
            environ: Where the keys are.
        """
        self.params = params
        self.ledger = Ledger()
        """Everything that was asked through this client."""
        self.budget = Budget(params.budget)
        """What the run may spend; replayed completions cost nothing."""
        self._layer = Layer(root / place for place in params.records)
        self._recorder = Recorder(store, self._layer, params.replay_only)
        self._keys = Keys(params, environ)
        self._lock = threading.Lock()
        self._loop: Loop | None = None
        self._endpoints: dict[str, Endpoint] = {}

    def __enter__(self) -> Client:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections; requests that are under way end with an error."""
        self.close()

    def close(self) -> None:
        """Close connections and files of records; a later request opens them again."""
        with self._lock:
            if self._loop is not None:
                self._loop.close(*(endpoint.close() for endpoint in self._endpoints.values()))
            self._endpoints.clear()
            self._loop = None
        self._layer.close()

    def check(self, model: str) -> None:
        """Say what is wrong with asking a model before anything is spent; where only records are replayed, nothing is.

        Raises:
            UsageError: no such endpoint, no key in the environment, or no price while there is a budget of money.
        """
        if not self.params.replay_only:
            self._endpoint(model)

    def for_purpose(self, purpose: str, budget: Budget | None = None) -> Purpose:
        """Return a model that counts under a purpose, and under a budget of its own if one is given."""
        return Purpose(self, purpose, budget)

    def complete(self, ask: Ask) -> Completion:
        """Return what comes of a request, under the purpose `other`; see `Purpose.complete`."""
        return self.for_purpose("other").complete(ask)

    def structured(self, ask: Ask, answer: type[RecordT]) -> tuple[RecordT, tuple[Completion, ...]]:
        """Return an answer by schema, under the purpose `other`; see `Purpose.structured`."""
        return self.for_purpose("other").structured(ask, answer)

    def answer(self, ask: Ask, purpose: Purpose) -> Completion:
        """Return what comes of a request of a purpose; see `Purpose.complete`."""
        completion, replayed = self._recorder.answer(ask, lambda: self._made(ask, purpose))
        refused = completion.finish == "refused"
        outcome = "replayed" if replayed else "refused" if refused else "answered"
        purpose.count(ask.model, outcome, spent_on(completion))
        return completion

    def _made(self, ask: Ask, purpose: Purpose) -> Completion:
        """Ask an endpoint."""
        endpoint = self._endpoint(ask.model)
        if names := self._keys.found(canonical_json(ask.model_dump(mode="json"))):
            raise UsageError(
                f"{ask.model}: the request holds the value of {', '.join(names)}; it is not sent"
            )
        self.budget.check()
        price = price_of(ask.model, self.params.prices)
        try:
            return endpoint.complete(ask, price, lambda spent: purpose.count(ask.model, "failed", spent))
        except Failure as failure:
            tries = f" ({failure.tries} tries)" if failure.tries > 1 else ""
            message, unusable = f"{ask.model}: {failure.why}{tries}", failure.for_all
        # Raised out here, so that no error of the libraries, which hold headers and bodies, hangs on to it.
        raise (EndpointUnusable if unusable else ModelError)(message)

    def _endpoint(self, model: str) -> Endpoint:
        """Return the endpoint of a model, made at its first use."""
        name, slash, rest = model.partition("/")
        if not slash or not rest or name not in self.params.endpoints:
            known = ", ".join(self.params.endpoints) or "none"
            raise UsageError(
                f"{model!r} names no model of an endpoint; write <endpoint>/<model> with one of llm.endpoints ({known})"
            )
        self._check_price(model)
        # Loaded here, since the libraries take seconds, and replaying needs none of them.
        from skill2env.llm.endpoint import Endpoint

        with self._lock:
            if name not in self._endpoints:
                self._loop = self._loop or Loop()
                params = self.params.endpoints[name]
                self._endpoints[name] = Endpoint(name, params, self._keys, self._loop)
            return self._endpoints[name]

    def _check_price(self, model: str) -> None:
        if self.params.budget.money is not None and price_of(model, self.params.prices) is None:
            raise UsageError(
                f"llm.budget.money: {model} has no price, so that the budget can't be kept; give it one in llm.prices "
                "(0 for a model of your own), or set no budget of money"
            )


@dataclass(frozen=True)
class Purpose:
    """The client for one purpose, for instance planning for one skill; safe under threads."""

    client: Client
    name: str
    """What the ledger calls it."""
    budget: Budget | None = None
    """Its own budget. Replayed completions count as when they were made, so that a replay ends where the first run did."""

    def complete(self, ask: Ask) -> Completion:
        """Return what comes of a request, from the records or the endpoint; a refusal is a completion that says so.

        Raises:
            BudgetSpent: the run's budget or the purpose's own is spent.
            MissingRecord: only records may be replayed, and there is none.
            ModelError: the endpoint failed in every try, or refuses the request.
            EndpointUnusable: the endpoint would refuse every request.
            UsageError: the model's name, the key or the price is missing, or the model can't do what is asked.
            WorkspaceError: the store can't be read or written.
        """
        if self.budget is not None:
            self.budget.check()
        return self.client.answer(ask, self)

    def structured(self, ask: Ask, answer: type[RecordT]) -> tuple[RecordT, tuple[Completion, ...]]:
        """Return an answer by schema, and the completions that it took, repairs included.

        Raises:
            BadAnswer: the model declines, or its answer has faults also after two repairs.
            Skill2EnvError: as `complete` does.
        """
        return structured(self.complete, ask, answer)

    def count(self, model: str, outcome: str, spent: Spent) -> None:
        """Count in the ledger, in the budget of the purpose, and, unless it was replayed, in that of the run."""
        charge(purpose=self.name, spent=spent)
        self.client.ledger.add(self.name, model, outcome, spent)
        if self.budget is not None:
            self.budget.spend(spent)
        if outcome != "replayed":
            self.client.budget.spend(spent)
