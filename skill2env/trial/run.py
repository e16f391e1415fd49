"""Runs one trial: start, agent, kill, collect, judge; and tells the agent's faults from the infrastructure's."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from skill2env.errors import EngineDown, EngineError, WorkspaceError, remedy
from skill2env.models.blueprint import Limits, Step
from skill2env.models.tree import Tree, merged, pack, tree_id, within
from skill2env.models.trial import Perturbation, Role, Timing, Trial, Verdict
from skill2env.sandbox.protocol import ContainerGone, Engine, Sandbox, SandboxSpec, TooMany
from skill2env.trial.act import Acted, Policy, Scripted, act, ended_early
from skill2env.trial.collect import Refused, bounded, collect
from skill2env.trial.judge import agent_fault

VERSION = "2"
"""Part of every trial's key; raise it when trials would come out otherwise than before."""

_RETRIES = 2
_HAND_OVER_SEC = 60
_BASE_ENV = (("HOME", "/root"), ("LANG", "C.UTF-8"), ("DEBIAN_FRONTEND", "noninteractive"))
_CLOCK = "/usr/$LIB/faketime/libfaketime.so.1"
"""The dynamic linker itself puts the machine's library folder in the place of `$LIB`."""


@dataclass(frozen=True)
class Place:
    """Where trials of one task happen."""

    task_id: str
    content_id: str
    image: str
    outputs: tuple[str, ...]
    limits: Limits
    record_changes: bool
    owned: tuple[str, ...] = ("/workspace",)
    """Paths that belong to the agent where it is not root."""
    images_own: dict[str, Tree] = field(default_factory=dict, compare=False)
    """Outputs as the image has them, by their path, as far as they were collected; they need not be collected again."""


@dataclass(frozen=True)
class Attempt:
    """One attempt: an agent, its steps, and the surroundings."""

    agent: str
    role: Role
    steps: tuple[Step, ...]
    around: Perturbation
    closely: bool = False
    """Keep the outputs as they are after each step, see which steps leave no trace, and measure what is used."""
    thinks: Thinks | None = None
    """Where the steps come from, if not from a script; `steps` is empty then."""


@dataclass(frozen=True)
class Thinks:
    """A model's part of an attempt."""

    policy: Callable[[], Policy]
    """Makes the source of the steps, anew for each try."""
    asked: str
    """Content id of all that the model is told and allowed, so that another one is another attempt."""
    seconds: float
    """Longest wall time that it may spend thinking; the container waits for it."""
    files: Tree = field(default_factory=dict)
    """What is put into the container before the agent begins, by path relative to the root."""
    keep_outputs: bool = False
    """Keep what it leaves, to be looked at again; whoever asks for the same attempt must ask for this alike."""


@dataclass(frozen=True)
class Attempted:
    """A trial, and the outputs that it left, by path relative to the root."""

    trial: Trial
    outputs: Tree
    prefixes: tuple[Tree | None, ...] = ()
    """The outputs after each step but the last, where they were kept; None where they were refused."""


class Verdicts(Protocol):
    """Whoever judges outputs."""

    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        """Return the verdict, and the seconds that the tests took; raises EngineError where the infrastructure failed."""


@dataclass
class _State:
    """What is known of an attempt while it goes on."""

    policy: Policy
    acted: Acted = field(default_factory=Acted)
    judging: bool = False
    """Its container is gone; what fails now is none of its doing."""
    changed: tuple[str, ...] | None = None
    prefixes: list[Tree | None] = field(default_factory=list)


def run_trial(engine: Engine, place: Place, judge: Verdicts, attempt: Attempt) -> Attempted:
    """Run one attempt and return it with the verifier's verdict and its outputs.

    What the engine fails at is tried again. Where it fails at the same agent's container each time, while it and its
    sentinel live, the agent has made it so, and earns 0. Only somebody outside can remove a container: that is no fault of
    the agent's.

    Raises:
        EngineError: the infrastructure failed three times.
        WorkspaceError: there is no room for the outputs. Whatever a model's policy raises goes through, at once.
    """
    blamed = 0
    for turn in range(_RETRIES + 1):
        state = _State(attempt.thinks.policy() if attempt.thinks else Scripted(attempt.steps))
        try:
            return _attempt(engine, place, judge, attempt, state)
        except EngineError as error:
            blamed += (
                state.acted.began
                and not state.judging
                and not isinstance(error, (EngineDown, ContainerGone))
                and engine.alive()
            )
            if turn == _RETRIES and blamed <= _RETRIES:
                raise
            reason = f"the agent's container broke each time: {error}"
        time.sleep(0.2 * (turn + 1))
    timing = Timing(agent=state.acted.seconds)
    return Attempted(_trial(place, attempt, state, {}, agent_fault(reason), timing), {})


def _attempt(engine: Engine, place: Place, judge: Verdicts, attempt: Attempt, state: _State) -> Attempted:
    began = time.monotonic()
    acted = state.acted
    outputs: Tree = {}
    with engine.sandbox(_spec(place, attempt)) as sandbox:
        _let_loose(engine, sandbox, place, attempt, state)
        sandbox.kill()
        if not acted.fault:
            outputs = _outputs(sandbox, place, acted)
        if place.record_changes:
            state.changed = _changes(sandbox, acted, attempt.thinks.files if attempt.thinks else {})
    state.judging = True
    container_sec = time.monotonic() - began - acted.seconds
    judged = time.monotonic()
    verdict, tests_sec = (agent_fault(acted.fault), 0.0) if acted.fault else judge.verdict(outputs)
    judge_sec = time.monotonic() - judged
    timing = Timing(container=container_sec, agent=acted.seconds, judge=judge_sec, tests=tests_sec)
    return Attempted(_trial(place, attempt, state, outputs, verdict, timing), outputs, tuple(state.prefixes))


