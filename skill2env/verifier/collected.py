"""The hidden tests, collected once for many sets of outputs: the process that has collected them forks for each set.

Nothing that was delivered runs in that process, and at the time no outputs lie anywhere; so what each fork starts with is
the same, and a set costs what its tests do, not what pytest needs to come up.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from . import plugin
from .children import KILLER, ends_here, fork_at_last, kill_children

TESTS = Path("/tests")
_UNUSED = (
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "nose",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
)
"""Plugins of pytest that no test of ours needs."""
_OPTIONS = (
    *(f"-pno:{name}" for name in _UNUSED),
    "-q",
    "-s",
    "--tb=short",
    "--no-header",
    "--no-summary",
    "--noconftest",
    "--import-mode=importlib",
    f"--rootdir={TESTS}",
    "-c",
    str(TESTS / "verifier" / "pytest.ini"),
    str(TESTS / "test_outputs.py"),
)
_ALL = b"all"
_FAST = b"fast "
"""Followed by the place of the test that is run first; the first failure is the end."""
_COLLECTED, _ENDED = b"collected", b"ended"
_COLLECT_SEC = 12
_END_SEC = 10
_MESSAGE_BYTES = 1 << 16
_REPORT_BYTES = 8 << 20
_REASON = 600


class Collected:
    """The judge's side of the process that has collected the tests; it is started before it is needed, and at most once alive."""

    def __init__(self) -> None:
        """Start to collect, and wait for nothing."""
        self._broken: dict[str, Any] | None = None
        self._pid = 0
        self._ready = False
        self._likely = 0
        self._begin()

    def wait(self) -> None:
        """Wait until the tests are collected; call this while no outputs lie anywhere."""
        if self._broken:
            return
        if not self._pid:
            self._begin()
        if self._ready:
            return
        said = self._hear(_COLLECT_SEC)
        if said == _COLLECTED:
            self._ready = True
        else:
            self._stop()
            told = said.decode() or f"the process ended, or took more than {_COLLECT_SEC} s"
            self._broken = {"checks": [], "harness_error": f"tests/test_outputs.py can't be loaded: {told}"}

    def run(self, timeout_sec: float, fail_fast: bool) -> tuple[dict[str, Any] | None, str]:
        """Run the tests over what lies there now; return what the plugin saw, or None and why there is nothing.

        With `fail_fast` the first failure is the last test, and the test that failed over an earlier set comes first.
        Tests that can't be collected are reported as the harness's error: no outputs can have had a part in it.
        """
        self.wait()
        if self._broken:
            return self._broken, ""
        reader, writer = os.pipe()
        try:
            report, reason = self._forked(reader, writer, timeout_sec, fail_fast)
        finally:
            os.close(reader)
        if reason:
            return None, reason
        try:
            seen: dict[str, Any] = json.loads(report)
        except ValueError:
            return None, "judging the outputs killed the tests"
        self._likely = next((at for at, told in enumerate(seen["checks"]) if _failed(told)), self._likely)
        return seen, ""

    def _forked(self, reader: int, writer: int, timeout_sec: float, fail_fast: bool) -> tuple[bytes, str]:
        """Have a fork run the tests and end, and return what it reports, or the reason why it was ended."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._line, [_FAST + b"%d" % self._likely if fail_fast else _ALL], [writer])
        os.close(writer)
        child = int(self._hear(_END_SEC) or 0)
        report, reason = _read(reader, timeout_sec) if child else (b"", "")
        if reason:
            _kill(child)
        if not child or self._hear(_END_SEC) != _ENDED:
            _kill(child)
            self._stop()
        return report, reason

    def _begin(self) -> None:
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ready = False
        self._pid = fork_at_last()
        if self._pid == 0:
            with ends_here():
                mine.close()
                _collect(its)
        its.close()
        self._line = mine

    def _hear(self, seconds: float) -> bytes:
        """Return the next message, or nothing if none comes in time or the process is gone."""
        if not select.select([self._line], [], [], seconds)[0]:
            return b""
        with contextlib.suppress(ConnectionError):
            return self._line.recv(_MESSAGE_BYTES)
        return b""

    def _stop(self) -> None:
        """End the process; the next run starts another."""
        self._line.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._pid = 0


def _failed(told: dict[str, Any]) -> bool:
    return not told["passed"] and told["message"] != plugin.NOT_RUN


def _kill(child: int) -> None:
    """Kill a fork of a process that may have ended already, or may have never come to fork."""
    if child:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _read(reader: int, timeout_sec: float) -> tuple[bytes, str]:
    """Return what a run reports until it ends, and the reason to end it if it must be."""
    report = bytearray()
    deadline = time.monotonic() + timeout_sec
    while len(report) <= _REPORT_BYTES:
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([reader], [], [], wait)[0]:
            return b"", f"judging the outputs took more than {timeout_sec:.0f} s"
        data = os.read(reader, 1 << 16)
        if not data:
            return bytes(report), ""
        report += data
    return b"", "judging the outputs told more than anybody should read"


class _Forks:
    """The plugin that stands between collecting and running: it forks, and only the forks go on."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self.writer: int | None = None
        """Where a fork reports to; none in the process that has collected."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        if session.testsfailed:
            return
        gc.freeze()
        self._line.send(_COLLECTED)
        while True:
            how, handles, _, _ = socket.recv_fds(self._line, _MESSAGE_BYTES, 1)
            if not how:
                os._exit(0)
            child = fork_at_last()
            if child == 0:
                self._line.close()
                (self.writer,) = handles
                if how.startswith(_FAST):
                    _hasten(session, int(how.removeprefix(_FAST)))
                os.setsid()
                KILLER.renew()
                return
            os.close(handles[0])
            self._line.send(str(child).encode())
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self._line.send(_ENDED)


def _hasten(session: pytest.Session, likely: int) -> None:
    """Have the first failure end the run, and run the test that is likely to fail first."""
    session.config.option.maxfail = 1
    if likely < len(session.items):
        session.items.insert(0, session.items.pop(likely))


def _collect(line: socket.socket) -> None:
    """Collect the tests in this process; in its forks, run them, and report only when all of them are done."""
    os.chdir("/")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(nowhere, handle)
    zone = {"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}
    os.environ.clear()
    os.environ.update(
        {
            **zone,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
    )
    seen, forks = plugin.Seen(), _Forks(line)
    try:
        seen.ended(int(pytest.main(list(_OPTIONS), plugins=[seen, plugin, forks])))
        report = seen.report()
    except Exception as error:  # whatever breaks the run itself: whose fault it is, the judge finds out
        report = {"checks": [], "harness_error": f"the tests can't be run: {error!r}"[:_REASON]}
    if forks.writer is None:
        line.send(report["harness_error"].encode())
        return
    kill_children()
    with os.fdopen(forks.writer, "wb") as pipe:
        pipe.write(json.dumps(report).encode())
