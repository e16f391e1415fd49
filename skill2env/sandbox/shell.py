"""One persistent bash in a sandbox: steps go in, their outputs and exit codes come out."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from skill2env.errors import EngineError
from skill2env.sandbox.protocol import Sandbox

_LOOP = (
    "exec 2>&1 3<&0 </dev/null; while IFS= read -r -d '' -u 3 __step; do "
    'eval "$__step" 3<&-; '
    'builtin printf \'\\0%s %d\\0\' "$0" "$?"; done'
)


_WATCH_SEC = 3.0


@dataclass(frozen=True)
class Ran:
    """What came of one step."""

    output: bytes
    """The output; where it was longer than the cap, its beginning and its end."""
    size: int
    """Size of the whole output in bytes."""
    exit_code: int | None
    """Exit code; None where the shell ended or time ran out before the step did."""
    seconds: float
    """Wall seconds."""
    timed_out: bool = False
    """Time ran out."""
    stopped: bool = False
    """Whoever kept watch said that it is enough."""


class Shell:
    """A bash that keeps its folder and variables from step to step.

    The marker between steps carries a random word. A step that prints it deceives nobody but its own transcript.
    """

    def __init__(self, sandbox: Sandbox, cap: int, uid: int = 0) -> None:
        """Start the shell as a user; `cap` is how many bytes of a step's output are kept.

        Raises:
            EngineError: the sandbox is dead.
        """
        self._word = secrets.token_hex(8)
        self._marker = re.compile(rb"\x00" + self._word.encode() + rb" (\d{1,3})\x00")
        self._longest = len(self._word) + len("\0 255\0")
        self._stream = sandbox.exec(("bash", "--noprofile", "--norc", "-c", _LOOP, self._word), uid)
        self._cap = cap
        self.ended = False

    def run(
        self,
        command: str,
        timeout: float,
        enough: Callable[[], bool] | None = None,
        watch_sec: float = _WATCH_SEC,
    ) -> Ran:
        """Run one step and return what came of it; after an end or a time-out the shell is `ended`.

        `enough` is asked every `watch_sec` while the step goes on, and stops it by saying yes.
        """
        began = time.monotonic()
        asked = began
        tail = _Tail(self._cap)
        try:
            self._stream.send(command.replace("\0", "").encode("utf-8", "surrogatepass") + b"\0")
        except EngineError:
            return self._end(tail, began)
        pending = bytearray()
        while True:
            left = timeout - (time.monotonic() - began)
            if enough and time.monotonic() - asked >= watch_sec:
                if enough():
                    return self._end(tail, began, stopped=True)
                asked = time.monotonic()
            try:
                data = self._stream.receive(max(min(left, watch_sec), 0.0))
            except TimeoutError:
                if left > watch_sec:
                    continue
                tail.add(pending)
                return self._end(tail, began, timed_out=True)
            if not data:
                tail.add(pending)
                return self._end(tail, began)
            pending += data
            if found := self._marker.search(pending):
                tail.add(pending[: found.start()])
                return Ran(tail.bytes(), tail.size, int(found[1]), time.monotonic() - began)
            told = max(0, len(pending) - self._longest)
            tail.add(pending[:told])
            del pending[:told]

    def close(self) -> None:
        """Give up the shell."""
        self._stream.close()

    def _end(self, tail: _Tail, began: float, timed_out: bool = False, stopped: bool = False) -> Ran:
        self.ended = True
        return Ran(tail.bytes(), tail.size, None, time.monotonic() - began, timed_out, stopped)


class _Tail:
    """The beginning and the end of a long stream, in bounded memory."""

    def __init__(self, cap: int) -> None:
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._end = bytearray()
        self.size = 0

    def add(self, data: bytes | bytearray) -> None:
        self.size += len(data)
        room = self._half - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._end += data[max(room, 0) :]
        del self._end[: max(0, len(self._end) - self._half)]

    def bytes(self) -> bytes:
        left_out = self.size - len(self._head) - len(self._end)
        if left_out <= 0:
            return bytes(self._head + self._end)
        return bytes(self._head) + f"\n[... {left_out} bytes left out ...]\n".encode() + bytes(self._end)
