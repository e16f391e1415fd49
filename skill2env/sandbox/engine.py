"""Finds a Docker Engine, or installs and starts one where that is allowed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import docker

from skill2env.errors import EngineDown
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.machine import (
    Report,
    apt_install,
    command_line,
    last_line,
    live_processes,
    may_install,
    process_name,
    runs_systemd,
    somebody_listens,
)

RUN = Path("/run")
PROC = Path("/proc")
LOG = Path("/var/log/dockerd.log")
OWN_CONFIG = "/docker/containerd/containerd.toml"
"""The end of the configuration path of a containerd that a dockerd started for itself."""
DEFAULT_HOST = "unix:///var/run/docker.sock"
CONNECT_SEC = 10
"""How long an engine may take to answer the first question."""
CALL_SEC = 120
"""How long one call to a living engine may be silent; commits and builds of large images need it."""
START_SEC = 60
"""How long a starting daemon may take until it answers."""
POOL = 32
"""Connections kept to the engine; more than the number of parallel trials."""


def connect() -> docker.DockerClient:
    """A client of the engine that ``DOCKER_HOST`` names, or of the local one.

    Raises:
        EngineDown: no engine answers within `CONNECT_SEC` seconds.
    """
    try:
        client = docker.from_env(timeout=CONNECT_SEC, max_pool_size=POOL)
        try:
            client.ping()
        except BaseException:
            client.close()
            raise
    except FAILURES as error:
        raise EngineDown(*_why_down(error)) from error
    client.api.timeout = CALL_SEC
    return client


def ensure_engine(report: Report) -> docker.DockerClient:
    """A client of an engine that answers; one is installed and started where root on Debian or Ubuntu may.

    Never starts a second daemon: the second one would delete the first one's bridge.

    Raises:
        EngineDown: none answers and none could be started; the sentence says what to do.
    """
    try:
        return connect()
    except EngineDown:
        if _host() != DEFAULT_HOST or not (may_install() or _may_start()):
            raise
    with _only_one_at_a_time():
        return _bring_up(report)


def clear_leftovers(run: Path = RUN, proc: Path = PROC) -> tuple[Path, ...]:
    """Remove what a killed daemon left behind and what would keep a new one from starting.

    A pid file is removed when no living process of the right name has its id (dockerd takes any
    living process for itself), a socket when nobody listens on it (dockerd would wait for the dead
    containerd). A containerd that outlived the dockerd that started it is ended, since a new dockerd
    may wait for it in vain. Nothing is touched while a dockerd lives.

    Returns:
        The files removed.
    """
    if live_processes("dockerd", proc):
        return ()
    own = run / "docker" / "containerd"
    _end_orphans(proc)
    stale = [
        path
        for path, name in ((run / "docker.pid", "dockerd"), (own / "containerd.pid", "containerd"))
        if path.exists() and not _names_living(path, name, proc)
    ]
    sockets = (run / "containerd" / "containerd.sock", own / "containerd.sock")
    stale += [path for path in sockets if path.exists() and not somebody_listens(path)]
    for path in stale:
        path.unlink(missing_ok=True)
    return tuple(stale)


def _bring_up(report: Report) -> docker.DockerClient:
    with contextlib.suppress(EngineDown):
        return connect()
    if _daemon_program() is None:
        apt_install(["docker.io"], report)
    if runs_systemd():
        report("starting the Docker Engine with systemctl")
        return _start_by_systemd()
    alive = live_processes("dockerd")
    if alive:
        report(f"waiting for the Docker Engine that is already running (process {alive[0]})")
        return _wait(None, f"dockerd (process {alive[0]}) runs but does not answer: end it and try again.")
    return _start_daemon(report)


def _start_daemon(report: Report) -> docker.DockerClient:
    removed = clear_leftovers()
    if removed:
        report(f"removed what a killed daemon left behind: {', '.join(map(str, removed))}")
    report(f"starting the Docker Engine (log: {LOG})")
    with LOG.open("ab") as log:
        daemon = subprocess.Popen(
            [_daemon_program() or "dockerd"],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return _wait(daemon, f"dockerd was started but does not answer: its log is {LOG}.")


def _start_by_systemd() -> docker.DockerClient:
    done = subprocess.run(
        ["systemctl", "start", "docker"], capture_output=True, text=True, timeout=START_SEC * 2, check=False
    )
    if done.returncode != 0:
        raise EngineDown(
            f"systemctl could not start docker: {last_line(done.stderr)} See `journalctl -u docker`, "
            "mend it and try again."
        )
    return _wait(None, "The service docker was started but does not answer: see `journalctl -u docker`.")


def _wait(daemon: subprocess.Popen[bytes] | None, complaint: str) -> docker.DockerClient:
    deadline = time.monotonic() + START_SEC
    while True:
        with contextlib.suppress(EngineDown):
            return connect()
        if daemon is not None and daemon.poll() is not None:
            reason = last_line(_end_of(LOG))
            raise EngineDown(
                f"dockerd ended at once with code {daemon.returncode}; {LOG} ends with: {reason}"
            )
        if time.monotonic() > deadline:
            raise EngineDown(complaint)
        time.sleep(0.2)


def _end_of(log: Path, size: int = 4000) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - size))
        return file.read().decode("utf-8", errors="replace")


def _end_orphans(proc: Path) -> None:
    for pid in live_processes("containerd", proc):
        # dockerd writes /var/run where this module says /run, so the end of the path must do.
        if any(part.endswith(OWN_CONFIG) for part in command_line(pid, proc)):
            _end(pid, proc)


def _end(pid: int, proc: Path, patience_sec: float = 5) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + patience_sec
        while time.monotonic() < deadline:
            if process_name(pid, proc) != "containerd":
                return
            time.sleep(0.1)


def _names_living(path: Path, name: str, proc: Path) -> bool:
    try:
        return process_name(int(path.read_text("utf-8").strip()), proc) == name
    except ValueError:
        return False


def _daemon_program() -> str | None:
    return shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def _may_start() -> bool:
    return os.geteuid() == 0 and _daemon_program() is not None


def _host() -> str:
    host = os.environ.get("DOCKER_HOST") or DEFAULT_HOST
    return host.replace("unix:///run/", "unix:///var/run/")


def _why_down(error: Exception) -> tuple[str, str]:
    """Return what is wrong and how to mend it."""
    if "Permission denied" in str(error):
        return (
            "The Docker Engine refuses this user",
            "add the user to the group docker and log in again, or run as root",
        )
    if _host() != DEFAULT_HOST:
        return f"No Docker Engine answers at DOCKER_HOST={_host()}", "start it, or unset DOCKER_HOST"
    return (
        "No Docker Engine answers",
        "install and start Docker (on Debian or Ubuntu `skill2env setup`, run as root, does it), or set DOCKER_HOST",
    )


@contextlib.contextmanager
def _only_one_at_a_time() -> Iterator[None]:
    with (RUN / "skill2env-engine.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
