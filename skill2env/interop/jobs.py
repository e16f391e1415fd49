"""Trials of `harbor run`, read from a folder of jobs: result.json, lock.json, and the agent's trajectory (ATIF)."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from skill2env.interop.atif_read import Document, read_steps
from skill2env.models.chat import Tokens
from skill2env.models.tree import Tree
from skill2env.models.trial import ModelPart, Status, StepRecord, Timing, Trial, Turn, Verdict

MAX_BYTES = 64 << 20
"""Size of a file that is read; a bigger one is a fault."""
_NO_AGENTS = ("oracle", "nop")
"""Harbor's own agents, which solve nothing by themselves."""
_OWN_FOLDERS = ("agent", "verifier", "artifacts")
"""Folders that a trial has and a job has not."""
_FILES = ("task.toml", "instruction.md", "README.md")
_FOLDERS = ("environment", "tests", "solution")
_TRAJECTORY = "agent/trajectory.json"
_HOPS = 8
"""Links that lead to links are followed so often."""
_IGNORED = ("__pycache__", ".DS_Store")
_IGNORED_ENDS = (".pyc", ".swp", ".swo", "~")


ModelT = TypeVar("ModelT", bound=BaseModel)


class BadTrial(ValueError):
    """A trial's folder can't be read; the message says why."""


@dataclass(frozen=True)
class Ran:
    """One trial of a job."""

    task_name: str
    """Name of the task in its task.toml, without the part before the slash."""
    digest: str
    """Harbor's sha256 of the task's directory."""
    trial: Trial
    """The trial; its task ids are still empty."""


class _Lenient(BaseModel):
    """Harbor's own records grow from version to version: what is not needed here is not looked at."""


class _ModelInfo(_Lenient):
    name: str
    provider: str | None = None


class _AgentInfo(_Lenient):
    name: str
    version: str = ""
    model_info: _ModelInfo | None = None


class _AgentResult(_Lenient):
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None


class _VerifierResult(_Lenient):
    rewards: dict[str, float] | None = None


class _Raised(_Lenient):
    exception_type: str = ""
    exception_message: str = ""
    policy: dict[str, Any] = {}


class _Result(_Lenient):
    id: str
    task_name: str
    agent_info: _AgentInfo
    agent_result: _AgentResult | None = None
    verifier_result: _VerifierResult | None = None
    exception_info: _Raised | None = None
    reward_valid: bool | None = None


class _LockedTask(_Lenient):
    digest: str


class _Lock(_Lenient):
    task: _LockedTask


def trial_folders(folder: Path, depth: int = 2) -> Iterator[Path]:
    """Yield the folder of every trial in a folder of jobs, in a job, or in a trial, sorted.

    What is inside a trial's folder is never looked at: its agent has written there, and could have written other trials' results.
    """
    if (folder / "result.json").exists():
        own = any((folder / name).is_dir() for name in _OWN_FOLDERS)
        if own or not any(folder.glob("*/result.json")):
            yield folder
            return
    if depth:
        for child in sorted(folder.iterdir()):
            if child.is_dir() and not child.is_symlink():
                yield from trial_folders(child, depth - 1)


def read_trial(folder: Path) -> Ran | None:
    """Return a trial, or None where no agent of anybody acted in it.

    Raises:
        BadTrial: a file is missing, too big or malformed, or the trajectory is no valid ATIF document.
    """
    result = _parsed(folder, "result.json", _Result)
    if result.agent_info.name in _NO_AGENTS:
        return None
    lock = _parsed(folder, "lock.json", _Lock)
    there = os.path.lexists(folder / _TRAJECTORY)
    document = _parsed(folder, _TRAJECTORY, Document) if there else None
    try:
        steps, part = _acted(result, document)
    except ValueError as error:
        raise BadTrial(f"trajectory.json can't be used: {error}") from None
    agent = result.agent_info.name
    trial = Trial(
        task_id="",
        task_content_id="",
        agent=agent,
        role="external",
        perturbation="plain",
        steps=steps,
        outputs_sha256="",
        network="",
        verdict=_verdict(result),
        timing=Timing(),
        model=part,
    )
    return Ran(result.task_name.rpartition("/")[2], lock.task.digest.removeprefix("sha256:"), trial)


