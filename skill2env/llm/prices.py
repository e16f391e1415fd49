"""What tokens cost: the table that comes with the package, and what the parameters say before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from pydantic import TypeAdapter

from skill2env.models.chat import Tokens
from skill2env.params import Price

_MILLION = 1_000_000
_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|0)$")


def price_of(model: str, given: Mapping[str, Price]) -> Price | None:
    """Return the price of `<endpoint>/<model>`, or None where nobody says it.

    What is given comes first, by the whole name. The table goes by the vendor's name of the model, without a date at its end
    and without the vendor before it (`any/openai/gpt-4.1-2025-04-14` is `gpt-4.1`); gateways write points where a vendor
    has dashes (`any/anthropic/claude-sonnet-4.5`).
    """
    if model in given:
        return given[model]
    name = model.rpartition("/")[2]
    spellings = (name, _DATED.sub("", name), name.replace(".", "-"))
    return next((table()[spelling] for spelling in spellings if spelling in table()), None)


@cache
def table() -> dict[str, Price]:
    """Return the prices that come with the package, by the vendor's name of the model."""
    text = files("skill2env.llm").joinpath("prices.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Price]).validate_python(yaml.safe_load(text))


def money(tokens: Tokens, price: Price | None) -> float | None:
    """Return the US dollars of one request's tokens, or None where there is no price."""
    if price is None:
        return None
    if price.long is not None and price.long_from is not None and tokens.input > price.long_from:
        price = price.long
    cached = price.input if price.cached is None else price.cached
    written = price.input if price.cache_written is None else price.cache_written
    fresh = tokens.input - tokens.cached - tokens.cache_written
    read = fresh * price.input + tokens.cached * cached + tokens.cache_written * written
    return (read + tokens.output * price.output) / _MILLION
