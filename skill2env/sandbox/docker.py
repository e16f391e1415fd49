"""Containers of a Docker Engine, with every limit of docs/security.md."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import docker
import requests
from docker.errors import APIError, DockerException

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.protocol import Kind, NoSuchPath, SandboxSpec, TooMany
from skill2env.sandbox.seccomp import profile
from skill2env.sandbox.streams import FramedStream

LABEL = "skill2env.role"
_RUN_LABEL = "skill2env.run"
_DEADLINE_LABEL = "skill2env.deadline"
_SHM_BYTES = 64 << 20
_OPEN_FILES = 4096
_SENTINEL_SEC = 24 * 3600
_GRACE_SEC = 60
_TIMEOUT_SEC = 120
_CHUNK = 1 << 16
_REASON = 300
_CHANGES_BYTES = 8 << 20
_NOT_FOUND = 404
_KINDS: tuple[tuple[int, Kind], ...] = ((1 << 31, "dir"), (1 << 27, "link"), (0x07280000, "other"))
"""Bits of Go's os.FileMode, in which the engine tells what a path is; none of them is a regular file."""
_SYSCTLS = {"net.ipv4.tcp_max_tw_buckets": "0"}
"""No port stays taken once its listener is gone, so that two programs in turn may use the same one."""
_FAILURES = (DockerException, requests.exceptions.RequestException, OSError)

T = TypeVar("T")


class DockerSandbox:
    """A running container that sleeps until its deadline."""

    def __init__(self, api: docker.APIClient, container: str) -> None:
        """Wrap a started container."""
        self._api = api
        self._container = container

    def exec(self, argv: tuple[str, ...]) -> FramedStream:
        """Start a process in `/workspace` and return its stream.

        Raises:
            EngineError: the container is dead, or the engine refused.
        """
        created = _call(self._api.exec_create, self._container, list(argv), stdin=True)
        return FramedStream(_call(self._api.exec_start, created["Id"], socket=True))

    def put(self, path: str, archive: bytes) -> None:
        """Unpack a tar below an absolute folder that exists."""
        _call(self._api.put_archive, self._container, path, archive)

    def get(self, path: str) -> Iterator[bytes]:
        """Yield the tar of a path.

        Raises:
            NoSuchPath: it is not there.
            EngineError: the engine failed.
        """
        with self._ask("GET", "archive", path=path) as answer:
            if answer.status_code == _NOT_FOUND:
                raise NoSuchPath(f"{path} is not there")
            _well(answer)
            try:
                yield from answer.iter_content(_CHUNK)
            except _FAILURES as error:
                raise _engine_error(error) from error

    def kind(self, path: str) -> Kind | None:
        """Return what stands at a path, a link not followed, or None.

        Raises:
            EngineError: the engine failed.
        """
        with self._ask("HEAD", "archive", path=path) as answer:
            if answer.status_code == _NOT_FOUND:
                return None
            _well(answer)
            mode: int = json.loads(base64.b64decode(answer.headers["X-Docker-Container-Path-Stat"]))["mode"]
        return next((kind for bits, kind in _KINDS if mode & bits), "file")

    def changes(self) -> tuple[str, ...]:
        """Return the absolute paths that were created, changed or deleted since the start.

        Raises:
            TooMany: their list has more than 8 MB.
            EngineError: the engine failed.
        """
        text = bytearray()
        with self._ask("GET", "changes") as answer:
            _well(answer)
            for chunk in answer.iter_content(_CHUNK):
                text += chunk
                if len(text) > _CHANGES_BYTES:
                    raise TooMany("more paths were changed than can be listed")
        return tuple(sorted(entry["Path"] for entry in json.loads(text) or ()))

    def written(self) -> int:
        """Return how many bytes its processes have added to its file system.

        Raises:
            EngineError: the engine failed.
        """
        with self._ask("GET", "json", size="1") as answer:
            _well(answer)
            return int(answer.json().get("SizeRw") or 0)

    def running(self) -> bool:
        """Return whether the main process lives."""
        return bool(_call(self._api.inspect_container, self._container)["State"]["Running"])

    def kill(self) -> None:
        """Kill every process at once; no error where it is dead already."""
        try:
            self._api.kill(self._container)
        except APIError as error:
            if error.status_code not in (404, 409):
                raise _engine_error(error) from error
        except _FAILURES as error:
            raise _engine_error(error) from error

    def _ask(self, method: str, what: str, **params: str) -> requests.Response:
        """Ask about the container without the SDK, which leaves a stream that is not read to its end open."""
        api = self._api
        url = f"{api.base_url}/v{api.api_version}/containers/{self._container}/{what}"
        plain = {"Accept-Encoding": "identity"}
        answer: requests.Response = _call(
            api.request, method, url, params=params, headers=plain, stream=True, timeout=_TIMEOUT_SEC
        )
        return answer


