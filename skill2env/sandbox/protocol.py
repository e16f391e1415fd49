"""What an engine must offer: containers with a shell, and containers whose main process is a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from skill2env.errors import EngineError


class NoSuchPath(EngineError):
    """The container has no such path; an answer, not a failure of the engine."""


class TooMany(EngineError):
    """There is more to tell than anybody should listen to; an answer, not a failure of the engine."""


class ContainerGone(EngineError):
    """The container was removed by somebody outside; whoever runs in it can end it, but not remove it."""


Kind = Literal["file", "dir", "link", "other"]
"""What stands at a path; `other` is a device, a FIFO or a socket."""


@dataclass(frozen=True)
class SandboxSpec:
    """A container that is wanted; it never has a network."""

    image: str
    """Image id or tag."""
    role: str
    """`trial`, `judge`, `world` or `sentinel`; kept as a label."""
    name: str
    """Whose container it is (a task or trial id); kept as a label."""
    deadline_sec: float
    """Seconds after which the container ends by itself."""
    memory_mb: int
    """Memory in MB; there is no swap."""
    cpus: float
    """Cpus."""
    pids: int
    """Processes and threads."""
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables."""
    hostname: str = "workstation"
    """Host name."""
    one_cpu: bool = False
    """Pinned to cpu 0."""
    privileges: tuple[str, ...] = ()
    """Linux capabilities that are kept; all others are dropped."""
    read_only: bool = False
    """The root file system can't be written; `tmpfs` can."""
    tmpfs: tuple[tuple[str, str], ...] = ()
    """Mount point and options of memory file systems."""


class Stream(Protocol):
    """Bytes to and from a process."""

    def send(self, data: bytes) -> None:
        """Write to its standard input; raises EngineError where it is gone."""

    def receive(self, timeout: float) -> bytes:
        """Return some bytes of its output, or b"" at the end; raises TimeoutError after `timeout` seconds."""

    def close(self) -> None:
        """Give up the stream; the process is not waited for."""


class Sandbox(Protocol):
    """A running container in which an agent may do what it likes."""

    def exec(self, argv: tuple[str, ...], uid: int = 0) -> Stream:
        """Start a process in it as a user and return its stream; standard error is a part of the output."""

    def put(self, path: str, archive: bytes) -> None:
        """Unpack a tar below an absolute folder that exists."""

    def get(self, path: str) -> Iterator[bytes]:
        """Yield the tar of a path; also after the container was killed. Raises NoSuchPath.

        Whoever stops listening early closes the generator, which ends the engine's work too.
        """

    def kind(self, path: str) -> Kind | None:
        """Return what stands at a path, a link not followed, or None; also after the container was killed."""

    def untouched(self, path: str) -> bool:
        """Return whether a path, all below it and the way to it are as the image has them; False where it can't be told."""

    def changes(self) -> tuple[str, ...]:
        """Return the absolute paths that were created, changed or deleted since the start. Raises TooMany."""

    def written(self) -> int:
        """Return how many bytes its processes have added to its file system."""

    def usage(self) -> tuple[int, int]:
        """Return the bytes of memory that it can't give back, and its processes and threads, both at this moment."""

    def fingerprint(self) -> str | None:
        """Return a hash that changes with every change to its files, or None where it can't be told. Raises TooMany."""

    def running(self) -> bool:
        """Return whether the main process lives."""

    def kill(self) -> None:
        """Kill every process of it at once; no error where it is dead already."""


class Engine(Protocol):
    """Something that runs containers."""

    def sandbox(self, spec: SandboxSpec) -> AbstractContextManager[Sandbox]:
        """Start a container that sleeps until its deadline; it is removed at the end of the block."""

    def pipe(self, spec: SandboxSpec, argv: tuple[str, ...]) -> AbstractContextManager[Stream]:
        """Start a container whose main process is `argv` and talk with it; removed at the end of the block."""

    def alive(self) -> bool:
        """Return whether the engine answers and its sentinel container still runs."""
