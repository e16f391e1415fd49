"""The driver's side of the judge, against programs that answer as a judge should and as it should not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skill2env.errors import EngineError
from skill2env.models.trial import Status, Verdict
from skill2env.sandbox.fake import FakeEngine, FakeStream
from skill2env.sandbox.protocol import SandboxSpec
from skill2env.trial import judge as module
from skill2env.trial.judge import Judge

READY = 'say({"ready": True})'
GOOD = '{"nonce": nonce, "status": "pass", "reward": 1.0, "partial_reward": 1.0, "tests_sec": 0.1}'
PROGRAM = """
import json, sys
source = sys.stdin.buffer
source.read(int.from_bytes(source.read(8), "big"))
def say(answer):
    sys.stdout.write((answer if isinstance(answer, str) else json.dumps(answer)) + "\\n")
    sys.stdout.flush()
"""
LOOP = """
while line := source.readline():
    request = json.loads(line)
    nonce = request["nonce"]
    source.read(request["bytes"])
"""


class Answering(FakeEngine):
    """Runs one local program after the other in the judge's place; the last one stays."""

    def __init__(self, *programs: str) -> None:
        super().__init__()
        self._programs = list(programs)

    @contextmanager
    def pipe(self, spec: SandboxSpec, argv: tuple[str, ...]) -> Iterator[FakeStream]:
        program = self._programs.pop(0) if len(self._programs) > 1 else self._programs[0]
        with super().pipe(spec, (sys.executable, "-c", PROGRAM + program)) as stream:
            yield stream


def judge_of(*programs: str, timeout_sec: float = 5) -> tuple[Judge, Answering]:
    engine = Answering(*programs)
    return Judge(engine, "image", "task", {}, timeout_sec), engine


def verdict(judge: Judge, folder: Path) -> Verdict:
    try:
        return judge.verdict({})[0]
    finally:
        judge.close()


def answering(answer: str) -> str:
    return f"{READY}\n{LOOP}    say({answer})\n"


def test_a_well_formed_verdict_is_believed(tmp_path: Path) -> None:
    judge, engine = judge_of(answering(GOOD))
    assert verdict(judge, tmp_path) == Verdict(status=Status.PASS, reward=1, partial_reward=1)
    assert len(engine.started) == 1


@pytest.mark.parametrize(
    "answer",
    [
        GOOD.replace("nonce,", '"0" * 32,'),
        GOOD.replace('"nonce": nonce, ', ""),
        GOOD.replace('"pass"', '"fail"'),
        GOOD.replace('"pass"', '"agent_fault"'),
        GOOD.replace('"pass"', '"no_verdict"'),
        GOOD.replace('"reward": 1.0', '"reward": 0.0'),
        GOOD.replace('"reward": 1.0', '"reward": 2.0'),
        GOOD.replace('"reward": 1.0', '"reward": float("nan")'),
        GOOD.replace('"reward": 1.0', '"reward": "yes"'),
        GOOD.replace('"tests_sec": 0.1', '"tests_sec": []'),
        GOOD.replace('"tests_sec"', '"extra"'),
        '"pass"',
        '"[1]"',
        '"[" * 100000',
    ],
)
def test_anything_else_is_no_pass(tmp_path: Path, answer: str) -> None:
    judge, engine = judge_of(answering(answer))
    found = verdict(judge, tmp_path)
    assert (found.status, found.reward) == (Status.AGENT_FAULT, 0)
    assert len(engine.started) == 2


def test_silence_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ANSWER_GRACE_SEC", 0)
    judge, _ = judge_of(f"{READY}\n{LOOP}", timeout_sec=0.5)
    assert verdict(judge, tmp_path).reason == "the outputs broke the judge: no answer came in time"


def test_a_judge_that_breaks_once_is_asked_again(tmp_path: Path) -> None:
    judge, engine = judge_of(READY, answering(GOOD))
    assert verdict(judge, tmp_path).status is Status.PASS
    assert len(engine.started) == 2


def test_a_judge_that_never_stands_is_no_fault_of_the_outputs(tmp_path: Path) -> None:
    for program in ("", "say({'ready': 'no'})", "say({'nonce': 1})", "say('x')"):
        judge, _ = judge_of(program)
        with pytest.raises(EngineError, match="does not start"):
            verdict(judge, tmp_path)


def test_a_judge_that_dies_with_its_engine_is_no_fault_of_the_outputs(tmp_path: Path) -> None:
    judge, engine = judge_of(READY)
    engine.alive = lambda: False  # type: ignore[method-assign]
    with pytest.raises(EngineError, match="no verdict on task"):
        verdict(judge, tmp_path)


def test_the_judge_serves_set_after_set(tmp_path: Path) -> None:
    judge, engine = judge_of(answering(GOOD))
    assert [judge.verdict({})[0].reward for _ in range(5)] == [1.0] * 5
    judge.close()
    assert len(engine.started) == 1


def test_a_judge_has_what_it_needs_and_no_more() -> None:
    judge, engine = judge_of(answering(GOOD))
    judge.verdict({})
    judge.close()
    spec = engine.started[0]
    assert spec.read_only
    assert set(spec.privileges) == {"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"}
    assert "mode=700" in dict(spec.tmpfs)["/tests"]
    assert all("nosuid" in options and "nodev" in options for _, options in spec.tmpfs)
