"""Parameters of language models: endpoints, prices, budgets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skill2env.models.base import Record


class Price(Record):
    """What a model costs, in US dollars per million tokens; 0 for one of your own."""

    input: Annotated[float, Field(ge=0)]
    """Tokens read."""
    cached: Annotated[float, Field(ge=0)] | None = None
    """Tokens read from the endpoint's cache; None: they cost what others do."""
    cache_written: Annotated[float, Field(ge=0)] | None = None
    """Tokens read and written into the endpoint's cache; None: they cost what others do."""
    output: Annotated[float, Field(ge=0)]
    """Tokens written."""
    long_from: Annotated[int, Field(ge=1)] | None = None
    """A request with more input tokens than this is billed by `long` as a whole; None: there is no such step."""
    long: Price | None = None
    """The price of such a request."""


class EndpointParams(Record):
    """One place where language models answer."""

    protocol: Literal["openai", "anthropic"]
    """`openai`: chat completions, which vLLM, SGLang, Ollama, llama.cpp, OpenRouter and many others speak too."""
    url: str = ""
    """Address below which the protocol begins, for instance `http://localhost:8000/v1`; empty for the vendor's own."""
    key: str = ""
    """Name of the environment variable that holds the key; empty where none is needed. The key itself is never written here."""
    structure: Literal["schema", "told"] = "schema"
    """How a JSON Schema is enforced. `schema`: the endpoint does it. `told`: it can't, so the model is only told."""
    cache: bool = True
    """For `anthropic`, which has to be asked: what later requests repeat is kept in the endpoint's cache for five minutes."""
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 4
    """Requests that may be open at the same time."""
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    """Requests begin at least this far apart; None: no limit."""
    connect_sec: Annotated[float, Field(gt=0)] = 10
    """Seconds in which a connection must be there."""
    idle_sec: Annotated[float, Field(gt=0)] = 300
    """Seconds without a byte after which a request is given up; the wait for the first byte counts."""
    total_sec: Annotated[float, Field(gt=0)] = 1200
    """Seconds after which a request is given up even if bytes still come."""
    tries: Annotated[int, Field(ge=1, le=100)] = 6
    """HTTP requests made for one completion at most, where trying again makes sense."""
    first_wait_sec: Annotated[float, Field(ge=0)] = 1
    """Seconds between the first two tries; then twice as many each time, and up to this many more at random."""
    max_wait_sec: Annotated[float, Field(ge=0)] = 60
    """No wait between two tries is longer, also not where the endpoint asks for one with Retry-After."""


class BudgetParams(Record):
    """What a run may spend on language models; replayed completions cost nothing. null sets no bound."""

    money: Annotated[float, Field(ge=0)] | None = None
    """US dollars; a model without a price is then refused."""
    tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens, read and written."""
    seconds: Annotated[float, Field(ge=0)] | None = None
    """Seconds of waiting for models, waits between tries included; those of requests made at the same time add up."""


class LlmParams(Record):
    """Language models: where they are, what they may cost, and which records stand for them."""

    endpoints: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")], EndpointParams] = {}  # noqa: RUF012  # pydantic copies it
    """Endpoints by name; a model is named `<endpoint>/<model>`. Their keys are in docs/models.md."""
    prices: dict[str, Price] = {}  # noqa: RUF012  # pydantic copies it
    """Prices by `<endpoint>/<model>`, before those that come with the package; keys as in docs/models.md."""
    records: tuple[str, ...] = ()
    """Files of records, or folders of such files (`*.jsonl`, or compressed `*.jsonl.xz`), relative to the workspace: what they
    hold is never asked again."""
    replay_only: bool = False
    """True: nothing is asked over the network; a request that is in no record ends the run with exit code 9."""
    budget: BudgetParams = BudgetParams()
    """What a run may spend."""
