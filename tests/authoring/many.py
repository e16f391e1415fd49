"""Very many scripted authoring sessions: what of memory and disk they take, and how fast the driver is by itself.

All but the containers is real: the draft stage's driver, the author, the desk and its tools, the client, HTTP, the recorder, the
store and the ledger. What the gates say is scripted, since a thousand sessions would execute for days.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from llm.clients import MODEL
from llm.protocols import Request
from llm.server import ENVIRON, Answer, Server

from authoring.script import CORPUS, script, sessions, workflow
from skill2env.authoring import author
from skill2env.authoring.author import Commission, ModelAuthor
from skill2env.authoring.bench import GateBench
from skill2env.authoring.desk import Seen
from skill2env.models.chat import Spent
from skill2env.models.outcome import Accepted
from skill2env.models.tree import Tree
from skill2env.models.workflow import Workflow
from skill2env.params import Params
from skill2env.pipeline import STAGES, answers
from skill2env.stages import parse
from skill2env.stages.context import Context, Item
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

SESSION = sessions()["prices-by-script"]
_NUMBER = re.compile(rf"(Write the blueprint `{SESSION.name})-\d+`")
_MB = 1 << 20
SESSION_BYTES = 190_000
"""A session's store has to be smaller: its blueprint, its answers, and what was said once; with whole requests it is 230,000."""
GROWTH_MB = 64
"""More memory than this after a thousand sessions is a leak: the requests, held on to, would be 180."""


@dataclass(frozen=True)
class Figures:
    """What so many sessions took."""

    sessions: int
    completions: int
    seconds: float
    disk_bytes: int
    """Of the store at the end."""
    memory_mb: tuple[float, ...]
    """Resident memory of the process, server included, after each tenth of the sessions."""

    @property
    def growth_mb(self) -> float:
        """How much more memory there is at the end than after the second tenth, when everything is loaded and warm."""
        return self.memory_mb[-1] - self.memory_mb[1]

    def told(self) -> str:
        """Return it in words."""
        return (
            f"{self.sessions} authoring sessions, gates scripted, server in this process: {self.seconds:.0f} s, "
            f"{self.completions / self.seconds:.0f} completions a second; memory {self.memory_mb[1]:.0f} MB after a fifth and "
            f"{self.memory_mb[-1]:.0f} MB at the end, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; "
            f"{self.disk_bytes / 1e6:.1f} MB on disk, {self.disk_bytes / self.sessions / 1e3:.0f} kB a session"
        )


class ScriptedGates(GateBench):
    """A bench on which the world is always made, and the first submission refused by the gate that the script waits for."""

    submissions = 0

    def run_world(self, files: Tree) -> Seen:
        return Seen(True, f"level medium: truth of {len(files)} files")

    def probe(self, files: Tree) -> Seen:
        return Seen(True, "")

    def submit(self, files: Tree) -> Seen:
        self.submissions += 1
        told = [f"{fault.gate} refuses {fault.file}" for fault in SESSION.faults]
        return (
            Seen(True, "all accepted")
            if self.submissions > len(told)
            else Seen(False, told[self.submissions - 1])
        )


def hold_many(folder: Path, count: int, workers: int = 4) -> Figures:
    """Hold so many sessions for different workflows of one skill, each recorded; every one has to end in a blueprint."""
    importlib.import_module(
        "skill2env.llm.endpoint"
    )  # the libraries take seconds to load, which no rate should have in it
    llm = {"concurrency": workers, "idle_sec": 60, "total_sec": 120}
    with (
        Server(_any_number, keep=1) as server,
        patch.dict(os.environ, ENVIRON),
        patch.object(author, "GateBench", ScriptedGates),
    ):
        params = Params.model_validate(
            {
                "corpus": str(CORPUS),
                "driver": {"workers": workers},
                "draft": {"authors": ["model"], "author": {"model": MODEL}},
                "llm": {"endpoints": {"scripted": server.params("openai", **llm)}},
            }
        )
        store = ResultStore(folder / "results.sqlite")
        memory: list[float] = []
        began = time.monotonic()
        try:
            with Context(Workspace(folder), params, store) as context:
                context.author = ModelAuthor(context)
                for done, (item, answer) in enumerate(
                    answers(STAGES["draft"], _items(context, count), context), 1
                ):
                    if answer.kind != "accepted":
                        raise RuntimeError(f"{item.item_id}: {answer.outcome}")
                    if done * 10 // count > len(memory):
                        memory.append(_resident_mb())
        finally:
            store.close()
        seconds = time.monotonic() - began
        disk = sum(path.stat().st_size for path in folder.glob("results.sqlite*"))
        return Figures(count, server.count, seconds, disk, tuple(memory))


def _items(context: Context, count: int) -> Iterator[Item]:
    (source,) = (each for each in parse.discover(CORPUS) if each.skill_id == SESSION.skill)
    read = parse.apply(parse.item_of(CORPUS, source), context)
    assert isinstance(read.outcome, Accepted)
    skill, planned = read.outcome.record, Workflow.model_validate(workflow(SESSION))
    for number in range(count):
        named = planned.model_copy(update={"name": f"{SESSION.name}-{number}"})
        today = datetime.date(2026, 1, 1)
        value = Commission(skill, CORPUS / "skills" / skill.skill_id, named, Spent(), today)
        yield Item(f"{skill.skill_id}--{named.name}", named.record_id(), value)


def _any_number(request: Request) -> Answer:
    """Answer as the script does, whatever number the session has."""
    asked = request.messages[1]
    named = asked.model_copy(update={"text": _NUMBER.sub(r"\1`", asked.text)})
    messages = (request.messages[0], named, *request.messages[2:])
    return script(dataclasses.replace(request, messages=messages))


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / _MB


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=int, default=1000)
    with tempfile.TemporaryDirectory() as place:
        figures = hold_many(Path(place), options.parse_args().sessions)
    print(figures.told())
    sys.exit(figures.growth_mb > GROWTH_MB or figures.disk_bytes > SESSION_BYTES * figures.sessions)
