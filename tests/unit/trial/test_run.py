"""Whose fault it is when a container breaks, told by an engine that can be broken at will."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from skill2env.errors import EngineDown, EngineError, WorkspaceError
from skill2env.models.blueprint import Limits, Step
from skill2env.models.tree import Tree
from skill2env.models.trial import Status, Trial, Verdict
from skill2env.sandbox.fake import FakeEngine, FakeSandbox
from skill2env.sandbox.protocol import ContainerGone, SandboxSpec
from skill2env.trial import act, run
from skill2env.trial.perturbation import PLAIN

LIMITS = Limits(agent_sec=5, verifier_sec=5, memory_mb=64, cpus=1)
PLACE = run.Place("task", "id", "image", ("/workspace/a.txt", "/workspace/b"), LIMITS, record_changes=False)
PASS = Verdict(status=Status.PASS, reward=1, partial_reward=1)


class Judging:
    """A judge that passes what it is given, unless it is told to fail first."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.seen: list[Tree] = []

    def verdict(self, outputs: Tree) -> tuple[Verdict, float]:
        if self.failures > 0:
            self.failures -= 1
            raise EngineError("the judge can't be started")
        self.seen.append(outputs)
        return PASS, 0.1


class Breaking(FakeEngine):
    """An engine whose sandboxes fail at what `when` names."""

    def __init__(self, when: str, error: Callable[[], Exception], takes_engine_down: bool = False) -> None:
        super().__init__()
        self._when, self._error, self._down = when, error, takes_engine_down

    @contextmanager
    def sandbox(self, spec: SandboxSpec) -> Iterator[FakeSandbox]:
        with super().sandbox(spec) as sandbox:

            def broken(*_: object) -> Any:
                self.up = self.up and not self._down
                raise self._error()

            setattr(sandbox, self._when, broken)
            yield sandbox


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.time, "sleep", lambda _: None)
    monkeypatch.setattr(act, "_DYING_SEC", 0)


def attempt(engine: FakeEngine, judge: Judging, *commands: str, place: run.Place = PLACE) -> Trial:
    steps = tuple(Step(why="because", command=command) for command in commands)
    return run.run_trial(engine, place, judge, run.Attempt("agent", "reference", steps, PLAIN)).trial


def test_outputs_go_to_the_judge_by_their_paths() -> None:
    judge = Judging()
    trial = attempt(
        FakeEngine(), judge, "echo 1 > a.txt; mkdir -p b/c; echo 2 > b/c/d; echo 3 > not-declared"
    )
    assert trial.verdict == PASS
    assert sorted(judge.seen[0]) == ["workspace/a.txt", "workspace/b", "workspace/b/c", "workspace/b/c/d"]


def test_an_engine_that_goes_down_in_mid_trial_is_an_error_after_retries() -> None:
    engine = Breaking("kill", lambda: EngineError("gone"), takes_engine_down=True)
    with pytest.raises(EngineError):
        attempt(engine, Judging(), "echo 1 > a.txt")
    assert len(engine.started) == 3


def test_a_container_that_ends_with_its_engine_is_an_error() -> None:
    class Dying(FakeEngine):
        @contextmanager
        def sandbox(self, spec: SandboxSpec) -> Iterator[FakeSandbox]:
            with super().sandbox(spec) as sandbox:
                sandbox.running = lambda: False  # type: ignore[method-assign]
                self.up = True
                yield sandbox

        def alive(self) -> bool:
            return False

    with pytest.raises(EngineError, match="went away in mid-trial"):
        attempt(Dying(), Judging(), "exit 1")


def test_a_container_that_ends_while_its_engine_lives_is_the_agents_fault() -> None:
    class Ending(FakeEngine):
        @contextmanager
        def sandbox(self, spec: SandboxSpec) -> Iterator[FakeSandbox]:
            with super().sandbox(spec) as sandbox:
                sandbox.running = lambda: False  # type: ignore[method-assign]
                yield sandbox

    trial = attempt(Ending(), Judging(), "echo 1 > a.txt")
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0)


@pytest.mark.parametrize("when", ["kind", "kill", "get"])
def test_a_container_that_always_breaks_after_the_agent_acted_is_the_agents_fault(when: str) -> None:
    engine = Breaking(when, lambda: EngineError("too many levels of symbolic links"))
    trial = attempt(engine, Judging(), "echo 1 > a.txt")
    assert (trial.verdict.status, trial.verdict.reward) == (Status.AGENT_FAULT, 0)
    assert trial.verdict.reason == "the agent's container broke each time: too many levels of symbolic links"
    assert [step.command for step in trial.steps] == ["echo 1 > a.txt"]
    assert len(engine.started) == 3


