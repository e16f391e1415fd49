"""The keys of endpoints: taken from the environment, and kept out of everything that is written or said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

from skill2env.errors import UsageError
from skill2env.params import LlmParams

NOT_SECRET = 8
"""A value shorter than this is a placeholder as local servers want one, such as `EMPTY`, and no secret."""
_HIDDEN = "[key]"


class Keys:
    """The values of the variables that the endpoints name; they never show in a repr."""

    def __init__(self, params: LlmParams, environ: Mapping[str, str]) -> None:
        """Take what the environment has of them."""
        names = sorted({endpoint.key for endpoint in params.endpoints.values() if endpoint.key})
        self._values = {name: environ[name] for name in names if environ.get(name)}

    def __repr__(self) -> str:
        """Return the names only."""
        return f"Keys({', '.join(self._values)})"

    def of(self, endpoint: str, variable: str) -> str:
        """Return the key of an endpoint; a placeholder where it needs none.

        Raises:
            UsageError: the environment has no such variable.
        """
        if not variable:
            return "none"
        if variable not in self._values:
            raise UsageError(
                f"llm.endpoints.{endpoint}: the environment variable {variable} is not set; set it to the endpoint's key, "
                "or run with llm.replay_only"
            )
        return self._values[variable]

    def found(self, text: str) -> tuple[str, ...]:
        """Return the variables whose values are in a text, in plain, as JSON or as in an address."""
        return tuple(name for name in self._values if any(form in text for form in self._forms(name)))

    def redacted(self, text: str) -> str:
        """Return a text with `[key]` in the place of every key."""
        for name in self._values:
            for form in self._forms(name):
                text = text.replace(form, _HIDDEN)
        return text

    def _forms(self, name: str) -> set[str]:
        value = self._values[name]
        if len(value) < NOT_SECRET:
            return set()
        return {value, json.dumps(value)[1:-1], quote(value, safe="")}
