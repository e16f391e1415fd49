"""What is said to a language model, and what it answers; the same whatever the endpoint's protocol is."""

from __future__ import annotations

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
    """Name of the model as the endpoint knows it."""
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
    output: int = 0
    """Tokens written, those of reasoning included."""

    def __add__(self, other: Tokens) -> Tokens:
        """Return the sum."""
        return Tokens(
            input=self.input + other.input,
            cached=self.cached + other.cached,
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

    def message(self) -> Message:
        """Return it as the next message of the conversation."""
        return Message(role="assistant", text=self.text, calls=self.calls)
