"""A real model attempts a task in a real container. It solves nothing: that its attempt is whole, bounded and judged is asserted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from absent import absent
from integration import made
from small_model.model_setup import Missing, serving, set_up

from skill2env.llm.client import Client
from skill2env.models.trial import Status
from skill2env.params import LlmParams
from skill2env.sandbox.docker import DockerEngine
from skill2env.store.results import ResultStore
from skill2env.trial.agent import Bounds, Shelled, Told
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Thinks, run_trial
from skill2env.trial.telling import opening

pytestmark = [pytest.mark.slow, pytest.mark.docker]
MODEL = "local/smollm2-135m"
BOUNDS = Bounds(
    max_turns=3, max_tokens=6000, max_model_sec=120, output_chars=300, max_turn_tokens=64, temperature=0
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of the model; that it can't be had is a failure in CI."""
    try:
        set_up()
        with serving() as address:
            endpoint = {
                "protocol": "openai",
                "url": f"{address}/v1",
                "concurrency": 1,
                "tries": 1,
                "total_sec": 60,
            }
            params = {"endpoints": {"local": endpoint}, "prices": {MODEL: {"input": 0, "output": 0}}}
            store = ResultStore(tmp_path_factory.mktemp("rollout") / "results.sqlite")
            with Client(LlmParams.model_validate(params), store, Path(), environ={}) as client:
                yield client
            store.close()
    except Missing as missing:
        absent(str(missing))


def test_a_whole_attempt_is_bounded_recorded_and_judged(
    client: Client, docker_engine: DockerEngine, shell_image: str, judge_image: str
) -> None:
    told = Told(MODEL, "bare", 1, opening("Write the numbers 1 to 3 to /workspace/n.txt.", "bare", None))
    thinks = Thinks(lambda: Shelled(client, told, BOUNDS), "asked", BOUNDS.container_sec)
    with made.judge_of(docker_engine, judge_image) as judge:
        attempt = Attempt(MODEL, "model", (), PLAIN, thinks=thinks)
        trial = run_trial(docker_engine, made.place(shell_image), judge, attempt).trial
    part = trial.model
    assert part is not None
    print([(message.role, message.text, message.calls) for message in part.messages[2:]], part.finish)
    assert 1 <= len(part.turns) <= 3
    assert part.finish in ("done", "turns", "tokens", "refused", "stopped")
    assert part.tokens.input > 100 and 0 < part.tokens.output <= 3 * 64
    assert sum(message.role == "assistant" for message in part.messages) == len(part.turns)
    assert len(trial.steps) <= sum(len(message.calls) for message in part.messages)
    assert (trial.verdict.status in (Status.FAIL, Status.AGENT_FAULT), trial.verdict.reward) == (True, 0)
