"""The driver's side of the judge: one container without network for the sets of outputs of one task."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pydantic import ValidationError

from skill2env.errors import EngineError
from skill2env.models.tree import Tree, pack
from skill2env.models.trial import Perturbation, Status, Verdict
from skill2env.sandbox.protocol import Engine, SandboxSpec
from skill2env.trial.dialogue import Dialogue, Silence, boot
from skill2env.trial.perturbation import PLAIN

PYTHON = ("/opt/verifier/bin/python", "-P", "-s", "-B")
"""Isolated as by -I, but for the environment, which is the driver's own and decides in what order sets are told."""
_ENV = {"PYTHONHASHSEED": "0"}
PRIVILEGES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
"""What changing the user, killing its processes and clearing up after them needs (docs/security.md)."""
MEMORY_MB = 1536
PIDS = 256
_TMPFS = (
    *((path, "rw,exec,nosuid,nodev,size=256m,mode=755") for path in ("/outputs", "/scratch")),
    ("/tests", "rw,noexec,nosuid,nodev,size=256m,mode=700"),
    ("/tmp", "rw,exec,nosuid,nodev,size=64m,mode=1777"),
    ("/var/tmp", "rw,nosuid,nodev,size=16m,mode=1777"),
)
_DEADLINE_SEC = 3600
_START_SEC = 120
_ANSWER_GRACE_SEC = 30
"""More than the judge needs to kill what was delivered and to find out who broke the tests."""


def agent_fault(reason: str) -> Verdict:
    """Return the verdict on a failure that the agent brought about: reward 0."""
    return Verdict(status=Status.AGENT_FAULT, reward=0, partial_reward=0, reason=reason)


class Judge:
    """Judges sets of outputs of one task, one after the other.

    Between two sets, every process of the delivered programs' user is dead and every place that it can write to is empty,
    so one container serves many sets. If a set breaks the judge, it is judged once more in a container of its own: what
    breaks that one too, while the engine lives, is the agent's fault.
    """

    def __init__(
        self,
        engine: Engine,
        image: str,
        task_id: str,
        tests: Tree,
        timeout_sec: float,
        around: Perturbation = PLAIN,
    ) -> None:
        """Prepare; containers are started when they are needed."""
        self._around = around
        self._engine = engine
        self._image = image
        self._task_id = task_id
        self._tests = tests
        self._timeout = timeout_sec
        self._open: _OpenJudge | None = None
        self.container_sec = 0.0
        """Wall seconds spent in starting and removing the judge's containers."""

    def verdict(self, outputs: Tree, fail_fast: bool = False) -> tuple[Verdict, float]:
        """Return the verdict on one set of outputs, and the seconds that its tests took.

        With `fail_fast` the first failed test ends the judgement: enough where only a pass is asked for.

        Raises:
            EngineError: the infrastructure failed.
        """
        archive = pack(outputs)
        for _ in range(2):
            opened = self._open = self._open or self._start()
            try:
                return opened.ask(archive, self._timeout, fail_fast)
            except (Silence, EngineError) as failure:
                self.close()
                if not self._engine.alive():
                    raise EngineError(f"no verdict on {self._task_id}: {failure}") from failure
                reason = f"the outputs broke the judge: {failure}"
        return agent_fault(reason), 0.0

    def close(self) -> None:
        """Remove the container."""
        if self._open is not None:
            began = time.monotonic()
            self._open.close()
            self._open = None
            self.container_sec += time.monotonic() - began

    def _start(self) -> _OpenJudge:
        began = time.monotonic()
        opened = _OpenJudge(self._engine, self._image, self._task_id, self._tests, self._around)
        self.container_sec += time.monotonic() - began
        return opened


class _OpenJudge:
    """A running judge container."""

    def __init__(self, engine: Engine, image: str, task_id: str, tests: Tree, around: Perturbation) -> None:
        spec = SandboxSpec(
            image,
            "judge",
            task_id,
            _DEADLINE_SEC,
            memory_mb=MEMORY_MB,
            cpus=around.cpu_share,
            pids=PIDS,
            env=tuple({**_ENV, **dict(around.env)}.items()),
            hostname=around.hostname,
            one_cpu=around.one_cpu,
            privileges=PRIVILEGES,
            read_only=True,
            tmpfs=_TMPFS,
        )
        with ExitStack() as stack:
            stream = stack.enter_context(engine.pipe(spec, (*PYTHON, "-c", boot("/tests", "verifier.judge"))))
            try:
                self._dialogue = Dialogue(stream, tests)
                ready = self._dialogue.line(_START_SEC)
            except Silence as silence:
                raise EngineError(f"the judge of {task_id} does not start: {silence}") from silence
            if ready != {"ready": True}:
                raise EngineError(f"the judge of {task_id} does not start as it should")
            self._stack = stack.pop_all()

    def ask(self, archive: bytes, timeout: float, fail_fast: bool) -> tuple[Verdict, float]:
        nonce = secrets.token_hex(16)
        asked = {"nonce": nonce, "bytes": len(archive), "timeout_sec": timeout, "fail_fast": fail_fast}
        self._dialogue.send(asked, archive)
        answer = self._dialogue.line(timeout + _ANSWER_GRACE_SEC)
        if answer.pop("nonce", None) != nonce:
            raise Silence("the verdict has not the nonce that it was asked with")
        try:
            tests_sec = float(answer.pop("tests_sec", 0.0))
            verdict = Verdict.model_validate(answer)
        except (ValidationError, TypeError, ValueError):
            raise Silence("the verdict is malformed") from None
        if (verdict.reward, verdict.status is Status.PASS) not in ((0.0, False), (1.0, True)):
            raise Silence(f"the verdict gives {verdict.reward} for {verdict.status}")
        return verdict, tests_sec

    def close(self) -> None:
        self._stack.close()


@contextmanager
def judging(
    engine: Engine,
    image: str,
    task_id: str,
    tests: Tree,
    timeout_sec: float,
    around: Perturbation = PLAIN,
) -> Iterator[Judge]:
    """Give a judge for one task; its container is removed at the end of the block."""
    judge = Judge(engine, image, task_id, tests, timeout_sec, around)
    try:
        yield judge
    finally:
        judge.close()