class DockerEngine:
    """The containers of one run; a context manager that keeps a sentinel container alive meanwhile.

    One API client a thread: the SDK's client is not made for sharing.
    """

    def __init__(self) -> None:
        """Prepare; nothing is started before the block is entered."""
        self._owner = f"{_host()} {os.getpid()} {_started(os.getpid())} {uuid.uuid4().hex}"
        self._local = threading.local()
        self._clients: list[docker.APIClient] = []
        self._seccomp = profile()
        self._sentinel: str | None = None
        self._sentinel_lock = threading.Lock()

    def __enter__(self) -> DockerEngine:
        """Remove what killed runs have left.

        Raises:
            EngineDown: no engine answers.
        """
        try:
            self._api().ping()
        except _FAILURES as error:
            raise EngineDown(
                "no Docker Engine answers; run `skill2env setup`, which starts one where it may"
            ) from error
        self._reap()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the sentinel and close the connections."""
        if self._sentinel:
            with contextlib.suppress(*_FAILURES):
                self._api().remove_container(self._sentinel, force=True)
        for client in self._clients:
            client.close()

    def watch(self, image: str) -> None:
        """Start the sentinel from an image, once a run: while it lives, a dead trial is the agent's fault."""
        with self._sentinel_lock:
            if self._sentinel is None:
                spec = SandboxSpec(
                    image, "sentinel", "sentinel", _SENTINEL_SEC, memory_mb=64, cpus=0.1, pids=16
                )
                self._sentinel = self._create(spec, ("sleep", str(_SENTINEL_SEC)))
                _call(self._api().start, self._sentinel)

    @contextmanager
    def sandbox(self, spec: SandboxSpec) -> Iterator[DockerSandbox]:
        """Start a container that sleeps until its deadline; it is removed at the end of the block.

        Raises:
            EngineError: it can't be created or started.
        """
        container = self._create(spec, ("sleep", str(int(spec.deadline_sec) + _GRACE_SEC)))
        try:
            _call(self._api().start, container)
            yield DockerSandbox(self._api(), container)
        finally:
            self._remove(container)

    @contextmanager
    def pipe(self, spec: SandboxSpec, argv: tuple[str, ...]) -> Iterator[FramedStream]:
        """Start a container whose main process is `argv` and talk with it; removed at the end of the block.

        Raises:
            EngineError: it can't be created or started.
        """
        container = self._create(spec, argv, stdin=True)
        stream: FramedStream | None = None
        try:
            wanted = {"stdin": 1, "stdout": 1, "stderr": 0, "stream": 1}
            stream = FramedStream(_call(self._api().attach_socket, container, params=wanted))
            _call(self._api().start, container)
            yield stream
        finally:
            if stream:
                stream.close()
            self._remove(container)

    def alive(self) -> bool:
        """Return whether the engine answers and the sentinel, where one was started, still runs."""
        try:
            self._api().ping()
            return self._sentinel is None or bool(
                self._api().inspect_container(self._sentinel)["State"]["Running"]
            )
        except _FAILURES:
            return False

    def _api(self) -> docker.APIClient:
        api: docker.APIClient | None = getattr(self._local, "api", None)
        if api is None:
            host = os.environ.get("DOCKER_HOST")
            try:
                api = docker.APIClient(base_url=host, version="auto", timeout=_TIMEOUT_SEC)
            except _FAILURES as error:
                raise EngineDown(
                    "no Docker Engine answers; run `skill2env setup`, which starts one where it may"
                ) from error
            self._local.api = api
            self._clients.append(api)
        return api

    def _create(self, spec: SandboxSpec, argv: tuple[str, ...], stdin: bool = False) -> str:
        api = self._api()
        host = api.create_host_config(
            network_mode="none",
            cap_drop=["ALL"],
            cap_add=list(spec.privileges),
            security_opt=["no-new-privileges", f"seccomp={self._seccomp}"],
            pids_limit=spec.pids,
            mem_limit=spec.memory_mb << 20,
            memswap_limit=spec.memory_mb << 20,
            nano_cpus=int(min(spec.cpus, self._cpus) * 1e9),
            cpuset_cpus="0" if spec.one_cpu else None,
            shm_size=_SHM_BYTES,
            ulimits=[
                docker.types.Ulimit(name="nofile", soft=_OPEN_FILES, hard=_OPEN_FILES),
                docker.types.Ulimit(name="core", soft=0, hard=0),
            ],
            init=True,
            log_config=docker.types.LogConfig(type="none"),
            read_only=spec.read_only,
            tmpfs=dict(spec.tmpfs) or None,
            sysctls=_SYSCTLS,
        )
        created = _call(
            api.create_container,
            spec.image,
            list(argv),
            hostname=spec.hostname,
            environment=dict(spec.env),
            stdin_open=stdin,
            host_config=host,
            labels={
                LABEL: spec.role,
                "skill2env.name": spec.name,
                _RUN_LABEL: self._owner,
                _DEADLINE_LABEL: str(int(time.time() + spec.deadline_sec + 2 * _GRACE_SEC)),
            },
        )
        return str(created["Id"])

    @cached_property
    def _cpus(self) -> int:
        """How many cpus the engine has; it refuses a container that asks for more."""
        return int(_call(self._api().info)["NCPU"])

    def _remove(self, container: str) -> None:
        """Remove a container; one that resists is left to the next run's reaping."""
        with contextlib.suppress(*_FAILURES):
            self._api().remove_container(container, force=True, v=True)

    def _reap(self) -> None:
        """Remove containers of ours whose run is dead; others are untouched."""
        for found in _call(self._api().containers, all=True, filters={"label": [LABEL, _RUN_LABEL]}):
            if _abandoned(found["Labels"]):
                self._remove(found["Id"])