def test_an_engine_that_answers_nothing_is_never_the_agents_fault() -> None:
    engine = Breaking("kind", lambda: EngineDown("gone"))
    with pytest.raises(EngineDown):
        attempt(engine, Judging(), "echo 1 > a.txt")


@pytest.mark.parametrize("when", ["kind", "kill", "get", "running"])
def test_a_container_that_somebody_removes_is_never_the_agents_fault(when: str) -> None:
    engine = Breaking(when, lambda: ContainerGone("removed from outside"))
    with pytest.raises(EngineError, match="removed from outside"):
        attempt(engine, Judging(), "echo 1 > a.txt")
    assert len(engine.started) == 3


def test_a_removed_container_is_forgiven_twice() -> None:
    class Removed(Breaking):
        @contextmanager
        def sandbox(self, spec: SandboxSpec) -> Iterator[FakeSandbox]:
            if len(self.started) < 2:
                with super().sandbox(spec) as sandbox:
                    yield sandbox
            else:
                with FakeEngine.sandbox(self, spec) as sandbox:
                    yield sandbox

    engine = Removed("get", lambda: ContainerGone("removed"))
    assert attempt(engine, Judging(), "echo 1 > a.txt").verdict == PASS
    assert len(engine.started) == 3


def test_no_room_for_outputs_is_the_workspaces_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.mkdtemp

    def full(prefix: str) -> str:
        if prefix == "skill2env-outputs-":
            raise FileNotFoundError(2, "No usable temporary directory found")
        return make(prefix=prefix)

    monkeypatch.setattr(run.tempfile, "mkdtemp", full)
    with pytest.raises(WorkspaceError, match="no folder for outputs can be made"):
        attempt(FakeEngine(), Judging(), "echo 1 > a.txt")


def test_a_container_that_breaks_before_the_agent_acts_is_an_error() -> None:
    engine = Breaking("exec", lambda: EngineError("no such image"))
    with pytest.raises(EngineError, match="no such image"):
        attempt(engine, Judging(), "echo 1 > a.txt")


def test_two_failures_to_start_are_forgiven_and_three_are_not() -> None:
    engine = FakeEngine()
    engine.breaks = 2
    assert attempt(engine, Judging(), "echo 1 > a.txt").verdict == PASS
    engine.breaks = 3
    with pytest.raises(EngineError, match="can't be started"):
        attempt(engine, Judging(), "echo 1 > a.txt")


def test_a_judge_that_fails_is_never_the_agents_fault() -> None:
    assert attempt(FakeEngine(), Judging(failures=2), "echo 1 > a.txt").verdict == PASS
    with pytest.raises(EngineError, match="judge"):
        attempt(FakeEngine(), Judging(failures=3), "echo 1 > a.txt")


def test_refused_outputs_are_not_judged() -> None:
    judge = Judging()
    trial = attempt(FakeEngine(), judge, "ln -s /etc/passwd a.txt")
    assert trial.verdict.status is Status.AGENT_FAULT
    assert trial.verdict.reason == "the outputs were refused: /workspace/a.txt is no regular file or folder"
    assert judge.seen == []


def test_a_link_on_the_way_is_refused() -> None:
    place = run.Place("task", "id", "image", ("/workspace/out/deep/a.txt",), LIMITS, record_changes=False)
    trial = attempt(
        FakeEngine(),
        Judging(),
        "mkdir real; echo 1 > real/a.txt; mkdir out; ln -s ../real out/deep",
        place=place,
    )
    assert trial.verdict.reason == (
        "the outputs were refused: /workspace/out/deep, on the way to /workspace/out/deep/a.txt, is no folder"
    )


def test_running_out_of_time_stops_the_steps() -> None:
    place = run.Place("task", "id", "image", (), LIMITS, record_changes=True)
    trial = attempt(FakeEngine(), Judging(), "true", "sleep 100", "echo never", place=place)
    assert [step.exit_code for step in trial.steps] == [0, None]
    assert trial.verdict.reason == "the agent ran out of its 5 s"
    assert trial.timing.agent < 8
