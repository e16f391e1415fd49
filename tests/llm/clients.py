"""A client whose endpoint `scripted` is a scripted server, for tests that need a model; and the driver's own throughput."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llm.server import ENVIRON, Reply, Script, Server
from skill2env.llm.client import Client
from skill2env.models.chat import Ask, Message
from skill2env.params import LlmParams
from skill2env.store.results import ResultStore

MODEL = "scripted/model"


@dataclass(frozen=True)
class Scripted:
    """What a test works with."""

    server: Server
    client: Client
    store: ResultStore


@contextmanager
def scripted(
    script: Script,
    folder: Path,
    protocol: str = "openai",
    endpoint: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = ENVIRON,
    keep: int = 1000,
    **llm: Any,
) -> Iterator[Scripted]:
    """Give a server, a client of it and its store, which is in `folder` and may be there already.

    Args:
        script: What the server answers.
        folder: Where the store and the records are.
        protocol: `openai` or `anthropic`.
        endpoint: Parameters of the endpoint, besides its place and its short times.
        environ: Where the key is.
        keep: Requests that the server remembers.
        llm: Other parameters of the section `llm`.
    """
    with Server(script, keep) as server:
        params = LlmParams.model_validate(
            {"endpoints": {"scripted": server.params(protocol, **(endpoint or {}))}, **llm}
        )
        store = ResultStore(folder / "results.sqlite")
        try:
            with Client(params, store, folder, environ) as client:
                yield Scripted(server, client, store)
        finally:
            store.close()


def asking(text: str, **changed: Any) -> Ask:
    """Return a request with one message of the user."""
    return Ask.model_validate({"model": MODEL, "messages": [Message(role="user", text=text)], **changed})


def throughput(times: int, threads: int = 4) -> float:
    """Return completions a second, of so many different ones that are asked by threads and recorded.

    The server answers at once and in the same process, so this is what the client, the recorder and the ledger can do.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        scripted(lambda _: Reply("Done."), Path(folder), endpoint={"concurrency": threads}, keep=1) as made,
    ):
        made.client.complete(asking("warm up"))
        began = time.perf_counter()
        ask_many(made.client, times, threads)
        return times / (time.perf_counter() - began)


def ask_many(client: Client, times: int, threads: int, first: int = 0, chars: int = 0) -> None:
    """Ask so many different requests of so many characters each, from `first` on; no completion is held on to."""

    def ask(number: int) -> None:
        client.complete(asking(f"Question {number}. {'x' * chars}"))

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(ask, range(first, first + times)):
            pass


if __name__ == "__main__":
    print(
        f"completions a second, of a server that answers at once and in this process: {throughput(300):.0f}"
    )
