"""What a stage is given to work with: workspace, parameters, store, models, engine and images."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import docker

from skill2env.llm.client import Client, Purpose
from skill2env.models.base import Record
from skill2env.models.chat import LedgerRow
from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.params import Params
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.engine import connect
from skill2env.sandbox.images import ensure_toolchain, ensure_verifier
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace


@dataclass(frozen=True)
class Item:
    """One input of a stage."""

    item_id: str
    """A name that a person can find again."""
    input_id: str
    """Content id of all that the outcome depends on, the stage's version, parameters and images aside."""
    value: Any
    """What `apply` works on."""
    blob: bytes | None = None
    """Bytes that belong to it."""


@dataclass(frozen=True)
class Done:
    """What `apply` returns: the outcome, and the bytes that belong to an accepted record."""

    outcome: Accepted[Any] | Rejected
    blob: bytes | None = None


class Stage(Protocol):
    """A stage is a module that has these."""

    NAME: str
    """The stage's one word."""
    VERSION: str
    """Part of every result's key; raised when outcomes would change."""

    def items(self, context: Context) -> Iterator[Item]:
        """Yield the inputs in their order."""

    def settings(self, context: Context, item: Item) -> Any:
        """Return what of parameters and images the outcome depends on, JSON-able."""

    def apply(self, item: Item, context: Context) -> Done:
        """Return the item's outcome; raises EngineError where the infrastructure failed it."""

    def record(self) -> type[Record]:
        """Return the type of an accepted record."""


class Author(Protocol):
    """Whoever writes blueprints that are not in the repository."""

    def items(self, skills: Iterable[Skill], corpus: Path) -> Iterator[Item]:
        """Yield what is to be written for skills."""

    def settings(self) -> Any:
        """Return what the outcome depends on besides the item, JSON-able."""

    def apply(self, item: Item, context: Context) -> Done:
        """Write one blueprint."""


@dataclass
class Context:
    """Shared by all workers of a run; the engine is only asked for when something must be executed."""

    workspace: Workspace
    params: Params
    store: ResultStore
    author: Author | None = None
    """Who writes blueprints that are not in the repository; only where `draft.authors` names one."""
    figures: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Sums that a stage reports in its metrics, seconds for instance."""
    processes: ProcessPoolExecutor | None = None
    """Where an item's work may be done that is pure Python; only where there are many items."""
    _stack: ExitStack = field(default_factory=ExitStack)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _locks: dict[str, threading.Lock] = field(default_factory=dict)
    _models: Client | None = None
    _engine: DockerEngine | None = None
    _client: docker.DockerClient | None = None
    _images: dict[tuple[str, str], str] = field(default_factory=dict)

    def __enter__(self) -> Context:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections to engine and models, remove the sentinel, and end the processes."""
        self._stack.close()

    def share(self, processes: ProcessPoolExecutor) -> None:
        """Use processes until the end of the run."""
        self.processes = self._stack.enter_context(processes)

    def add(self, figure: str, amount: float) -> None:
        """Add to a sum."""
        with self._lock:
            self.figures[figure] += amount

    def lock(self, name: str) -> threading.Lock:
        """Return the lock of a name, for work that several items share."""
        with self._lock:
            return self._locks.setdefault(name, threading.Lock())

    def model(self, purpose: str) -> Purpose:
        """Return the language models, counted under a purpose; they are connected to at the first request."""
        with self._lock:
            if self._models is None:
                client = Client(self.params.llm, self.store, self.workspace.root)
                self._models = self._stack.enter_context(client)
            return self._models.for_purpose(purpose)

    def spent(self) -> tuple[LedgerRow, ...]:
        """Return what this run has asked of language models, what was replayed apart."""
        with self._lock:
            return self._models.ledger.rows() if self._models else ()

    def engine(self) -> DockerEngine:
        """Return the engine, entered once a run, with its sentinel running.

        Raises:
            EngineDown: none answers.
        """
        with self._lock:
            if self._engine is None:
                engine = self._stack.enter_context(DockerEngine())
                engine.watch(self.toolchain("shell"))
                self._engine = engine
            return self._engine

    def client(self) -> docker.DockerClient:
        """Return a client for building images.

        Raises:
            EngineDown: no engine answers.
        """
        with self._lock:
            if self._client is None:
                self._client = connect()
                self._stack.callback(self._client.close)
            return self._client

    def toolchain(self, name: str) -> str:
        """Return the id of a toolchain's image, built if it is missing."""
        return self._image("toolchain", name)

    def verifier(self, toolchain: str) -> str:
        """Return the id of a toolchain's verifier image, built if it is missing."""
        return self._image("verifier", toolchain)

    def _image(self, kind: str, name: str) -> str:
        with self._lock:
            if (kind, name) not in self._images:
                ensure = ensure_toolchain if kind == "toolchain" else ensure_verifier
                self._images[kind, name] = ensure(self.client(), name, lambda _: None)
            return self._images[kind, name]
