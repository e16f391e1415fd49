"""The script of an author: what it says next follows from what was said before, so any number of sessions run at once."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from llm.protocols import Reply, Request
from llm.server import Status

from skill2env.models.base import Record
from skill2env.models.chat import ToolCall
from skill2env.store.folders import read_folder
from skill2env.trial.script import split_steps

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / "skills_corpus"
_ASKED = re.compile(r"Write the blueprint `([a-z0-9-]+)` of this skill")
_SKILL = re.compile(r"^ +\d+ name: *(\S+)$", re.MULTILINE)
_VERIFIER = ("blueprint.yaml", "world.py", "world/")


class OutOfStep(Exception):
    """The tools did not say what the script waits for."""


class Fault(Record):
    """Where the first version of a file is wrong."""

    gate: str
    """The gate whose evidence shows it."""
    file: str
    right: str
    wrong: str
    error: str = ""
    """For a frozen file: the stated factual error."""
    solver: str = ""
    """For `blind_check`: what a solver does after the reference's steps, who reads the request as it is then."""
    ruling: dict[str, Any] | None = None
    """For `blind_check`: what is said of that solver's failure."""

    @property
    def early(self) -> bool:
        """Whether it shows before anything is frozen."""
        return self.file == "instruction.md" and not self.error


class Wild(Record):
    """A public skill, in the shared folder."""

    repo: str
    path: str


class Session(Record):
    """What one author writes."""

    name: str
    """Name of the workflow, and of the blueprint."""
    copies: str
    """<skill>/<blueprint> whose files are written."""
    faults: tuple[Fault, ...]
    wild: Wild | None = None
    """Where the skill is found, if it is none of this repository's."""

    @property
    def folder(self) -> Path:
        """The folder whose files are written."""
        return (HERE / "blueprints" if self.wild else CORPUS / "blueprints") / self.copies

    @property
    def skill(self) -> str:
        """The skill."""
        return self.copies.split("/")[0]


@dataclass(frozen=True)
class Turn:
    """What the author says when the last results hold a word."""

    wants: str
    calls: tuple[tuple[str, dict[str, Any]], ...]


@cache
def sessions() -> dict[str, Session]:
    """Return the sessions by name."""
    listed = yaml.safe_load((HERE / "sessions.yaml").read_text("utf-8"))
    return {entry["name"]: Session.model_validate(entry) for entry in listed}


def script(request: Request) -> Reply | Status:
    """Return what the author of whatever is asked says next, or an error where the tools did not say what it waits for."""
    try:
        return reply(request)
    except OutOfStep as fault:
        return Status(422, str(fault))


def reply(request: Request) -> Reply:
    """Return what the author of whatever is asked says next.

    Raises:
        OutOfStep: the tools did not say what the script waits for.
    """
    if request.tools == ("bash",):
        return solve(request)
    if request.schema is not None:
        planning = "workflows" in request.schema["properties"]
        return Reply(json.dumps(plan(request.messages[-1].text) if planning else rule(request)))
    asked = _ASKED.search(request.messages[1].text)
    if asked is None:
        raise OutOfStep("nothing is asked for")
    said = sum(message.role == "assistant" for message in request.messages)
    told = [message.text for message in request.messages if message.role == "tool"]
    turn = turns(asked[1])[said]
    if turn.wants not in (told[-1] if told else ""):
        raise OutOfStep(f"{asked[1]}, turn {said}: {turn.wants!r} is not in {told[-1:]!r}"[:1500])
    calls = tuple(
        ToolCall(id=f"{said}-{at}", name=name, arguments=json.dumps(arguments))
        for at, (name, arguments) in enumerate(turn.calls)
    )
    return Reply(calls=calls)


def solve(request: Request) -> Reply:
    """Return what a solver says next who has the request alone: it works as the reference does, but for what it can't know."""
    if len(request.messages) > 2:
        return Reply("Done.")
    session, open_faults = _asked_for(request.messages[1].text)
    reference = split_steps(texts_of(session)["solutions/reference.sh"])
    commands = [step.command for step in reference] + [fault.solver for fault in open_faults]
    return Reply(
        "As asked.",
        tuple(
            ToolCall(id=str(at), name="bash", arguments=json.dumps({"command": command}))
            for at, command in enumerate(commands)
        ),
    )


