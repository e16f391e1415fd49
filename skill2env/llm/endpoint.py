"""One endpoint: its connections, its limits, and the tries that one completion may take."""

from __future__ import annotations

import datetime
import random
import time
from collections.abc import Callable

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from skill2env.llm.failure import Failure
from skill2env.llm.keys import Keys
from skill2env.llm.loop import Loop
from skill2env.llm.pace import Pace
from skill2env.llm.prices import money
from skill2env.llm.wire import Reply, Wire
from skill2env.models.chat import Ask, Completion, Spent, Tokens
from skill2env.params import EndpointParams, Price


class Endpoint:
    """Asks one endpoint; safe under threads."""

    def __init__(self, name: str, params: EndpointParams, keys: Keys, loop: Loop) -> None:
        """Make the connections; nothing is sent yet.

        Raises:
            UsageError: the environment has no key for it.
        """
        self.params = params
        self._keys, self._loop = keys, loop
        self._wire = Wire(name, params, keys.of(name, params.key))
        self._pace = Pace(params.concurrency, params.requests_per_minute)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    def complete(self, ask: Ask, price: Price | None, failed: Callable[[Spent], None]) -> Completion:
        """Return the completion of a request, after as many tries as it takes and may take.

        Args:
            ask: The request.
            price: The model's price.
            failed: Is told what was spent if it fails.

        Raises:
            Failure: all tries failed, or one did that makes no sense to repeat; without keys in its words.
            UsageError: the model can't do what is asked of it.
        """
        tries = _Tries(self._pace, price)
        retrying = Retrying(
            stop=stop_after_attempt(self.params.tries),
            wait=self._wait,
            retry=retry_if_exception(lambda error: isinstance(error, Failure) and error.again),
            reraise=True,
        )
        try:
            reply = retrying(lambda: tries.make(lambda: self._loop.run(self._wire.say(ask))))
        except Failure as failure:
            failure.why = self._keys.redacted(failure.why)
            spent = tries.spent(completions=0)
            failure.tries = spent.requests
            failed(spent)
            raise
        return self._completion(reply, tries)

    def _completion(self, reply: Reply, tries: _Tries) -> Completion:
        spent = tries.spent(completions=1)
        hide = self._keys.redacted
        return Completion(
            text=hide(reply.text),
            calls=tuple(
                call.model_copy(update={"arguments": hide(call.arguments), "name": hide(call.name)})
                for call in reply.calls
            ),
            finish=_finish(reply),
            model=hide(reply.model),
            tokens=spent.tokens,
            money=None if spent.unpriced else spent.money,
            seconds=spent.seconds,
            requests=spent.requests,
            made_on=datetime.datetime.now(datetime.UTC).date(),
        )

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds until the next try: what the endpoint asks for, else exponential; jittered, bounded."""
        first, most = self.params.first_wait_sec, self.params.max_wait_sec
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.wait_sec if isinstance(failure, Failure) else None
        if asked is None:
            growing = wait_exponential(multiplier=first, max=most) + wait_random(0, first)
            return min(growing(state), most)
        asked = min(asked, most)
        self._pace.hold(asked)
        return min(asked + random.uniform(0, first), most)


class _Tries:
    """Counts what the tries of one completion cost."""

    def __init__(self, pace: Pace, price: Price | None) -> None:
        self._pace, self._price = pace, price
        self._began = time.monotonic()
        self._queued = 0.0
        self._requests = 0
        self._tokens = Tokens()
        self._money = 0.0

    def make(self, request: Callable[[], Reply]) -> Reply:
        with self._pace.turn() as queued:
            self._queued += queued
            self._requests += 1
            try:
                reply = request()
            except Failure as failure:
                self._count(failure.tokens)
                raise
            self._count(reply.tokens)
            return reply

    def _count(self, tokens: Tokens) -> None:
        self._tokens += tokens
        self._money += money(tokens, self._price) or 0.0

    def spent(self, completions: int) -> Spent:
        """Return the sums; the time in which our own limits made it wait is no time of the model."""
        return Spent(
            completions=completions,
            requests=self._requests,
            tokens=self._tokens,
            money=self._money,
            unpriced=int(self._price is None),
            seconds=round(time.monotonic() - self._began - self._queued, 3),
        )


def _finish(reply: Reply) -> str:
    """Return how it ended: what was cut at `max_tokens` or declined is that, whatever else is in it."""
    if reply.finish == "content_filter":
        return "refused"
    if reply.finish == "length":
        return "length"
    return "tools" if reply.calls else "stop"
