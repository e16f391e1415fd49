"""A real HTTP server on loopback that speaks both protocols from a script, and misbehaves on demand.

    with Server(lambda request: Reply("Hello.")) as server:
        ...  # server.url("openai"), server.url("anthropic"), server.count, server.requests

A script is called with each `Request` and returns a `Reply` or one of the faults of this module. It may be called by several
threads at the same time. `in_turn(first, second, ...)` makes one that returns its arguments one after the other, the last for
ever. `server.params("openai")` gives parameters of an endpoint with short waits; its key is in `ENVIRON`.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from llm.protocols import Reply, Request, error_event, events, read, whole
from skill2env.params import EndpointParams

KEY = "key-of-the-tests-0123456789"
VARIABLE = "SKILL2ENV_TEST_KEY"
ENVIRON = {VARIABLE: KEY}
_PATHS = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}


@dataclass(frozen=True)
class Status:
    """An answer with an error's status."""

    code: int
    message: str = "it does not work today"
    kind: str = "error"
    """The type, and for `openai` also the code, in the body."""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """No answer at all, until the client gives up."""


@dataclass(frozen=True)
class Reset:
    """The connection is reset in the middle of the stream."""


@dataclass(frozen=True)
class Cut:
    """The stream ends in its middle as if that were all."""


@dataclass(frozen=True)
class ErrorInStream:
    """The stream says in its middle that the endpoint is overloaded, and ends."""


@dataclass(frozen=True)
class Page:
    """A page of HTML with status 200, as a proxy shows one."""


@dataclass(frozen=True)
class Drip:
    """A stream that never ends: a word after every so many seconds."""

    every_sec: float = 0.05


Answer = Reply | Status | Silence | Reset | Cut | ErrorInStream | Page | Drip
Script = Callable[[Request], Answer]


def too_many(seconds: int | None = None, as_date: bool = False) -> Status:
    """Return a 429, with Retry-After in seconds or as a date if so many seconds are given."""
    if seconds is None:
        return Status(429, "slow down", "rate_limit_error")
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
    return Status(429, "slow down", "rate_limit_error", {"Retry-After": at if as_date else str(seconds)})


def no_quota() -> Status:
    """Return the 429 that no waiting helps against."""
    return Status(429, "You exceeded your current quota, please check your plan.", "insufficient_quota")


def refused_key(request: Request) -> Status:
    """Return a 401 that repeats the key, as some endpoints do."""
    return Status(401, f"Incorrect API key provided: {request.key}", "authentication_error")


def in_turn(*answers: Answer) -> Script:
    """Return a script that gives the answers one after the other, the last one for ever."""
    left, lock = list(answers), threading.Lock()

    def script(_: Request) -> Answer:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


class Server:
    """The server; a context manager."""

    def __init__(self, script: Script, keep: int = 1000) -> None:
        """Take the script; of the requests the last `keep` are kept."""
        self._script = script
        self._lock = threading.Lock()
        self.count = 0
        """HTTP requests so far."""
        self.requests: deque[Request] = deque(maxlen=keep)
        """What was asked, in order."""
        self.at: deque[float] = deque(maxlen=keep)
        """When, by the monotonic clock."""
        self.closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self

    def __enter__(self) -> Server:
        """Start."""
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop; silent and dripping answers end."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def url(self, protocol: str) -> str:
        """Return the address as the protocol's clients want it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}" + ("/v1" if protocol == "openai" else "")

    def params(self, protocol: str, **changed: Any) -> EndpointParams:
        """Return an endpoint's parameters, with short times."""
        short = {"idle_sec": 10, "total_sec": 20, "tries": 3, "first_wait_sec": 0.01, "max_wait_sec": 0.3}
        place = {"protocol": protocol, "url": self.url(protocol), "key": VARIABLE}
        return EndpointParams.model_validate({**place, **short, **changed})

    def answer(self, protocol: str, body: dict[str, Any], headers: Any) -> tuple[Request, Answer]:
        """Return what a request is, and what the script says to it."""
        with self._lock:
            self.count += 1
            request = read(protocol, self.count, body, headers)
            self.requests.append(request)
            self.at.append(time.monotonic())
        return request, self._script(request)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: Server

    def handle_error(self, *_: Any) -> None:
        """Clients hang up here as a matter of course."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        protocol = _PATHS.get(self.path.partition("?")[0])
        if protocol is None:
            self._json(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        request, answer = self.server.owner.answer(protocol, body, self.headers)
        match answer:
            case Status():
                error = {"type": answer.kind, "code": answer.kind, "message": answer.message}
                self._json(answer.code, {"type": "error", "error": error}, answer.headers)
            case Silence():
                self.server.owner.closing.wait(60)
                self.close_connection = True
            case Page():
                self._send(200, "text/html", b"<html><body>Sign in first.</body></html>")
            case Reply() if not request.streamed:
                self._json(200, whole(request, answer))
            case _:
                self._stream(request, answer)

    def _json(self, code: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send(code, "application/json", json.dumps(value).encode(), headers)

    def _send(self, code: int, kind: str, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        sent = {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}
        for name, text in sent.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, request: Request, answer: Reply | Reset | Cut | ErrorInStream | Drip) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        reply = (
            answer if isinstance(answer, Reply) else Reply("This is more than one piece of a stream. " * 3)
        )
        told = events(request, reply)
        half = len(told) // 2
        if isinstance(answer, Reply):
            self._chunks("".join(told))
            self._chunks("")
            return
        self._chunks("".join(told[:half]))
        if isinstance(answer, Drip):
            while not self.server.owner.closing.wait(answer.every_sec):
                self._chunks(told[half])
        elif isinstance(answer, Cut):
            self._chunks("")
        elif isinstance(answer, ErrorInStream):
            self._chunks(error_event(request, "Overloaded", "overloaded_error"))
            self._chunks("")
        else:
            # No lingering: the peer gets a reset, and not a polite end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        self.close_connection = True

    def _chunks(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
