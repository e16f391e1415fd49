"""`make attacks`: every attack on every stand, and whether the verifier holds. Exit code 1 where it does not."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attacks import harbor, report, runner
from attacks.naive import stand as naive
from attacks.report import Row, Turn
from rich.console import Console
from rich.progress import Progress

from skill2env.attacks import Attack, attacks, controls
from skill2env.models.trial import Status
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.engine import connect
from skill2env.sandbox.images import ensure_toolchain

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "attacks.md"
NAIVE_TURNS = 3
"""What succeeds by luck has succeeded once it has; the naive verifier has no more to prove."""


def main() -> int:
    """Run what was asked for; print, write and judge what came of it."""
    asked = _arguments()
    chosen = {name: attack for name, attack in (controls() | attacks()).items() if _wanted(name, asked.only)}
    known = {} if asked.only else report.kept(asked.json, set(report.STANDS) - set(asked.stands))
    rows = {name: Row(attack, known.get(name, {})) for name, attack in chosen.items()}
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        runner.real_task(Path(folder) / "workspace") as real,
        DockerEngine() as engine,
    ):
        client = connect()
        engine.watch(ensure_toolchain(client, "shell", print))
        few = min(asked.turns, NAIVE_TURNS)
        stands: dict[str, Callable[[], None]] = {
            "native": lambda: _each(
                rows, "native", asked.turns, lambda attack: _native(engine, real, attack)
            ),
            "naive": lambda: _each(rows, "naive", few, lambda attack: _naive(engine, real, attack)),
            "harbor": lambda: _harbor(rows, real, asked.turns, client, Path(folder) / "harbor"),
        }
        for stand in asked.stands:
            stands[stand]()
            if not asked.only:
                _keep(rows.values(), asked.json)
        client.close()
    whole = list(rows.values())
    _show(whole, time.monotonic() - began)
    if not asked.only and all(row.turns.get(stand) for row in whole for stand in report.STANDS):
        PAGE.write_text(report.page(whole))
    found = report.faults(whole, asked.stands)
    if asked.only:  # then it is not known how many defeat the naive one
        found = [fault for fault in found if not fault.startswith("only ")]
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make attacks", description=__doc__)
    parser.add_argument("--stands", nargs="+", choices=report.STANDS, default=report.STANDS)
    parser.add_argument("--only", default="", help="names that contain this, and the controls")
    parser.add_argument("--turns", type=int, default=20, help="how often races are run")
    parser.add_argument(
        "--json",
        type=Path,
        default=ROOT / "data" / "attacks.json",
        help="where trials are written; stands that are not run keep what it says of the same suite",
    )
    return parser.parse_args()


def _wanted(name: str, only: str) -> bool:
    return only in name or name.startswith("controls/")


def _each(rows: Mapping[str, Row], stand: str, turns: int, trial: Callable[[Attack], Turn]) -> None:
    """Run every attack on a stand, two at a time; races several times."""
    todo = [row for row in rows.values() for _ in range(turns if "races" in row.attack.marks else 1)]
    with Progress(console=Console(stderr=True)) as progress, ThreadPoolExecutor(runner.THREADS) as pool:
        shown = progress.add_task(stand, total=len(todo))
        for row, turn in zip(todo, pool.map(lambda row: trial(row.attack), todo), strict=True):
            row.turns.setdefault(stand, []).append(turn)
            progress.advance(shown)


def _native(engine: DockerEngine, real: runner.Real, attack: Attack) -> Turn:
    began = time.monotonic()
    verdict = runner.run(engine, real.scene, attack.name, attack.text).verdict
    lost = verdict.status is Status.NO_VERDICT
    seconds = time.monotonic() - began
    return Turn(None if lost else verdict.reward, str(verdict.status), seconds, verdict.reason)


def _naive(engine: DockerEngine, real: runner.Real, attack: Attack) -> Turn:
    graded = naive.run(engine, real.scene, attack.name, attack.text)
    return Turn(
        graded.reward,
        "exception" if graded.reward is None else "reward",
        graded.seconds,
        graded.printed[-200:],
    )


def _harbor(rows: Mapping[str, Row], real: runner.Real, turns: int, client: object, folder: Path) -> None:
    with harbor.verifier_image(client, real) as verifier:
        races = {name for name, row in rows.items() if "races" in row.attack.marks}
        for names, attempts in ((rows.keys() - races, 1), (races, turns)):
            if names:
                print(f"harbor: {len(names)} attacks, {attempts} times each", file=sys.stderr)
                texts = {name: rows[name].attack.text for name in sorted(names)}
                for name, found in harbor.run(real, verifier, texts, attempts, folder).items():
                    rows[name].turns["harbor"] = found


def _show(rows: list[Row], seconds: float) -> None:
    console = Console(width=130)
    console.print(report.table(rows))
    console.print(report.summary(rows))
    won = report.defeating(rows)
    names = ", ".join(row.attack.name for row in won)
    print(f"The naive verifier is defeated by {len(won)}: {names}")
    print(f"{seconds:.0f} seconds")


def _keep(rows: Iterable[Row], path: Path) -> None:
    """Write what is known of all attacks so far, so that a stand that was run is not lost with the next one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report.as_json(list(rows)), indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
