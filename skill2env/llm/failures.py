"""What the errors of the libraries mean: why a request came to nothing, and whether another try may help."""

from __future__ import annotations

import re

from httpx2 import HTTPError
from openai import APIError
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)

from skill2env.llm.failure import Failure

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance is too low|billing_hard_limit",
    re.IGNORECASE,
)
"""How endpoints say with a 429 or 400 that paying helps and waiting doesn't, where no code of theirs does."""
_QUOTED_CHARS = 200
CUT = "the stream was cut short, or what came can't be read"


def failure_of(error: Exception) -> Failure:
    """Return what an error of the libraries means; words of the endpoint are in it as they came."""
    match error:
        case ModelQuotaExceededError():
            return _quota(error)
        case ModelAPIError() if _QUOTA.search(f"{error.provider_error_code} {error.body}"):
            return _quota(error)
        case ModelAuthenticationError():
            # What it says is not quoted: endpoints repeat the key in full, in part, or with stars in it.
            return Failure(
                f"the endpoint refuses the key ({_status(error)}); set a valid one", False, for_all=True
            )
        case ModelNotFoundError():
            why = (
                f"the endpoint knows no such model or address ({_status(error)}){_quoted(error)}; correct it"
            )
            return Failure(why, False, for_all=True)
        case ModelRateLimitError():
            return Failure(
                f"the endpoint limits the rate ({_status(error)})", True, wait_sec=error.retry_after
            )
        case ModelRequestTimeout():
            return Failure(f"no whole answer within total_sec ({error.timeout:g} s)", True)
        case ModelTimeoutError():
            return Failure("no byte within idle_sec, or no connection within connect_sec", True)
        case ModelConnectionError() | HTTPError():
            return Failure("the connection broke or could not be made", True)
        case ModelHTTPError() if error.status_code < 500:
            return Failure(f"the endpoint refuses the request ({_status(error)}){_quoted(error)}", False)
        case UnexpectedModelBehavior():
            return Failure(CUT, True)
        case ModelAPIError() if error.body is None and not isinstance(error, ModelHTTPError):
            return Failure(CUT, True)
        case ModelAPIError():
            why = f"the endpoint failed ({_status(error)}){_quoted(error)}"
            return Failure(why, True, wait_sec=error.retry_after)
        case APIError():
            return Failure(f"the endpoint failed: {_short(error.message)}", True)
        case _:
            return Failure(f"the endpoint's answer can't be read ({type(error).__name__})", True)


def _quota(error: ModelAPIError) -> Failure:
    return Failure(f"the quota or credit is exhausted ({_status(error)}); top it up", False, for_all=True)


def _status(error: ModelAPIError) -> str:
    code = getattr(error, "status_code", None)
    return f"HTTP {code}" if code and not error.in_stream else "in the stream"


def _quoted(error: ModelAPIError) -> str:
    """Return what the endpoint says, to follow a sentence."""
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    told = inner.get("message") if isinstance(inner, dict) else inner
    return f": {_short(str(told))}" if told else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARS else f"{line[:_QUOTED_CHARS]}..."