def _abandoned(labels: dict[str, str]) -> bool:
    """Return whether nobody owns a container any more.

    A run of this host is dead when its process is. Those of other hosts on the same engine can't be seen from here,
    and are left alone until their deadline is over.
    """
    match labels.get(_RUN_LABEL, "").split():
        case [host, pid, started, _] if host == _host():
            return _started(int(pid)) != started
        case [_, _, _, _]:
            deadline = labels.get(_DEADLINE_LABEL, "")
            return deadline.isdigit() and time.time() > int(deadline)
    return False


def _host() -> str:
    """Return what tells this host, and the process numbers seen from here, from all others."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return platform.node().replace(" ", "-") or "unknown"


def _started(pid: int) -> str:
    """Return when a process was started, in a form that its number's next owner does not have; `gone` without one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return "gone"
    except OSError:
        pass
    return "unknown"


def _well(answer: requests.Response) -> None:
    """Raise EngineError where the engine answers with an error."""
    if answer.status_code >= requests.codes.bad_request:
        raise EngineError(f"the Docker Engine refused: {answer.text[:_REASON]}")


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the engine; its errors become ours."""
    try:
        return function(*args, **kwargs)
    except _FAILURES as error:
        raise _engine_error(error) from error


def _engine_error(error: BaseException) -> EngineError:
    if isinstance(error, requests.exceptions.ConnectionError):
        return EngineDown("the Docker Engine went away; run `skill2env setup` and then the command again")
    return EngineError(f"the Docker Engine refused: {getattr(error, 'explanation', None) or error}")
