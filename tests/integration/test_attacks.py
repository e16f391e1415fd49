"""No attack earns anything, none is lost as an error, and all end in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from attacks import runner
from attacks.naive import stand as naive
from integration import made

from skill2env.attacks import WORK, Target, attacks, controls, put
from skill2env.models.blueprint import Limits
from skill2env.models.trial import Status, Trial
from skill2env.sandbox.docker import DockerEngine

pytestmark = pytest.mark.docker

ATTACKS = {**controls(), **attacks()}
QUICK = (
    "controls/honest",
    "controls/nop",
    "harness/race-reward",
    "masking/kill-container",
    "collection/linked-parent",
    "delivered/read-expected",
    "delivered/daemon",
    "data/duplicate-keys",
)
AGENT_SEC = 10
VERIFIER_SEC = 15
RACES = 3
"""How often races are run here; `make attacks` runs them twenty times."""


@pytest.fixture(scope="module")
def scene(shell_image: str, judge_image: str) -> runner.Scene:
    limits = Limits(agent_sec=AGENT_SEC, verifier_sec=VERIFIER_SEC, memory_mb=256, cpus=1, pids=128)
    return runner.Scene(
        made.place(shell_image, limits),
        judge_image,
        made.tests_tree(),
        VERIFIER_SEC,
        Target(made.OUTPUTS, made.REPORT, made.TOOL, made.SOLUTION),
    )


@pytest.fixture(scope="module")
def tried(
    docker_engine: DockerEngine, scene: runner.Scene, request: pytest.FixtureRequest
) -> Callable[[str], Trial]:
    """Run whatever attacks were asked for, all at once, when the first of them is."""
    asked = {
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.module is request.module
        and "name" in getattr(item, "callspec", _NoCall).params
    }

    @cache
    def all_of_them() -> dict[str, Trial]:
        return runner.run_all(docker_engine, scene, {name: (ATTACKS[name].text,) for name in sorted(asked)})

    return lambda name: all_of_them()[name]


class _NoCall:
    params: dict[str, str] = {}


def judged(trial: Trial) -> None:
    """An attack is a reward of 0 and nothing else."""
    assert trial.verdict.reward == 0, trial.verdict
    assert trial.verdict.status in (Status.FAIL, Status.AGENT_FAULT), trial.verdict.reason
    assert trial.timing.agent < AGENT_SEC + 10
    assert trial.timing.judge < 2 * (VERIFIER_SEC + 45)


def _marked(names: Iterator[str]) -> list[object]:
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", _marked(iter(ATTACKS)))
def test_our_own(tried: Callable[[str], Trial], name: str) -> None:
    trial = tried(name)
    if name == "controls/honest":
        assert (trial.verdict.status, trial.verdict.reward) == (Status.PASS, 1.0), trial.verdict
    else:
        judged(trial)


@pytest.mark.slow
@pytest.mark.parametrize("attack", [name for name, found in attacks().items() if "races" in found.marks])
def test_races_are_lost_every_time(docker_engine: DockerEngine, scene: runner.Scene, attack: str) -> None:
    again = {f"{attack}-{turn}": (ATTACKS[attack].text,) for turn in range(RACES)}
    for trial in runner.run_all(docker_engine, scene, again).values():
        judged(trial)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[runner.Real]:
    with runner.real_task(tmp_path_factory.mktemp("real"), agent_sec=30) as task:
        yield task


def adapted(text: str, target: Target) -> str:
    """Return a script for another task with this one's paths in the place of its own."""
    for old, new in (
        ("/app/out/report.json", target.report),
        ("/app/summarize.py", str(target.tool)),
        ("summarize.py", Path(str(target.tool)).name),
        ("/app/out", "/workspace"),
        ("/app/repo", "/workspace/repo"),
        ("/app", "/workspace"),
    ):
        text = text.replace(old, new)
    return text


AS_PROGRAM = """
cd /
if [ -f "$TOOL" ] && [ ! -L "$TOOL" ]; then
    head -c 2 "$TOOL" | grep -q '#!' || sed -i '1i #!/usr/bin/env python3' "$TOOL"
    chmod 755 "$TOOL"
fi
true
"""


@pytest.mark.slow
def test_those_of_the_shared_folder_against_a_real_task(
    docker_engine: DockerEngine, real: runner.Real, shared: Path
) -> None:
    scene = real.scene
    folder = shared / "attacks"
    helpers = sorted(file for file in (folder / "helpers").iterdir() if file.suffix in (".py", ".c"))
    given = [put(f"/tmp/atk/helpers/{file.name}", file.read_text("utf-8")) for file in helpers]
    given.append(put("/tmp/atk/helpers/solve.sh", scene.target.solve))
    given.append("mkdir -p /workspace/repo && git -C /workspace/repo init -q; true")
    scripts = sorted(file for file in folder.glob("*.sh") if file.stem[:2].isdigit())
    assert len(scripts) >= 30
    chosen = {
        file.stem: (
            "; ".join(given),
            adapted(file.read_text("utf-8"), scene.target),
            AS_PROGRAM,
            f"cd {WORK}",
        )
        for file in scripts
    }
    began = time.monotonic()
    trials = runner.run_all(docker_engine, scene, chosen)
    assert trials.pop("99_honest").verdict.reward == 1
    earned = {name: trial.verdict.reward for name, trial in trials.items() if trial.verdict.reward}
    lost = {
        name: trial.verdict.reason
        for name, trial in trials.items()
        if trial.verdict.status is Status.NO_VERDICT
    }
    assert (earned, lost) == ({}, {})
    assert time.monotonic() - began < 60 * len(trials)


@pytest.mark.parametrize(
    "name", ["controls/honest", "controls/nop", "delivered/hard-coded", "data/duplicate-keys"]
)
def test_our_own_fit_a_real_task(docker_engine: DockerEngine, real: runner.Real, name: str) -> None:
    trial = runner.run(docker_engine, real.scene, name, ATTACKS[name].text)
    assert trial.verdict.reward == (1 if name == "controls/honest" else 0), trial.verdict
    assert trial.verdict.status is not Status.NO_VERDICT


@pytest.mark.parametrize(
    ("name", "reward"),
    [
        ("controls/honest", 1),
        ("controls/nop", 0),
        ("harness/conftest", 1),
        ("harness/swap-python", 1),
        ("delivered/exit-zero", 1),
        ("data/not-a-number", 1),
    ],
)
def test_the_naive_verifier_is_honest_and_falls(
    docker_engine: DockerEngine, real: runner.Real, name: str, reward: int
) -> None:
    graded = naive.run(docker_engine, real.scene, name, ATTACKS[name].text)
    assert graded.reward == reward, graded.printed
