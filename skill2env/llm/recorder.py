"""The recorder: every completion is kept by what was asked, and what is kept is never asked again."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from skill2env.errors import MissingRecord
from skill2env.llm.records import Layer, Recorded
from skill2env.models.chat import Ask, Completion
from skill2env.store.results import ResultStore

KIND = "completion"
_AFTER, _SAID = "after", "said"
"""Keys of what is kept of a request: the key of the one before it, and the messages since."""
_TOLD_CHARS = 80


class Recorder:
    """Completions by the content id of their request, in the result store; safe under threads."""

    def __init__(self, store: ResultStore, layer: Layer, replay_only: bool) -> None:
        """Record into a store; what a layer of files holds is used as well."""
        self._store, self._layer, self._replay_only = store, layer, replay_only
        self._lock = threading.Lock()
        self._asking: dict[str, tuple[threading.Lock, int]] = {}

    def answer(self, ask: Ask, make: Callable[[], Completion]) -> tuple[Completion, bool]:
        """Return the completion of a request, and whether it was replayed; otherwise it is made, and kept at once.

        Of several threads that ask the same, one makes the completion and the others wait for it.

        Raises:
            MissingRecord: only records may be replayed, and there is none.
            UsageError: a file of records is missing or damaged.
            WorkspaceError: the store can't be read or written.
        """
        key = ask.key
        with self._alone(key):
            if recorded := self._recorded(key):
                return recorded, True
            if self._replay_only:
                raise MissingRecord(_missing(ask, key))
            completion = make()
            keep(self._store, Recorded(key=key, ask=ask, completion=completion))
            return completion, False

    def _recorded(self, key: str) -> Completion | None:
        stored = self._store.get(key)
        return Completion.model_validate(json.loads(stored.outcome)) if stored else self._layer.get(key)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Hold a lock of the key, which is forgotten when nobody wants it any more."""
        with self._lock:
            lock, wanted = self._asking.get(key, (threading.Lock(), 0))
            self._asking[key] = (lock, wanted + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, wanted = self._asking.pop(key)
                if wanted > 1:
                    self._asking[key] = (lock, wanted - 1)


def keep(store: ResultStore, recorded: Recorded) -> None:
    """Keep a record; it takes the place of one that was there.

    In a long conversation each request repeats all that was said before. So where the request before is kept too, only what was
    said since is kept of this one, compressed.

    Raises:
        WorkspaceError: the store can't be read or written.
    """
    ask = recorded.ask
    before = _before(ask)
    if before is not None and store.get(before.key):
        added = ask.messages[len(before.messages) :]
        kept_of_it: Any = {_AFTER: before.key, _SAID: [message.model_dump(mode="json") for message in added]}
    else:
        kept_of_it = ask.model_dump(mode="json")
    asked = zlib.compress(json.dumps(kept_of_it).encode())
    outcome = json.dumps(recorded.completion.model_dump(mode="json"))
    store.put(recorded.key, KIND, ask.model, outcome, asked)


def kept(store: ResultStore) -> Iterator[Recorded]:
    """Yield the records of a store, sorted by key.

    Raises:
        WorkspaceError: the store can't be read.
    """
    for key in store.keys(KIND):
        stored = store.get(key)
        if stored and (ask := _asked(store, key)):
            yield Recorded(key=key, ask=ask, completion=Completion.model_validate(json.loads(stored.outcome)))


def _before(ask: Ask) -> Ask | None:
    """Return the request that the last answer in a conversation was given to; None where nothing was answered yet."""
    answers = [at for at, message in enumerate(ask.messages) if message.role == "assistant"]
    return ask.model_copy(update={"messages": ask.messages[: answers[-1]]}) if answers else None


def _asked(store: ResultStore, key: str) -> Ask | None:
    """Return the request of a record, put together from what was kept of it and of those before it."""
    said: list[Any] = []
    while (stored := store.get(key)) and stored.blob:
        value = json.loads(zlib.decompress(stored.blob))
        if _AFTER not in value:
            return Ask.model_validate({**value, "messages": value["messages"] + said})
        key, said = value[_AFTER], value[_SAID] + said
    return None


def _missing(ask: Ask, key: str) -> str:
    last = " ".join(ask.messages[-1].text.split())[:_TOLD_CHARS] if ask.messages else ""
    return (
        f"{ask.model}: nothing is recorded for the request whose last message begins {last!r} (key {key}); run without "
        "replaying only, or import the records that have it"
    )
