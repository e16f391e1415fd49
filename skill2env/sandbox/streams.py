"""The engine's attached streams: frames of eight bytes of header and a payload, over one socket."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from typing import Any

from skill2env.errors import EngineError

_HEADER = struct.Struct(">BxxxL")
_CHUNK = 1 << 16
_SEND_SEC = 60


class FramedStream:
    """A process's standard input and output over an engine's hijacked connection (Engine API, "attach").

    Standard output and standard error come as one stream of bytes, in the order in which the engine sends them.
    """

    def __init__(self, connection: Any) -> None:
        """Take over the socket that the Docker SDK returned."""
        self._connection = connection
        self._socket: socket.socket = getattr(connection, "_sock", connection)
        self._socket.setblocking(False)
        self._raw = bytearray()
        self._left = 0

    def send(self, data: bytes) -> None:
        """Write all of `data`.

        Raises:
            EngineError: the other side is gone, or takes nothing for a minute.
        """
        view = memoryview(data)
        while view:
            try:
                if not self._ready(select.POLLOUT, _SEND_SEC):
                    raise EngineError("the process takes no input")
                view = view[self._socket.send(view[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except (OSError, ValueError) as error:
                raise EngineError(f"the process's input is closed ({error})") from error

    def receive(self, timeout: float) -> bytes:
        """Return the payload that has come, or b"" at the end.

        Raises:
            TimeoutError: nothing came for `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        while True:
            payload = self._payload()
            if payload:
                return payload
            wait = deadline - time.monotonic()
            try:
                if wait <= 0 or not self._ready(select.POLLIN, wait):
                    raise TimeoutError(f"nothing came within {timeout:.0f} s")
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                continue
            except TimeoutError:
                raise
            except (OSError, ValueError):
                return b""
            if not data:
                return b""
            self._raw += data

    def close(self) -> None:
        """End the connection: the SDK's own object shares the socket, and closing ours alone would leave it open."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for end in (self._connection, self._socket):
            with contextlib.suppress(OSError):
                end.close()

    def _ready(self, event: int, timeout: float) -> bool:
        # Not select(), which refuses file descriptors above 1023.
        poll = select.poll()
        poll.register(self._socket, event)
        return bool(poll.poll(timeout * 1000))

    def _payload(self) -> bytes:
        """Take all whole or partial payloads out of what was read."""
        out = bytearray()
        while self._raw:
            if not self._left:
                if len(self._raw) < _HEADER.size:
                    break
                self._left = _HEADER.unpack_from(self._raw)[1]
                del self._raw[: _HEADER.size]
                continue
            part = self._raw[: self._left]
            del self._raw[: self._left]
            self._left -= len(part)
            out += part
        return bytes(out)
