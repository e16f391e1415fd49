"""One container of a Docker Engine, and what the engine's errors become."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import docker
import requests
from docker.errors import APIError
from urllib3.exceptions import NewConnectionError

from skill2env.errors import EngineDown, EngineError
from skill2env.meter import charge
from skill2env.sandbox.cgroup import counts, cpu_seconds, groups_of
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.layer import (
    bytes_in,
    changes_in,
    fingerprint_of,
    kind_in,
    untouched_in,
    without_init,
    writable_layer,
)
from skill2env.sandbox.layer_file import archive_of, file_in
from skill2env.sandbox.protocol import ContainerGone, Kind, NoSuchPath, TooMany
from skill2env.sandbox.streams import FramedStream

TIMEOUT_SEC = 120
"""How long one call may be silent."""
_CHUNK = 1 << 16
_REASON = 300
_CHANGES_BYTES = 8 << 20
_NOT_FOUND = 404
_NO_CONTAINER = "No such container"
_GOING = ("removing", "dead")
_UNCOUNTED = 1 << 62
"""Bytes of a layer with too many entries to count."""
_KINDS: tuple[tuple[int, Kind], ...] = ((1 << 31, "dir"), (1 << 27, "link"), (0x07280000, "other"))
"""Bits of Go's os.FileMode, in which the engine tells what a path is; none of them is a regular file."""


class DockerSandbox:
    """A running container that sleeps until its deadline."""

    def __init__(self, api: docker.APIClient, container: str, image_kinds: dict[str, Kind | None]) -> None:
        """Wrap a started container; `image_kinds` remembers what its image has at a path."""
        self._api = api
        self._container = container
        self._image_kinds = image_kinds
        self._cpu_sec = 0.0

    @cached_property
    def _layer(self) -> Path | None:
        """Its writable layer, where that can be read on this host."""
        return writable_layer(call(self._api.inspect_container, self._container))

    def exec(self, argv: tuple[str, ...], uid: int = 0) -> FramedStream:
        """Start a process in `/workspace` as a user and return its stream.

        Raises:
            EngineError: the container is dead, or the engine refused.
        """
        created = call(self._api.exec_create, self._container, list(argv), stdin=True, user=str(uid))
        return FramedStream(call(self._api.exec_start, created["Id"], socket=True))

    def put(self, path: str, archive: bytes) -> None:
        """Unpack a tar below an absolute folder that exists."""
        call(self._api.put_archive, self._container, path, archive)

    def get(self, path: str) -> Iterator[bytes]:
        """Yield the tar of a path; a file that a program wrote is read where it lies, which costs the engine no process.

        Raises:
            NoSuchPath: it is not there.
            ContainerGone: the container is not there.
            EngineError: the engine failed.
        """
        if (written := self._written_file(path)) is not None:
            try:
                yield from archive_of(written, PurePosixPath(path).name)
            except OSError as error:
                raise engine_error(error) from error
            return
        with self._ask("GET", "archive", path=path) as answer:
            if answer.status_code == _NOT_FOUND and _NO_CONTAINER not in answer.text:
                raise NoSuchPath(f"{path} is not there")
            well(answer)
            try:
                yield from answer.iter_content(_CHUNK)
            except FAILURES as error:
                raise engine_error(error) from error

    def _written_file(self, path: str) -> int | None:
        try:
            return None if self._layer is None else file_in(self._layer, path)
        except OSError:
            return None

    def kind(self, path: str) -> Kind | None:
        """Return what stands at a path, a link not followed, or None.

        Raises:
            ContainerGone: the container is not there, and nothing can be said of its paths.
            EngineError: the engine failed.
        """
        if self._layer is None:
            return self._asked_kind(path)
        try:
            decided, kind = kind_in(self._layer, path)
        except OSError:
            return self._asked_kind(path)
        if decided:
            return kind
        self._state()  # raises where the path is absent because the whole container is
        if path not in self._image_kinds:
            self._image_kinds[path] = self._asked_kind(path)
        return self._image_kinds[path]

    def _asked_kind(self, path: str) -> Kind | None:
        with self._ask("HEAD", "archive", path=path) as answer:
            if answer.status_code == _NOT_FOUND:
                self._state()  # raises where the path is absent because the whole container is
                return None
            well(answer)
            mode: int = json.loads(base64.b64decode(answer.headers["X-Docker-Container-Path-Stat"]))["mode"]
        return next((kind for bits, kind in _KINDS if mode & bits), "file")

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = call(self._api.inspect_container, self._container)["State"]
        if state.get("Status") in _GOING:
            raise ContainerGone(f"the container was removed from outside: {self._container[:12]} is going")
        return state

    def untouched(self, path: str) -> bool:
        """Return whether its own layer says nothing about a path; False where that layer can't be read."""
        try:
            return self._layer is not None and untouched_in(self._layer, path)
        except OSError:
            return False

    def changes(self) -> tuple[str, ...]:
        """Return the absolute paths that were created, changed or deleted since the start.

        Raises:
            TooMany: their list has more than 8 MB.
            EngineError: the engine failed.
        """
        return without_init(self._all_changes())

    def _all_changes(self) -> tuple[str, ...]:
        if self._layer is not None:
            return changes_in(self._layer)
        text = bytearray()
        with self._ask("GET", "changes") as answer:
            well(answer)
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
        if self._layer is not None:
            try:
                return bytes_in(self._layer)
            except TooMany:
                return _UNCOUNTED
        with self._ask("GET", "json", size="1") as answer:
            well(answer)
            return int(answer.json().get("SizeRw") or 0)

    def usage(self) -> tuple[int, int]:
        """Return the bytes of memory that it can't give back, and its processes and threads.

        Raises:
            EngineError: the engine failed.
        """
        if (counted := counts(self._groups)) is not None:
            return counted
        told = call(self._api.stats, self._container, stream=False, one_shot=True)
        memory = told.get("memory_stats", {}).get("stats", {})
        return int(memory.get("rss", memory.get("anon", 0))), int(
            told.get("pids_stats", {}).get("current", 0)
        )

    @cached_property
    def _groups(self) -> dict[str, Path]:
        """Its control groups, where they can be read on this host."""
        return groups_of(call(self._api.inspect_container, self._container))

    def count_cpu(self) -> None:
        """Charge the CPU seconds since the last time to whatever is worked on; nothing where they can't be read any more."""
        with contextlib.suppress(EngineError):
            seconds = cpu_seconds(self._groups) or self._cpu_sec
            charge(cpu_sec=seconds - self._cpu_sec)
            self._cpu_sec = seconds

    def fingerprint(self) -> str | None:
        """Return a hash over the entries of its own layer, with times and sizes; None where it can't be read.

        Raises:
            TooMany: more than can be listed.
        """
        return None if self._layer is None else fingerprint_of(self._layer)

    def running(self) -> bool:
        """Return whether the main process lives.

        Raises:
            ContainerGone: it was, or is being, removed, which kills it first.
            EngineError: the engine failed.
        """
        return bool(self._state()["Running"])

    def kill(self) -> None:
        """Kill every process at once; no error where it is dead already."""
        self.count_cpu()
        try:
            self._api.kill(self._container)
        except APIError as error:
            if error.status_code not in (404, 409):
                raise engine_error(error) from error
        except FAILURES as error:
            raise engine_error(error) from error

    def _ask(self, method: str, what: str, **params: str) -> requests.Response:
        """Ask about the container without the SDK, which leaves a stream that is not read to its end open."""
        api = self._api
        url = f"{api.base_url}/v{api.api_version}/containers/{self._container}/{what}"
        plain = {"Accept-Encoding": "identity"}
        answer: requests.Response = call(
            api.request, method, url, params=params, headers=plain, stream=True, timeout=TIMEOUT_SEC
        )
        return answer


