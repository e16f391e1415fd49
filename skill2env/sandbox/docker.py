"""Containers of a Docker Engine, with every limit of docs/security.md."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import docker
import requests
from docker.errors import APIError, DockerException, NotFound

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.protocol import NoSuchPath, SandboxSpec
from skill2env.sandbox.seccomp import profile
from skill2env.sandbox.streams import FramedStream

LABEL = "skill2env.role"
_RUN_LABEL = "skill2env.run"
_DEADLINE_LABEL = "skill2env.deadline"
_SHM_BYTES = 64 << 20
_OPEN_FILES = 4096
_SENTINEL_SEC = 24 * 3600
_GRACE_SEC = 60
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
        try:
            chunks, _ = self._api.get_archive(self._container, path)
        except NotFound:
            raise NoSuchPath(f"{path} is not there") from None
        except _FAILURES as error:
            raise _engine_error(error) from error
        try:
            yield from chunks
        except _FAILURES as error:
            raise _engine_error(error) from error
        finally:
            chunks.close()

    def changes(self) -> tuple[str, ...]:
        """Return the absolute paths that were created, changed or deleted since the start."""
        return tuple(sorted(entry["Path"] for entry in _call(self._api.diff, self._container) or ()))

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


class DockerEngine:
    """The containers of one run; a context manager that keeps a sentinel container alive meanwhile.

    One API client a thread: the SDK's client is not made for sharing.
    """

    def __init__(self) -> None:
        """Prepare; nothing is started before the block is entered."""
        self._run = uuid.uuid4().hex
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
                api = docker.APIClient(base_url=host, version="auto", timeout=120)
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
            nano_cpus=int(spec.cpus * 1e9),
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
                _RUN_LABEL: f"{os.getpid()}.{self._run}",
                _DEADLINE_LABEL: str(int(time.time() + spec.deadline_sec + 2 * _GRACE_SEC)),
            },
        )
        return str(created["Id"])

    def _remove(self, container: str) -> None:
        """Remove a container; one that resists is left to the next run's reaping."""
        with contextlib.suppress(*_FAILURES):
            self._api().remove_container(container, force=True, v=True)

    def _reap(self) -> None:
        """Remove containers of ours whose run is dead or whose deadline is over; others are untouched."""
        for found in _call(self._api().containers, all=True, filters={"label": LABEL}):
            labels: dict[str, str] = found["Labels"]
            pid = int(labels.get(_RUN_LABEL, "0").split(".")[0] or 0)
            late = time.time() > float(labels.get(_DEADLINE_LABEL, "0"))
            if late or not _process_lives(pid):
                self._remove(found["Id"])


def _process_lives(pid: int) -> bool:
    """Return whether a process of this host lives; runs of other hosts on one engine end by their deadlines."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


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
