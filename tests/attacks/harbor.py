"""Runs attacks through Harbor itself: exported task directories, each with an attack for its solution, and Harbor's oracle agent.

The images are those that the directories' Dockerfiles give, built beforehand by the classic builder, whose layers are here.
"""

from __future__ import annotations

import io
import json
import re
import resource
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import docker
from attacks.harbor_setup import HARBOR, environment
from attacks.report import Turn
from attacks.runner import AGENT_SEC, Real

from skill2env.models.tree import below, pack, text_file
from skill2env.sandbox.images import build_image
from skill2env.stages.task_images import TASK_REPOSITORY
from skill2env.store.folders import write_folder

_AT_A_TIME = 2
_TRIAL_SEC = 240
_HOST_FILE_BYTES = 2 << 30
"""What Harbor may write into one file of the host: it copies whatever it finds, a terabyte of nothing included."""
_SOLVE = "#!/bin/bash\n{}\n"
_NOTE_CHARS = 400
"""Of an exception, whose end often says more than its beginning."""
_PREBUILT = 'docker_image = "{}"\n'


@contextmanager
def verifier_image(client: docker.DockerClient, real: Real) -> Iterator[str]:
    """Give the tag of the image of the task's tests/Dockerfile; it is removed at the end of the block."""
    tag = f"{TASK_REPOSITORY}-verifier:{real.task.content_id[:24]}"
    context = io.BytesIO(pack(below(real.tree, "tests")))
    build_image(client, context, tag, {"skill2env": "task"}, network="none")
    try:
        yield tag
    finally:
        client.images.remove(tag, force=True)


def run(
    real: Real, verifier: str, chosen: Mapping[str, str], attempts: int, folder: Path
) -> dict[str, list[Turn]]:
    """Return how Harbor's trials of each attack end.

    Args:
        real: the task.
        verifier: tag of its verifier's image.
        chosen: Bash text of the attacks by name.
        attempts: trials of each.
        folder: where task directories and Harbor's jobs go.
    """
    tasks, jobs = folder / "tasks", folder / "jobs"
    for name, text in chosen.items():
        _export(real, verifier, name, text, tasks)
    command = [HARBOR, "run", "-p", tasks, "-a", "oracle", "-n", _AT_A_TIME, "-k", attempts, "-o", jobs]
    done = subprocess.run(
        [*map(str, command), "--job-name", "attacks", "-q", "-y"],
        env=environment(),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_TRIAL_SEC * len(chosen) * attempts,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (_HOST_FILE_BYTES, _HOST_FILE_BYTES)),
        check=False,
    )
    found: dict[str, list[Turn]] = {name: [] for name in chosen}
    for result in sorted((jobs / "attacks").glob("*/result.json")):
        trial = json.loads(result.read_text("utf-8"))
        found[trial["task_name"].partition("/")[2].replace("--", "/", 1)].append(_turn(trial))
    _remove(folder)
    told = f"Harbor gave no result: {done.stderr.strip()[-300:]}"
    for turns in found.values():
        turns.extend([Turn(None, "exception", 0.0, told)] * (attempts - len(turns)))
    return found


def _remove(folder: Path) -> None:
    """Remove what Harbor has copied out of containers, as deep as it may be, which Python's own way can't."""
    subprocess.run(("rm", "-rf", folder), check=True)


def _export(real: Real, verifier: str, name: str, text: str, tasks: Path) -> None:
    slug = name.replace("/", "--")
    toml = real.tree["task.toml"].data.decode()
    toml = re.sub(r'^name = "skill2env/.*"$', f'name = "skill2env/{slug}"', toml, count=1, flags=re.MULTILINE)
    toml = re.sub(r"(\[agent\]\ntimeout_sec = )[\d.]+", rf"\g<1>{float(AGENT_SEC)}", toml)
    toml = toml.replace("[verifier.environment]\n", "[verifier.environment]\n" + _PREBUILT.format(verifier))
    toml = toml.replace("\n[environment]\n", "\n[environment]\n" + _PREBUILT.format(real.scene.place.image))
    steps = real.scene.target.steps(text)
    solve = _SOLVE.format("\n".join(step.command for step in steps))
    changed = {"task.toml": text_file(toml), "solution/solve.sh": text_file(solve, 0o755)}
    write_folder({**real.tree, **changed}, tasks / slug)


def _turn(trial: Mapping[str, object]) -> Turn:
    result = trial.get("verifier_result") or {}
    rewards = result.get("rewards") or {}  # type: ignore[attr-defined]
    raised = trial.get("exception_info") or {}
    kind, told = (str(raised.get(key, "")) for key in ("exception_type", "exception_message"))  # type: ignore[attr-defined]
    valid = not raised or raised["policy"]["has_valid_reward"]  # type: ignore[index]
    seconds = (_time(trial["finished_at"]) - _time(trial["started_at"])).total_seconds()
    shown = told if len(told) <= _NOTE_CHARS else f"{told[:100]} ... {told[100 - _NOTE_CHARS :]}"
    note = f"{kind}: {shown}" if raised else ""
    if "reward" in rewards and valid:
        return Turn(float(rewards["reward"]), "reward", seconds, note)
    return Turn(None, "exception", seconds, note or "no reward")


def _time(text: object) -> datetime:
    return datetime.fromisoformat(str(text))
