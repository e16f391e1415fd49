"""Containers of a Docker Engine, with every limit of docs/security.md."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import docker

from skill2env.errors import EngineDown, EngineError
from skill2env.sandbox.building import DISK_FULL
from skill2env.sandbox.container import TIMEOUT_SEC, DockerSandbox, call
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.layer import free_bytes, writable_layer
from skill2env.sandbox.ownership import DEADLINE_LABEL, LABEL, RUN_LABEL, host, started
from skill2env.sandbox.protocol import ContainerGone, Kind, SandboxSpec
from skill2env.sandbox.reaping import reap
from skill2env.sandbox.seccomp import profile
from skill2env.sandbox.streams import FramedStream

_SHM_BYTES = 64 << 20
_OPEN_FILES = 4096
_SENTINEL_SEC = 24 * 3600
_GRACE_SEC = 60
_ROOM_BYTES = 1 << 30
"""Free disk of the engine below which nothing is started: where programs find no room, correct ones fail."""
_SYSCTLS = {"net.ipv4.tcp_max_tw_buckets": "0"}
"""No port stays taken once its listener is gone, so that two programs in turn may use the same one. Not every kernel and
runtime knows it: without it, the judge takes a container of its own where a connection lingers."""


class DockerEngine:
    """The containers of one run; a context manager that keeps a sentinel container alive meanwhile.

    One API client a thread: the SDK's client is not made for sharing.
    """

    def __init__(self) -> None:
        """Prepare; nothing is started before the block is entered."""
        self.run_id = uuid.uuid4().hex
        """A word that no other run has."""
        self._owner = f"{host()} {os.getpid()} {started(os.getpid())} {self.run_id}"
        self._local = threading.local()
        self._clients: list[docker.APIClient] = []
        self._seccomp = profile()
        self._sysctls = dict(_SYSCTLS)
        self._sentinel: str | None = None
        self._sentinel_image = ""
        self._sentinel_lock = threading.Lock()
        self._disk: Path | None = None
        self._image_kinds: dict[str, dict[str, Kind | None]] = defaultdict(dict)

    def __enter__(self) -> DockerEngine:
        """Remove what killed runs have left.

        Raises:
            EngineDown: no engine answers.
        """
        try:
            self._api().ping()
        except FAILURES as error:
            raise EngineDown(
                "no Docker Engine answers; run `skill2env setup`, which starts one where it may"
            ) from error
        reap(self._api())
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the sentinel and close the connections."""
        if self._sentinel:
            with contextlib.suppress(*FAILURES):
                self._api().remove_container(self._sentinel, force=True)
        for client in self._clients:
            client.close()

    def watch(self, image: str) -> None:
        """Start the sentinel from an image, once a run: while it lives, a dead trial is the agent's fault.

        Raises:
            EngineDown: the engine's disk is full.
            EngineError: it can't be started.
        """
        with self._sentinel_lock:
            if self._sentinel is not None:
                return
            self._sentinel_image = image
            try:
                self._sentinel = self._start_sentinel()
            except EngineError as error:
                if not any(name.rpartition(".")[2] in str(error) for name in self._sysctls):
                    raise
                self._sysctls = {}
                self._sentinel = self._start_sentinel()
            layer = writable_layer(call(self._api().inspect_container, self._sentinel))
            self._disk = layer.parent.parent if layer else None

    def _start_sentinel(self) -> str:
        spec = SandboxSpec(
            self._sentinel_image, "sentinel", "sentinel", _SENTINEL_SEC, memory_mb=64, cpus=0.1, pids=16
        )
        with _room():
            sentinel = self._create(spec, ("sleep", str(_SENTINEL_SEC)))
            try:
                call(self._api().start, sentinel)
            except EngineError:
                self._remove(sentinel)
                raise
        return sentinel

    @contextmanager
    def sandbox(self, spec: SandboxSpec) -> Iterator[DockerSandbox]:
        """Start a container that sleeps until its deadline; it is removed at the end of the block.

        Raises:
            EngineDown: the engine's disk is full.
            EngineError: it can't be created or started.
        """
        with _room():
            container = self._create(spec, ("sleep", str(int(spec.deadline_sec) + _GRACE_SEC)))
        try:
            with _room():
                call(self._api().start, container)
            sandbox = DockerSandbox(self._api(), container, self._image_kinds[spec.image])
            with _counted(sandbox):
                yield sandbox
            self._room_was_enough(sandbox)
        finally:
            self._remove(container)

    @contextmanager
    def pipe(self, spec: SandboxSpec, argv: tuple[str, ...]) -> Iterator[FramedStream]:
        """Start a container whose main process is `argv` and talk with it; removed at the end of the block.

        Raises:
            EngineDown: the engine's disk is full.
            EngineError: it can't be created or started.
        """
        with _room():
            container = self._create(spec, argv, stdin=True)
        stream: FramedStream | None = None
        try:
            wanted = {"stdin": 1, "stdout": 1, "stderr": 0, "stream": 1}
            stream = FramedStream(call(self._api().attach_socket, container, params=wanted))
            with _room():
                call(self._api().start, container)
            sandbox = DockerSandbox(self._api(), container, {})
            with _counted(sandbox):
                yield stream
            self._room_was_enough(sandbox)
        finally:
            if stream:
                stream.close()
            self._remove(container)

    def alive(self) -> bool:
        """Return whether the engine answers, and has done so since this thread last started a container.

        The sentinel that ran then must still run. One that was lost, with the engine or otherwise, is replaced for what is
        started from now on.
        """
        noted: str | None = getattr(self._local, "sentinel", None) or self._sentinel
        try:
            self._api().ping()
            if noted is None or call(self._api().inspect_container, noted)["State"]["Running"]:
                return True
        except ContainerGone:
            pass
        except (*FAILURES, EngineError):
            return False
        if noted:
            self._replace_sentinel(noted)
        return False

    def _replace_sentinel(self, lost: str) -> None:
        with self._sentinel_lock:
            if self._sentinel == lost:
                self._remove(lost)
                with contextlib.suppress(EngineError):
                    self._sentinel = self._start_sentinel()

    def _room_was_enough(self, sandbox: DockerSandbox) -> None:
        """Raise EngineDown where others have filled the disk meanwhile: a program that failed may have failed for that."""
        least = _ROOM_BYTES // 2
        if self._disk and (free := free_bytes(self._disk)) < least and sandbox.written() < least:
            raise EngineDown(
                f"the Docker Engine's disk ran full at {self._disk}, {free >> 20} MB are left; free space and run again"
            )

    def labels(self, role: str, name: str, deadline_sec: float) -> dict[str, str]:
        """Return the labels by which what this run makes is known, and reaped when the run is dead."""
        return {
            LABEL: role,
            "skill2env.name": name,
            RUN_LABEL: self._owner,
            DEADLINE_LABEL: str(int(time.time() + deadline_sec + 2 * _GRACE_SEC)),
        }

    def _api(self) -> docker.APIClient:
        api: docker.APIClient | None = getattr(self._local, "api", None)
        if api is None:
            address = os.environ.get("DOCKER_HOST")
            try:
                api = docker.APIClient(base_url=address, version="auto", timeout=TIMEOUT_SEC)
            except FAILURES as error:
                raise EngineDown(
                    "no Docker Engine answers; run `skill2env setup`, which starts one where it may"
                ) from error
            self._local.api = api
            self._clients.append(api)
        return api

    def _create(self, spec: SandboxSpec, argv: tuple[str, ...], stdin: bool = False) -> str:
        api = self._api()
        self._local.sentinel = self._sentinel
        if self._disk and (free := free_bytes(self._disk)) < _ROOM_BYTES:
            raise EngineDown(
                f"the Docker Engine's disk has only {free >> 20} MB left at {self._disk}, and {_ROOM_BYTES >> 20} are needed; "
                "free space and run again"
            )
        host_config = api.create_host_config(
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
            sysctls=self._sysctls,
        )
        created = call(
            api.create_container,
            spec.image,
            list(argv),
            hostname=spec.hostname,
            environment=dict(spec.env),
            stdin_open=stdin,
            # `none` alone still has the engine start two processes of its own per container, to manage the network that
            # there is none of; loopback is brought up by the runtime.
            network_disabled=True,
            host_config=host_config,
            labels=self.labels(spec.role, spec.name, spec.deadline_sec),
        )
        return str(created["Id"])

    @cached_property
    def _cpus(self) -> int:
        """How many cpus the engine has; it refuses a container that asks for more."""
        return int(call(self._api().info)["NCPU"])

    def _remove(self, container: str) -> None:
        """Remove a container; one that resists is left to the next run's reaping."""
        with contextlib.suppress(*FAILURES):
            self._api().remove_container(container, force=True, v=True)


@contextmanager
def _counted(sandbox: DockerSandbox) -> Iterator[None]:
    """Charge the CPU seconds of a container, whatever ends the block."""
    try:
        yield
    finally:
        sandbox.count_cpu()


@contextmanager
def _room() -> Iterator[None]:
    """Tell an engine whose disk is full from one that refuses: with the first, the run ends."""
    try:
        yield
    except EngineDown:
        raise
    except EngineError as error:
        if DISK_FULL not in str(error):
            raise
        raise EngineDown(
            f"the Docker Engine's disk is full ({error}); free space on it and run again"
        ) from error