def well(answer: requests.Response) -> None:
    """Raise EngineError where the engine answers with an error."""
    if answer.status_code >= requests.codes.bad_request:
        raise _refusal(answer.status_code, answer.text[:_REASON])


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the engine; its errors become ours."""
    try:
        return function(*args, **kwargs)
    except FAILURES as error:
        raise engine_error(error) from error


def engine_error(error: BaseException) -> EngineError:
    """Return what an error of the SDK means.

    A connection that breaks off is no sign that no engine is there: a request that the engine stumbles over ends so too.
    """
    if _nobody_listens(error):
        return EngineDown("the Docker Engine went away; run `skill2env setup` and then the command again")
    return _refusal(getattr(error, "status_code", None), str(getattr(error, "explanation", None) or error))


def _refusal(status: int | None, reason: str) -> EngineError:
    if status == _NOT_FOUND and _NO_CONTAINER in reason:
        return ContainerGone(f"the container was removed from outside: {reason}")
    return EngineError(f"the Docker Engine refused: {reason}")


def _nobody_listens(error: BaseException) -> bool:
    """Return whether an error is, or was brought about by, a connection that could not be made."""
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop()
        if isinstance(
            cause, (FileNotFoundError, ConnectionRefusedError, NewConnectionError, requests.ConnectTimeout)
        ):
            return True
        if isinstance(cause, BaseException):
            waiting += [*cause.args, getattr(cause, "reason", None)]
    return False
