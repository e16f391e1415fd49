"""What is said to a language model, and what it answers; the same whatever the endpoint's protocol is."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from skill2env.models.base import Record, content_id


class ToolCall(Record):
    """One call of a tool, as a model asked for it."""

    id: str
    """Ties the call to its result."""
    name: str
    """Name of the tool."""
    arguments: str
    """The arguments as the model wrote them: JSON text, if the model did as it should."""


class Message(Record):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks; `tool` is the result of one call."""
    text: str = ""
    """What is said."""
    calls: tuple[ToolCall, ...] = ()
    """For `assistant`: the tools that it calls."""
    call_id: str = ""
    """For `tool`: the call that it answers."""


class Tool(Record):
    """One tool that a model may call."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    """Name of the tool."""
    description: str
    """What it does, for the model."""
    parameters: dict[str, Any]
    """JSON Schema of its arguments, an object."""


class Sampling(Record):
    """How a completion is drawn."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """None leaves it to the endpoint, which some models demand."""
    max_tokens: Annotated[int, Field(ge=1)] = 8192
    """Tokens that one completion may have."""


class Ask(Record):
    """One request: all that its answer may depend on. Its content id is the key of the record."""

    model: str
    """`<endpoint>/<model>`: a name under `llm.endpoints` in the parameters, and the model as that endpoint knows it."""
    messages: tuple[Message, ...]
    """The conversation so far."""
    tools: tuple[Tool, ...] = ()
    """Tools that may be called."""
    output_schema: dict[str, Any] | None = None
    """JSON Schema that the text of the answer must satisfy; None for free text."""
    sampling: Sampling = Sampling()
    """How the answer is drawn."""
    sample: Annotated[int, Field(ge=0)] = 0
    """Number of the attempt, where the same is asked several times and other answers are wanted."""

    @property
    def key(self) -> str:
        """Content id of the request."""
        return content_id(self.model_dump(mode="json"))


class Tokens(Record):
    """Tokens of one completion, or of several."""

    input: int = 0
    """Tokens read, cached ones included."""
    cached: int = 0
    """Those of them that came from the endpoint's cache."""
    cache_written: int = 0
    """Those of them that were written into the endpoint's cache, as far as it tells."""
    output: int = 0
    """Tokens written, those of reasoning included."""

    def __add__(self, other: Tokens) -> Tokens:
        """Return the sum."""
        return Tokens(
            input=self.input + other.input,
            cached=self.cached + other.cached,
            cache_written=self.cache_written + other.cache_written,
            output=self.output + other.output,
        )


class Completion(Record):
    """What came of one request."""

    text: str
    """What the model says."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that it calls."""
    finish: Literal["stop", "length", "tools", "refused"]
    """Why it ended: done, cut at `max_tokens`, tools are called, or the endpoint or model declined."""
    model: str
    """Model as the endpoint names it in its answer."""
    tokens: Tokens
    """As the endpoint counted them."""
    money: float | None
    """US dollars by the price table when it was asked; None where the model has no price."""
    seconds: float
    """Wall seconds, retries included."""
    requests: int
    """HTTP requests made for it, failed ones included."""
    made_on: datetime.date | None = None
    """Day on which the model said it (UTC), also when it is replayed later; None where it is not known."""

    def message(self) -> Message:
        """Return it as the next message of the conversation."""
        return Message(role="assistant", text=self.text, calls=self.calls)


class Spent(Record):
    """What one or several completions cost, failed requests included."""

    completions: int = 0
    """Whole completions."""
    requests: int = 0
    """HTTP requests, failed ones included."""
    tokens: Tokens = Tokens()
    """Tokens of all of them, as far as the endpoint told."""
    money: float = 0.0
    """US dollars, of those whose model has a price."""
    unpriced: int = 0
    """How many of the completions and failures have no price, so that their money is not known."""
    seconds: float = 0.0
    """Seconds of waiting for models, waits between tries included; those of completions made at the same time add up."""

    def __add__(self, other: Spent) -> Spent:
        """Return the sum."""
        return Spent(
            completions=self.completions + other.completions,
            requests=self.requests + other.requests,
            tokens=self.tokens + other.tokens,
            money=self.money + other.money,
            unpriced=self.unpriced + other.unpriced,
            seconds=self.seconds + other.seconds,
        )


class LedgerRow(Record):
    """The sums of one purpose, model and outcome."""

    purpose: str
    """What it was asked for, for instance `plan` or `write`."""
    model: str
    """`<endpoint>/<model>`."""
    outcome: Literal["answered", "refused", "failed", "replayed"]
    """`replayed`: taken from a record. It cost nothing now, and the sums say what it cost when it was made."""
    spent: Spent
    """The sums."""