def rule(request: Request) -> dict[str, Any]:
    """Return whose fault it is that the solver of a request failed.

    Raises:
        OutOfStep: the request is whole, so that no solver should have failed.
    """
    _, open_faults = _asked_for(request.messages[1].text)
    ruling = next((fault.ruling for fault in open_faults), None)
    if ruling is None:
        raise OutOfStep(f"a solver failed that had all: {request.messages[1].text[-3000:]}")
    return ruling


def _asked_for(text: str) -> tuple[Session, list[Fault]]:
    """Return the session whose request stands in a text, and its faults that a solver can't but stumble over."""

    def found(session: Session) -> int:
        return sum(sentence in text for sentence in texts_of(session)["instruction.md"].split(". "))

    session = max(sessions().values(), key=found)
    return session, [fault for fault in session.faults if fault.solver and fault.right not in text]


def plan(text: str) -> dict[str, Any]:
    """Return the plan for the skill that stands in a request."""
    named = _SKILL.search(text)
    workflows = [workflow(session) for session in sessions().values() if named and session.skill == named[1]]
    reason = "" if workflows else "prose_only"
    return {
        "workflows": workflows,
        "none_reason": reason,
        "explanation": "" if workflows else "The script has no session for it.",
    }


def workflow(session: Session) -> dict[str, Any]:
    """Return a workflow as a planner would state it."""
    spec = yaml.safe_load(texts_of(session)["blueprint.yaml"])
    slips = [
        {"what": f"Does not heed: {criterion['text']}", "source": criterion["source"]}
        for criterion in spec["rubric"][:2]
    ]
    kept = ("title", "workflow", "archetype", "verifier_pattern", "toolchain", "persona")
    return {
        **{key: spec[key] for key in kept},
        "name": session.name,
        "scenario": f"Somebody needs this: {spec['title']}",
        "world": "The files that the request names, with what tempts a careless solver.",
        "facts": ["the final figures"],
        "slips": slips,
        "levels": {level: f"What the knobs of {level} say." for level in next(iter(spec["knobs"].values()))},
    }


@cache
def turns(name: str) -> tuple[Turn, ...]:
    """Return everything that the author of a session says, in order."""
    session = sessions()[name]
    files = texts_of(session)
    for fault in session.faults:
        if files[fault.file].count(fault.right) != 1:
            raise OutOfStep(f"{name}: {fault.right!r} does not stand once in {fault.file}")
        files[fault.file] = files[fault.file].replace(fault.right, fault.wrong)
    verifier = [path for path in files if path.startswith(_VERIFIER)]
    answers = [path for path in files if path.startswith(("solutions/", "mistakes/"))]
    said = [
        Turn("", (("read_skill", {"path": "SKILL.md", "first": 1, "last": 60}),)),
        Turn("", (*(_write(path, files) for path in verifier), ("run_world", {}))),
        Turn("level ", (_write("tests/test_outputs.py", files),)),
        Turn("is written", (_write("instruction.md", files), ("freeze", {}))),
    ]
    early = [fault for fault in session.faults if fault.early]
    said += [Turn(fault.gate, (_mend(fault), ("freeze", {}))) for fault in early]
    said.append(Turn("frozen: from now on", (*(_write(path, files) for path in answers), ("submit", {}))))
    for fault in session.faults:
        if fault.error:
            quote = {"file": fault.file, "quote": fault.wrong.strip(), "error": fault.error}
            said.append(
                Turn(
                    fault.gate,
                    (("reopen", quote), _mend(fault), ("run_world", {}), ("freeze", {}), ("submit", {})),
                )
            )
        elif not fault.early:
            said.append(Turn(fault.gate, (_mend(fault), ("submit", {}))))
    return tuple(said)


def _write(path: str, files: dict[str, str]) -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": path, "text": files[path]}


def _mend(fault: Fault) -> tuple[str, dict[str, Any]]:
    return "replace", {"path": fault.file, "old": fault.wrong, "new": fault.right}


def texts_of(session: Session) -> dict[str, str]:
    """Return the texts that are written: those of the blueprint that is copied, without the line of its author."""
    texts = {path: node.data.decode("utf-8") for path, node in read_folder(session.folder).items()}
    texts["blueprint.yaml"] = re.sub(
        r"^author:.*\n(?: +.*\n)*", "", texts["blueprint.yaml"], flags=re.MULTILINE
    )
    return texts
