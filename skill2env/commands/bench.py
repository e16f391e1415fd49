"""`skill2env bench`: what a trial costs, side by side with a bare container, in one run."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from skill2env.commands.common import AsJson, out, say

_TESTS = """import pytest
@pytest.mark.check
def test_made(workspace, read_text):
    assert read_text(workspace / "made.txt") == "made\\n"
"""

_SKILLS = 600
"""Read to measure the rate; a few seconds on two cores."""


def bench(
    times: Annotated[int, typer.Option(help="Repetitions of each measurement.", min=1)] = 10,
    as_json: AsJson = False,
) -> None:
    """Measure a bare container, a trial with the task's shared judge, and one with a judge of its own."""
    from skill2env.models.blueprint import Limits, Step
    from skill2env.models.tree import text_file
    from skill2env.sandbox.docker import DockerEngine
    from skill2env.sandbox.engine import connect
    from skill2env.sandbox.images import ensure_toolchain, ensure_verifier
    from skill2env.sandbox.protocol import SandboxSpec
    from skill2env.stages.making.directory import verifier_files
    from skill2env.trial.judge import judging
    from skill2env.trial.perturbation import PLAIN
    from skill2env.trial.run import Attempt, Place, run_trial

    client = connect()
    image, judge_image = ensure_toolchain(client, "shell", say), ensure_verifier(client, "shell", say)
    client.close()
    tests = {**verifier_files(), "test_outputs.py": text_file(_TESTS), "truth.json": text_file("{}")}
    limits = Limits(agent_sec=60, verifier_sec=30, memory_mb=256, cpus=1)
    place = Place("bench", "bench", image, ("/workspace/made.txt",), limits, record_changes=False)
    steps = (Step(why="Make it.", command="echo made > made.txt"),)
    attempt = Attempt("bench", "reference", steps, PLAIN)
    spec = SandboxSpec(image, "trial", "bench", 60, memory_mb=256, cpus=1, pids=64)

    with DockerEngine() as engine, judging(engine, judge_image, "bench", tests, 30) as shared:

        def bare() -> None:
            with engine.sandbox(spec):
                pass

        def with_shared_judge() -> None:
            run_trial(engine, place, shared, attempt)

        def with_own_judge() -> None:
            with judging(engine, judge_image, "bench", tests, 30) as own:
                run_trial(engine, place, own, attempt)

        with_shared_judge()
        measured = {
            "a bare container, started and removed": _seconds(bare, times),
            "a trial, judged by the task's judge": _seconds(with_shared_judge, times),
            "a trial, judged in a container of its own": _seconds(with_own_judge, times),
        }
    measured["reading one SKILL.md"] = _seconds(_read_skill, 10 * times)
    first = next(iter(measured.values()))
    rate, growth = _reading_rate()
    if as_json:
        seconds = {name: round(value, 4) for name, value in measured.items()}
        out.print_json(json.dumps({**seconds, "skills read a second": rate, "growth of memory": growth}))
        return
    table = Table("what", "seconds", "ratio")
    for name, value in measured.items():
        table.add_row(name, f"{value:.3f}", f"{value / first:.2f}")
    out.print(table)
    out.print(f"{rate:.0f} skills read a second with all cores; peak memory grew by a factor of {growth:.2f}")


def _seconds(function: Callable[[], None], times: int) -> float:
    """Return the mean wall seconds of a call."""
    began = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - began) / times


def _reading_rate() -> tuple[float, float]:
    """Return skills read a second with all cores, and a process's peak memory at the end against half-way."""
    from skill2env.stages.parse.many import in_order, reading_pool

    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as place, reading_pool(workers) as pool:
        folders = [Path(place) / f"skill-{number}" for number in range(_SKILLS)]
        for folder in folders:
            folder.mkdir()
            (folder / "SKILL.md").write_text(_text(folder.name))
        list(in_order(peak_after_reading, folders[: 8 * workers], pool, workers))
        began = time.perf_counter()
        peaks = list(in_order(peak_after_reading, folders, pool, workers))
        return len(folders) / (time.perf_counter() - began), max(peaks) / max(peaks[: len(peaks) // 2])


def peak_after_reading(folder: Path) -> int:
    """Read one skill and return the process's peak memory in KiB."""
    from skill2env.stages.parse import read_skill

    read_skill(folder, folder.name)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _read_skill() -> None:
    from skill2env.stages.parse import read_skill

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "SKILL.md").write_text(_text("bench"))
        read_skill(Path(folder), "bench")


def _text(name: str) -> str:
    """Return a SKILL.md of 9,000 characters, the mean of public ones, in their usual mixture."""
    prose = "The tool reads one file after the other and writes down what it has found in each of them. " * 5
    code = "".join(f"result_{n} = read(path_{n}, encoding='utf-8')\n" for n in range(6))
    parts = (
        f"## Part {n}\n\n{prose}\n\n1. Always look first.\n2. Never guess.\n\n```python\n{code}```\n\n"
        f"See [the page](https://example.org/{n}).\n\n```bash\ngrep -c x file{n}.txt\n```\n"
        for n in range(9)
    )
    head = f"---\nname: {name}\ndescription: Measures reading. Use it for that.\nlicense: MIT\n---\n\n# Bench\n\n"
    return head + "\n".join(parts)
