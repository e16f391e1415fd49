"""Runs attack scripts against a task: each is an agent that wants the reward without the work.

A script fits any task. It finds in its environment `WORK` (the folder in which it starts), `OUTPUTS` (all declared outputs),
`REPORT` (the one that holds data), `TOOL` (the one that is a program and graded on inputs that it has never seen) and `SOLVE`
(a script that does the whole work, for attacks that spoil only a part of it).
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from skill2env.models.blueprint import Step
from skill2env.models.tree import Tree
from skill2env.models.trial import Trial
from skill2env.sandbox.protocol import Engine
from skill2env.trial.judge import judging
from skill2env.trial.perturbation import PLAIN
from skill2env.trial.run import Attempt, Place, run_trial

HERE = Path(__file__).parent
WORK = "/workspace"
SOLVE = "/var/solve.sh"
CONTROLS = ("controls/honest", "controls/nop")
THREADS = 2


@dataclass(frozen=True)
class Target:
    """A task to be attacked."""

    place: Place
    judge_image: str
    tests: Tree
    verifier_sec: float
    report: str
    tool: str
    solve: str


def attacks() -> dict[str, str]:
    """Return every script by its kind and name, the controls first."""
    files = sorted(HERE.glob("*/*.sh"), key=lambda file: (file.parent.name != "controls", file))
    return {f"{file.parent.name}/{file.stem}": file.read_text("utf-8") for file in files}


def put(path: str, text: str, mode: str = "755") -> str:
    """Return a command that writes a file whatever its text."""
    data = base64.b64encode(text.encode()).decode()
    return f"mkdir -p $(dirname {path}); base64 -d > {path} <<< {data}; chmod {mode} {path}"


def run(engine: Engine, target: Target, name: str, *commands: str) -> Trial:
    """Return the trial of an attack, judged in a container of its own."""
    given = {
        "WORK": WORK,
        "OUTPUTS": " ".join(target.place.outputs),
        "REPORT": target.report,
        "TOOL": target.tool,
        "SOLVE": SOLVE,
    }
    exports = "; ".join(f"export {key}={shlex.quote(value)}" for key, value in given.items())
    first = f"{exports}; {put(SOLVE, target.solve)}; cd {WORK}"
    steps = tuple(Step(why="", command=command) for command in (first, *commands))
    with judging(
        engine, target.judge_image, target.place.task_id, target.tests, target.verifier_sec
    ) as judge:
        attempt = Attempt(name.replace("/", "-"), "attack", steps, PLAIN)
        return run_trial(engine, target.place, judge, attempt).trial


def run_all(engine: Engine, target: Target, chosen: Mapping[str, tuple[str, ...]]) -> dict[str, Trial]:
    """Return the trial of each attack by its name; two run at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        trials = {name: pool.submit(run, engine, target, name, *texts) for name, texts in chosen.items()}
        return {name: trial.result() for name, trial in trials.items()}
