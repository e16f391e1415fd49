"""A small corpus, the commands over it, and the accounts of what was executed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from skill2env.store.dataset import fingerprint
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
BLUEPRINTS = ("messy-csv-joins/purchase-price-edit", "event-data-hygiene/wallet-state")
STAGES = ("parse", "draft", "build", "validate", "rollout", "publish")
LATE = ("rollout", "publish")
PARAMS = {
    "driver": {"workers": 2},
    "build": {"levels": ["easy"], "max_seeds": 1},
    "validate": {"oracle_runs": 2},
    "publish": {"validation_share": 0.3, "test_share": 0.3},
}
LONGEST_SEC = 600
_AUDIT = """
CREATE TABLE audit (key TEXT, kind TEXT);
CREATE TRIGGER audited AFTER INSERT ON results BEGIN INSERT INTO audit VALUES (new.key, new.kind); END;
"""


def lay_out(root: Path, audited: bool = True) -> Path:
    """Make a workspace of two blueprints; `audited` makes its store write down every result that it is given."""
    corpus = ROOT / "skills_corpus"
    for blueprint in BLUEPRINTS:
        skill = blueprint.split("/")[0]
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(corpus / "skills" / skill, root / "skills_corpus" / "skills" / skill)
        (root / "skills_corpus" / "provenance").mkdir(exist_ok=True)
        shutil.copy(corpus / "provenance" / f"{skill}.yaml", root / "skills_corpus" / "provenance")
        shutil.copytree(
            corpus / "blueprints" / blueprint,
            root / "skills_corpus" / "blueprints" / blueprint,
            ignore=ignored,
        )
    (root / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    if audited:
        store = Workspace(root).results
        ResultStore(store).close()
        with sqlite3.connect(store) as database:
            database.executescript(_AUDIT)
    return root


def lay_out_late(through: Path, root: Path) -> Path:
    """Make a workspace that lacks what the last two stages make, of one in which everything is through."""
    shutil.copytree(through, root)
    for name in ("dataset", *LATE):
        shutil.rmtree(root / "data" / name, ignore_errors=True)
    with sqlite3.connect(Workspace(root).results) as database:
        for table in ("results", "audit"):
            database.execute(f"DELETE FROM {table} WHERE kind IN (?, ?)", LATE)
    return root


@dataclass
class Ran:
    """What came of the commands, one after the other until one failed or time was up."""

    code: int = 0
    stage: str = ""
    """The last one that was begun."""
    said: str = ""
    """What that one wrote to standard error."""
    killed: bool = False
    seconds: float = 0.0
    pids: list[int] = field(default_factory=list)


def pipeline(
    root: Path, environment: dict[str, str], start: str = STAGES[0], kill_after: float | None = None
) -> Ran:
    """Run the stages from `start` on, as DVC does it where those before are through.

    After `kill_after` seconds the process group of the one that runs is killed.
    """
    ran, began = Ran(), time.monotonic()
    for stage in STAGES[STAGES.index(start) :]:
        ran.stage = stage
        left = LONGEST_SEC if kill_after is None else kill_after - (time.monotonic() - began)
        process = subprocess.Popen(
            [sys.executable, "-m", "skill2env.cli", stage],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        ran.pids.append(process.pid)
        try:
            _, ran.said = process.communicate(timeout=max(left, 0.01))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            ran.killed = True
        ran.code, ran.seconds = process.returncode, time.monotonic() - began
        if ran.killed or ran.code:
            break
    return ran


def one_sentence(ran: Ran) -> bool:
    """Return whether a command failed with one line that begins as errors do."""
    lines = ran.said.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("error: ")


def print_of(root: Path) -> str:
    """Return the fingerprint of the workspace's dataset, checked against the one in its metrics."""
    found = fingerprint(Workspace(root).dataset)
    told = json.loads((root / "metrics" / "publish.json").read_text())["fingerprint"]
    return found if found == told else f"{found} but the metrics say {told}"


def executed_again(root: Path) -> list[str]:
    """Return the keys of results that were given to the store twice although the first was there.

    A world is answered when its first execution is kept, which is written after its second. Outputs and costs are no
    executions: every trial that leaves the same outputs keeps them under their content, and the cost of an item adds up.
    """
    sql = (
        "SELECT key FROM audit WHERE key NOT LIKE '%.2' AND kind NOT IN ('outputs', 'cost') "
        "GROUP BY key HAVING count(*) > 1"
    )
    with sqlite3.connect(Workspace(root).results, timeout=30) as database:
        return [row[0] for row in database.execute(sql)]


def lost(root: Path) -> list[str]:
    """Return the keys of results that were given to the store and are not in it."""
    with sqlite3.connect(Workspace(root).results, timeout=30) as database:
        return [row[0] for row in database.execute("SELECT key FROM audit EXCEPT SELECT key FROM results")]


def results(root: Path, kind: str = "trial") -> int:
    """Return how many results of a kind the store has; 0 where it can't be read at the moment."""
    try:
        with sqlite3.connect(Workspace(root).results, timeout=30) as database:
            return int(database.execute("SELECT count(*) FROM results WHERE kind = ?", (kind,)).fetchone()[0])
    except sqlite3.Error:
        return 0
