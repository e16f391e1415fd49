"""`make faults`: what comes of each fault of an endpoint, measured against the scripted server and written into docs/models.md."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from llm.server import (
    ENVIRON,
    Answer,
    Cut,
    Drip,
    ErrorInStream,
    Page,
    Reply,
    Reset,
    Script,
    Server,
    Silence,
    Status,
    in_turn,
    no_quota,
    refused_key,
    too_many,
)
from skill2env.errors import Skill2EnvError
from skill2env.llm.client import Client
from skill2env.llm.recorder import KIND
from skill2env.models.base import Record
from skill2env.models.chat import Ask, Message, Tool, ToolCall
from skill2env.params import LlmParams, Price
from skill2env.store.results import ResultStore
from skill2env.store.workspace import write_text

# The client loads this at its first request, and loading is no part of what is measured.
import_module("skill2env.llm.endpoint")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
PROTOCOLS = ("openai", "anthropic")
MODELS = {"openai": "scripted/gpt-4.1", "anthropic": "scripted/claude-sonnet-4-6"}
PRICE = Price(input=1000, output=10_000)
"""A whole reply of the server has 100 tokens read and 10 written: 10 cents each, 20 together."""
MAX_WAIT_SEC = 1.2
BOUND_SEC = 10.0
"""Every fault must have come to its end by then, also on a busy machine; the slowest takes three times 1.5 seconds."""
BEGIN, END = "<!-- begin faults -->", "<!-- end faults -->"


class Plan(Record):
    """What a structured request asks for here."""

    title: str
    steps: tuple[str, ...]


FINE = Reply("All is well, and this is the whole of the answer.")
PLAN = Reply(json.dumps({"title": "Sort", "steps": ["look", "sort"]}))
CUT_JSON = Reply('{"title": "Sort", "steps": ["lo', finish="length")
WRONG = Reply('{"title": 7, "step": []}')
REFUSAL = Reply("I can't help with that.", finish="refused")
BAD_CALL = Reply(calls=(ToolCall(id="c1", name="look", arguments='{"path": no'),))
TOOL = Tool(
    name="look",
    description="Look at a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}},
)


@dataclass(frozen=True)
class Case:
    """A fault: what the endpoint does, request after request; and whether the answer is asked for by schema."""

    fault: str
    script: Callable[[], Script]
    by_schema: bool = False
    times: dict[str, float] = field(default_factory=dict)
    """Time-outs of the endpoint that the case needs."""


def _case(fault: str, *answers: Answer, by_schema: bool = False, **times: float) -> Case:
    return Case(fault, lambda: in_turn(*answers), by_schema, times)


CASES = (
    _case("none", FINE),
    Case("429, Retry-After 1 (second), then well", lambda: in_turn(too_many(1), FINE)),
    Case(
        "429, Retry-After a date 2 seconds away, then well", lambda: in_turn(too_many(2, as_date=True), FINE)
    ),
    Case("429, Retry-After 3600, then well", lambda: in_turn(too_many(3600), FINE)),
    _case("429, then well", too_many(), FINE),
    _case("429 for ever", too_many()),
    _case("429, quota exhausted", no_quota()),
    _case("500, then well", Status(500), FINE),
    _case("500 for ever", Status(500)),
    _case("529, then well", Status(529, "Overloaded", "overloaded_error"), FINE),
    _case("400", Status(400, "max_tokens is too large", "invalid_request_error")),
    Case("401, repeats the key", lambda: refused_key),
    _case("no answer, for ever", Silence(), idle_sec=0.5),
    _case("reset in mid-stream, then well", Reset(), FINE),
    _case("reset in mid-stream, for ever", Reset()),
    _case("stream cut short, then well", Cut(), FINE),
    _case("stream cut short, for ever", Cut()),
    _case("error in mid-stream, then well", ErrorInStream(), FINE),
    _case("error in mid-stream, for ever", ErrorInStream()),
    _case("a page of HTML, for ever", Page()),
    _case("slow drip, for ever", Drip(), total_sec=1.5),
    _case("empty answer, then well", Reply(""), FINE),
    _case("empty answer, for ever", Reply("")),
    _case("cut JSON, then well", CUT_JSON, PLAN, by_schema=True),
    _case("cut JSON, for ever", CUT_JSON, by_schema=True),
    _case("wrong schema, then well", WRONG, PLAN, by_schema=True),
    _case("wrong schema, for ever", WRONG, by_schema=True),
    _case("refusal", REFUSAL),
    _case("refusal where a schema is asked for", REFUSAL, by_schema=True),
    _case("tool call with bad arguments", BAD_CALL),
)


@dataclass(frozen=True)
class Row:
    """What came of a fault."""

    fault: str
    protocol: str
    happened: str
    requests: int
    """HTTP requests that the server got."""
    tokens: int
    """Read and written, as the ledger has them."""
    money: float
    """US dollars, as the ledger has them."""
    recorded: int
    """Completions in the store."""
    counted: int
    """HTTP requests, as the ledger has them."""
    seconds: float

    def cells(self) -> tuple[str, ...]:
        """Return what the table shows."""
        shown = (self.requests, self.tokens, f"{self.money:.2f}", self.recorded)
        return (self.fault, self.protocol, self.happened.replace("|", "\\|"), *map(str, shown))


def measure(case: Case, protocol: str) -> Row:
    """Play a fault through the client and a real connection."""
    model = MODELS[protocol]
    ask = Ask(model=model, messages=(Message(role="user", text="Plan the work."),), tools=(TOOL,))
    with tempfile.TemporaryDirectory() as folder, Server(case.script()) as server:
        endpoint = server.params(protocol, max_wait_sec=MAX_WAIT_SEC, **case.times)
        store = ResultStore(Path(folder) / "results.sqlite")
        params = LlmParams(endpoints={"scripted": endpoint}, prices={model: PRICE})
        began = time.monotonic()
        with Client(params, store, environ=ENVIRON) as client:
            happened = _happened(client, ask, case.by_schema).removeprefix(f"{model}: ")
            seconds = time.monotonic() - began
            spent = client.ledger.now()
        recorded = store.count(KIND)
        store.close()
        tokens = spent.tokens.input + spent.tokens.output
        money = round(spent.money, 6)
        counts = (server.count, tokens, money, recorded, spent.requests, seconds)
        return Row(case.fault, protocol, happened, *counts)


def _happened(client: Client, ask: Ask, by_schema: bool) -> str:
    model = f"{ask.model}: "
    try:
        if by_schema:
            answer, made = client.structured(ask, Plan)
            return f"answered by schema ({answer.title}) after {len(made) - 1} repair(s)"
        completion = client.complete(ask)
    except Skill2EnvError as error:
        return f"{type(error).__name__}: {str(error).removeprefix(model)}"
    if completion.finish == "tools":
        return f"answered, with the call as it came: {completion.calls[0].arguments}"
    return "refused" if completion.finish == "refused" else "answered"


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    head = ("Fault", "Protocol", "What happened", "HTTP requests", "Tokens", "US dollars", "Recorded")
    lines = (head, ("---",) * len(head), *(row.cells() for row in rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Measure, print, and write the page."""
    text = table([measure(case, protocol) for case in CASES for protocol in PROTOCOLS])
    print(text)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN, 1)
    write_text(PAGE, f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main()
