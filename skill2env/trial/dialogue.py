"""Talking with a Python program of ours that is a container's main process: code first, then lines and bytes."""

from __future__ import annotations

import json
import time
from typing import Any

from skill2env.errors import Skill2EnvError
from skill2env.models.tree import Node, pack
from skill2env.sandbox.protocol import Stream

MAX_LINE_BYTES = 16 << 20
MAX_BODY_BYTES = 192 << 20

_BOOT = """
import io, os, sys, tarfile
size = int.from_bytes(sys.stdin.buffer.read(8), "big")
os.makedirs({folder!r}, mode=0o700, exist_ok=True)
tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read(size))).extractall({folder!r})
sys.path.insert(0, {folder!r})
from {module} import main
main()
"""


class Silence(Skill2EnvError):
    """The program ended, said nothing in time, or said something malformed; the caller finds out whose fault it is."""


def boot(folder: str, module: str) -> str:
    """Return the `python3 -c` text that receives a tar into a folder and calls `main` of a module in it."""
    return _BOOT.format(folder=folder, module=module)


class Dialogue:
    """Requests to and answers from the program, over one stream."""

    def __init__(self, stream: Stream, code: dict[str, Node]) -> None:
        """Send the program's code.

        Raises:
            EngineError: the container is gone.
        """
        archive = pack(code)
        self._stream = stream
        self._buffer = bytearray()
        stream.send(len(archive).to_bytes(8, "big") + archive)

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        """Send a JSON line and the bytes that belong to it.

        Raises:
            EngineError: the program takes no input any more.
        """
        self._stream.send(json.dumps(header).encode() + b"\n" + body)

    def line(self, timeout: float) -> dict[str, Any]:
        """Return the next JSON line.

        Raises:
            Silence: none came within `timeout` seconds, or it is no JSON object.
        """
        deadline = time.monotonic() + timeout
        while (end := self._buffer.find(b"\n")) < 0:
            self._more(deadline, MAX_LINE_BYTES)
        text = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Silence(f"the answer is no JSON ({error})") from None
        if not isinstance(value, dict):
            raise Silence("the answer is no JSON object")
        return value

    def bytes(self, size: int, timeout: float) -> bytes:
        """Return the next `size` bytes.

        Raises:
            Silence: they did not come within `timeout` seconds, or are more than anybody should take.
        """
        if not 0 <= size <= MAX_BODY_BYTES:
            raise Silence(f"the answer claims to have {size} bytes")
        deadline = time.monotonic() + timeout
        while len(self._buffer) < size:
            self._more(deadline, size)
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _more(self, deadline: float, limit: int) -> None:
        try:
            data = self._stream.receive(max(deadline - time.monotonic(), 0))
        except TimeoutError:
            raise Silence("no answer came in time") from None
        if not data or len(self._buffer) > limit:
            raise Silence("the program ended before it answered")
        self._buffer += data