def _trial(
    place: Place, attempt: Attempt, state: _State, outputs: Tree, verdict: Verdict, timing: Timing
) -> Trial:
    acted = state.acted
    prefixes = tuple("" if tree is None else tree_id(tree) for tree in state.prefixes)
    return Trial(
        task_id=place.task_id,
        task_content_id=place.content_id,
        agent=attempt.agent,
        role=attempt.role,
        perturbation=attempt.around.name,
        steps=tuple(acted.steps),
        changed_paths=state.changed,
        outputs_sha256=tree_id(outputs),
        prefixes=prefixes if attempt.closely else None,
        idle_steps=tuple(acted.idle) if attempt.closely else None,
        usage=acted.usage() if attempt.closely else None,
        network=acted.network,
        verdict=verdict,
        timing=timing,
        model=state.policy.account(),
    )


def _spec(place: Place, attempt: Attempt) -> SandboxSpec:
    limits, around = place.limits, attempt.around
    clock: tuple[tuple[str, str], ...] = ()
    if around.clock_days:
        clock = (
            ("LD_PRELOAD", _CLOCK),
            ("FAKETIME", f"+{around.clock_days}d"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("NO_FAKE_STAT", "1"),
        )
    return SandboxSpec(
        place.image,
        "trial",
        f"{place.task_id}/{attempt.agent}",
        limits.agent_sec + (attempt.thinks.seconds if attempt.thinks else 0),
        memory_mb=limits.memory_mb,
        cpus=limits.cpus * around.cpu_share,
        pids=limits.pids,
        env=(*_BASE_ENV, *around.env, *clock),
        hostname=around.hostname,
        one_cpu=around.one_cpu,
        privileges=("CHOWN",) if around.uid else (),
    )


def _let_loose(engine: Engine, sandbox: Sandbox, place: Place, attempt: Attempt, state: _State) -> None:
    """Run the steps; note the first fault of the agent."""
    acted, around = state.acted, attempt.around
    if around.uid:
        _hand_over(sandbox, place.owned, around.uid)
    after: Callable[[int], None] | None = None
    if attempt.closely:
        after = lambda _: state.prefixes.append(_prefix(sandbox, place))  # noqa: E731
    if attempt.thinks and attempt.thinks.files:
        sandbox.put("/", pack(attempt.thinks.files))
    lives = act(sandbox, state.policy, place.limits.agent_sec, acted, around.uid, around.umask, after)
    if not acted.fault and ended_early(sandbox, lives):
        if not engine.alive():
            raise EngineError("the container and its engine went away in mid-trial")
        acted.fault = "the agent's container ended before the agent did"


def _hand_over(sandbox: Sandbox, paths: tuple[str, ...], uid: int) -> None:
    """Give the world to a user, as if it had been made for them.

    Raises:
        EngineError: that takes too long.
    """
    script = f'chown {uid}:{uid} "$@" 2>/dev/null; chown -R {uid}:{uid} /root "$@" 2>/dev/null; echo done'
    stream = sandbox.exec(("sh", "-c", script, "sh", *paths))
    try:
        while stream.receive(_HAND_OVER_SEC):
            pass
    except TimeoutError:
        raise EngineError("the world can't be handed over to another user in time") from None
    finally:
        stream.close()


def _changes(sandbox: Sandbox, acted: Acted, given: Tree) -> tuple[str, ...] | None:
    """Return what the agent has changed; what was put there for it to read, and the folders of that, is none of its doing."""
    ours = {f"/{path[:end]}" for path in given for end in (*_ends(path), len(path))}
    try:
        return tuple(path for path in sandbox.changes() if path not in ours)
    except TooMany as many:
        acted.fault = acted.fault or f"the agent did too much: {many}"
        return None


def _ends(path: str) -> Iterator[int]:
    """Yield where the folders of a path end."""
    return (at for at, letter in enumerate(path) if letter == "/")


def _prefix(sandbox: Sandbox, place: Place) -> Tree | None:
    acted = Acted()
    tree = _outputs(sandbox, place, acted)
    return None if acted.fault else tree


def _folder() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="skill2env-outputs-"))
    except OSError as error:
        raise WorkspaceError(
            f"no folder for outputs can be made ({error}); {remedy(error)}, or name another folder with TMPDIR, and run again"
        ) from error


def _outputs(sandbox: Sandbox, place: Place, acted: Acted) -> Tree:
    """Return the declared outputs; what no agent has touched is collected once for all trials of an image."""
    untouched = [output for output in place.outputs if sandbox.untouched(output)]
    known = [output for output in untouched if output in place.images_own]
    folder = _folder()
    try:
        wanted = tuple(output for output in place.outputs if output not in known)
        tree = collect(sandbox, wanted, folder).tree()
        for output in set(untouched) - set(known):
            place.images_own[output] = within(tree, output)
        return bounded(merged([tree, *(place.images_own[output] for output in known)]))
    except Refused as refused:
        acted.fault = f"the outputs were refused: {refused}"
        return {}
    except OSError as error:
        raise WorkspaceError(
            f"{folder}: the outputs can't be written ({error.strerror}); {remedy(error)} and run again"
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