def harbor_digest(tree: Tree) -> str:
    """Return Harbor's content hash of a task directory: sha256 over sorted relative paths and file hashes.

    As of Harbor 0.26 (`harbor/publisher/packager.py`); modes and folders do not count, and a link counts as the file that it
    leads to, if that is in the directory.
    """
    digest = hashlib.sha256()
    for path in sorted(filter(_counts, tree)):
        data = _content(tree, path)
        if data is not None:
            digest.update(f"{path}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    return digest.hexdigest()


def _content(tree: Tree, path: str) -> bytes | None:
    for _ in range(_HOPS):
        node = tree.get(path)
        if node is None or node.kind != "link":
            break
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), node.data.decode()))
    return node.data if node is not None and node.kind == "file" else None


def _counts(path: str) -> bool:
    parts = PurePosixPath(path).parts
    if any(part in _IGNORED or part.endswith(_IGNORED_ENDS) for part in parts):
        return False
    return path in _FILES or (len(parts) > 1 and parts[0] in _FOLDERS)


def _parsed(folder: Path, name: str, kind: type[ModelT]) -> ModelT:
    file = name.rpartition("/")[2]
    try:
        return kind.model_validate(_plain(_read(folder, name)))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadTrial(f"{file} is not as it should be: {place}: {first['msg']}") from None
    except OSError as error:
        raise BadTrial(f"{file} can't be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadTrial):
            raise
        raise BadTrial(f"{file} is no JSON ({str(error)[:100]})") from None


def _read(folder: Path, name: str) -> bytes:
    """Return a regular file of a trial; no link is followed below its folder, where its agent has written as it liked.

    Raises:
        BadTrial: it is bigger than `MAX_BYTES`, or a pipe, a device or a socket.
        OSError: it is a link or lies in one, or can't be read.
    """
    parent, _, file = name.rpartition("/")
    no_link = os.O_NOFOLLOW if parent else 0
    place = os.open(folder / parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | no_link)
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    finally:
        os.close(place)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise BadTrial(f"{file} is no regular file")
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadTrial(f"{file} is bigger than {MAX_BYTES >> 20} MB")
    return data


def _plain(data: bytes) -> Any:
    """Return what a JSON text says, halves of characters replaced, as no file in UTF-8 can hold them."""
    value = json.loads(data)
    if b"\\ud" not in data.lower():
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _verdict(result: _Result) -> Verdict:
    """Return the reward where Harbor has a valid one; whatever else happened is no verdict."""
    raised = result.exception_info
    rewards = (result.verifier_result.rewards if result.verifier_result else None) or {}
    valid = result.reward_valid
    if valid is None:
        valid = raised is None or raised.policy.get("has_valid_reward") is True
    if not valid or "reward" not in rewards or not 0 <= rewards["reward"] <= 1:
        why = f"{raised.exception_type}: {raised.exception_message[:500]}" if raised else "no valid reward"
        return Verdict(status=Status.NO_VERDICT, reward=0, partial_reward=0, reason=why)
    reward = rewards["reward"]
    status = Status.PASS if reward == 1 else Status.FAIL
    return Verdict(status=status, reward=float(reward == 1), partial_reward=reward)


def _acted(result: _Result, document: Document | None) -> tuple[tuple[StepRecord, ...], ModelPart]:
    info = result.agent_info.model_info
    named = f"{info.provider}/{info.name}" if info and info.provider else info.name if info else ""
    known = document.agent.model_name if document else None
    read = read_steps(document) if document else None
    turns = read.turns if read else ()
    if sum((turn.tokens for turn in turns), Tokens()) == Tokens():
        turns = _total(result, turns)
    part = ModelPart(
        model=named or known or result.agent_info.name,
        condition="external",
        attempt=1,
        finish="unknown",
        turns=turns,
        messages=read.messages if read else (),
        source=result.id,
    )
    return (read.steps if read else ()), part


def _total(result: _Result, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return turns with the totals of the whole trial on the last, where the trajectory has no figures of its own."""
    used = result.agent_result
    if used is None:
        return turns
    tokens = Tokens(
        input=used.n_input_tokens or 0, cached=used.n_cache_tokens or 0, output=used.n_output_tokens or 0
    )
    free = tuple(turn.model_copy(update={"money": 0.0}) for turn in turns[:-1])
    return (*free, Turn(tokens=tokens, money=used.cost_usd))
