"""What may happen to a run, done to it: each scenario returns what it saw, and what was not as it should be."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from skill2env.errors import ExitCode
from skill2env.sandbox.ownership import RUN_LABEL
from tests.reliability.engine import PrivateEngine, run
from tests.reliability.lab import (
    LATE,
    LONGEST_SEC,
    STAGES,
    Ran,
    executed_again,
    lay_out,
    lay_out_late,
    lost,
    one_sentence,
    pipeline,
    print_of,
    results,
)

MB = 1 << 20
ENOUGH_KILLS = 20
LONG = ("build", "validate", "rollout")
"""Stages that enough kills must have met."""


@dataclass
class Seen:
    """What a scenario saw."""

    figures: dict[str, object] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        """Note a fault where something does not hold."""
        if not holds:
            self.faults.append(otherwise)


@dataclass
class Lab:
    """What all scenarios share."""

    engine: PrivateEngine
    folder: Path
    seed: int
    kills: int
    wanted: str = ""
    """Fingerprint of the unbroken run."""
    seconds: float = 0.0
    """How long that took."""
    trials: int = 0

    def workspace(self, name: str) -> Path:
        return lay_out(self.folder / name)

    def run(self, root: Path, start: str = STAGES[0], kill_after: float | None = None) -> Ran:
        return pipeline(root, self.engine.environment(), start, kill_after)

    def whole(self, root: Path, seen: Seen, what: str) -> None:
        """Expect a workspace that has everything of the unbroken run, each thing executed once."""
        found = print_of(root)
        seen.expect(found == self.wanted, f"{what}: fingerprint {found[:60]} instead of {self.wanted[:16]}")
        again, gone = executed_again(root), lost(root)
        seen.expect(not again, f"{what}: {len(again)} answered items were executed again")
        seen.expect(not gone, f"{what}: {len(gone)} answered items were lost")
        seen.expect(results(root) == self.trials, f"{what}: {results(root)} trials instead of {self.trials}")


def _finish(lab: Lab, root: Path, seen: Seen, what: str, start: str = STAGES[0]) -> None:
    ran = lab.run(root, start)
    if ran.code:
        seen.faults.append(
            f"{what}: the rerun ended with {ran.code} in {ran.stage}: {ran.said.strip()[-300:]}"
        )
    else:
        lab.whole(root, seen, what)


def unbroken(lab: Lab) -> Seen:
    """Run the corpus through; everything else is compared with this."""
    seen = Seen()
    root = lab.workspace("unbroken")
    ran = lab.run(root)
    seen.expect(ran.code == 0, f"exit code {ran.code} in {ran.stage}: {ran.said.strip()[-300:]}")
    if not ran.code:
        lab.wanted, lab.seconds, lab.trials = print_of(root), ran.seconds, results(root)
        lab.whole(root, seen, "unbroken")
    seen.figures = {"seconds": round(ran.seconds, 1), "trials": lab.trials, "fingerprint": lab.wanted[:16]}
    return seen


def kills(lab: Lab) -> Seen:
    """Kill the process group of a run at random moments, again and again, and go on until it is through.

    Two thirds of the kills meet a run from its beginning, the rest runs that have only their last two stages to do.
    """
    seen, chance = Seen(), random.Random(lab.seed)
    stages: Counter[str] = Counter()
    killed = whole = 0
    pids: set[int] = set()
    while killed < lab.kills:
        if killed < lab.kills * 2 // 3:
            root, start, most = lab.workspace(f"killed-{whole}"), STAGES[0], lab.kills * 2 // 3
        else:
            late = lay_out_late(lab.folder / "unbroken", lab.folder / f"killed-{whole}")
            root, start, most = late, LATE[0], lab.kills
        first = start
        while True:
            # Soon, in the middle and late in a run; and now and then all stages are run anew.
            moment = chance.uniform(0.2, chance.choice((0.1, 0.25, 0.6)) * lab.seconds)
            ran = lab.run(root, start, moment if killed < most else None)
            pids.update(ran.pids)
            if not ran.killed:
                break
            killed += 1
            stages[ran.stage] += 1
            start = chance.choice((ran.stage, ran.stage, ran.stage, ran.stage, first))
        seen.expect(ran.code == 0, f"exit code {ran.code} in {ran.stage}: {ran.said.strip()[-300:]}")
        if not ran.code:
            lab.whole(root, seen, f"corpus {whole}")
        left = [str(path.relative_to(root)) for path in root.rglob("*") if ".part" in path.name]
        seen.expect(not left, f"corpus {whole}: half written files are left: {left}")
        shutil.rmtree(root)
        whole += 1
    _start(lab)
    littered = _ours(lab, pids)
    seen.expect(not littered, f"left on the engine: {littered}")
    told = {f"in {stage}": stages[stage] for stage in STAGES}
    if lab.kills >= ENOUGH_KILLS:
        missed = [stage for stage in LONG if not stages[stage]]
        seen.expect(not missed, f"no kill met {', '.join(missed)}; nothing is shown of them")
    seen.figures = {"seed": lab.seed, "kills": killed, "corpora": whole, **told}
    return seen


def _start(lab: Lab) -> None:
    """Enter and leave an engine, as every run does at its start."""
    code = "from skill2env.sandbox.docker import DockerEngine\nwith DockerEngine(): pass"
    run(sys.executable, "-c", code, env=lab.engine.environment())


def _ours(lab: Lab, pids: set[int]) -> list[str]:
    """Return the containers and images that were made by runs with these process numbers."""
    client = lab.engine.client()
    found = [
        *((f"container {one['Names']}", one["Labels"]) for one in client.api.containers(all=True)),
        *((f"image {one['RepoTags']}", one["Labels"]) for one in client.api.images()),
    ]
    client.close()
    owned = [(name, (labels or {}).get(RUN_LABEL, "").split()) for name, labels in found]
    return [name for name, owner in owned if len(owner) == 4 and int(owner[1]) in pids]


def _when(condition: Callable[[], bool], then: Callable[[], None]) -> threading.Thread:
    def watch() -> None:
        deadline = time.monotonic() + LONGEST_SEC
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.1)
        then()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def engine_stops(lab: Lab) -> Seen:
    """Stop the engine in mid-run, run while it is down, restart it in the middle of the next run, and finish."""
    seen = Seen()
    root = lab.workspace("engine-stops")
    allowed = (ExitCode.ENGINE, ExitCode.TOO_MANY_ERRORS)

    stopping = _when(lambda: results(root) >= lab.trials // 3, lab.engine.stop)
    ran = lab.run(root)
    stopping.join()
    answered = results(root)
    seen.expect(ran.code in allowed, f"exit code {ran.code}: {ran.said.strip()[-400:]}")
    seen.expect(one_sentence(ran), f"no single sentence: {ran.said.strip()[-400:]}")

    down = lab.run(root, ran.stage)
    seen.expect(
        down.code == ExitCode.ENGINE and one_sentence(down),
        f"while it is down: {down.code}, {down.said[-300:]}",
    )
    seen.expect(results(root) == answered, "answers were given while the engine was down")
    lab.engine.start()

    def restart() -> None:
        lab.engine.stop()
        lab.engine.start()

    restarting = _when(lambda: results(root) >= 2 * lab.trials // 3, restart)
    again = lab.run(root, ran.stage)
    restarting.join()
    seen.expect(
        again.code in (ExitCode.OK, *allowed), f"restart: exit code {again.code}: {again.said.strip()[-400:]}"
    )
    between = results(root)
    _finish(lab, root, seen, "afterwards")
    seen.figures = {
        "stopped at": answered,
        "restarted at": between,
        "of": lab.trials,
        "exit codes": f"{ran.code}, {down.code}, {again.code}",
        "said": ran.said.strip()[:150],
    }
    return seen


def work_disk_full(lab: Lab) -> Seen:
    """Run in a workspace whose disk is too small, let it grow a little, run again, and so on until it is enough."""
    seen = Seen()
    sizes: list[str] = []
    probe = lab.folder / "unbroken"
    corpus, grown = _used(probe / "skills_corpus"), _used(probe / "data")
    root = lab.folder / "small"
    root.mkdir()
    size = corpus + 300_000
    run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(root))
    try:
        lay_out(root)
        ran = Ran()
        for share in (0.02, 0.2, 0.4, 0.6, 0.8):
            size = int(corpus + 300_000 + share * grown)
            run("mount", "-o", f"remount,size={size}", str(root))
            ran = lab.run(root, ran.stage or STAGES[0])
            if not ran.code:
                break
            sizes.append(f"{size / MB:.1f} MB: {ran.code} in {ran.stage}")
            seen.expect(
                ran.code == ExitCode.WORKSPACE,
                f"{size}: exit code {ran.code} in {ran.stage}: {ran.said[-400:]}",
            )
            seen.expect(
                one_sentence(ran) and "free space" in ran.said,
                f"{size}: no sentence: {ran.said.strip()[-400:]}",
            )
        run("mount", "-o", f"remount,size={4 * (corpus + grown) + 64 * MB}", str(root))
        _finish(lab, root, seen, "grown")
        seen.expect(len(sizes) >= 2, "the disk was never full")
        seen.figures = {
            "sizes": ", ".join(sizes),
            "needed MB": round((corpus + grown) / MB, 1),
            "said": ran.said.strip()[:120],
        }
    finally:
        run("umount", "--lazy", str(root))
    return seen


def _used(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def engine_disk_full(lab: Lab) -> Seen:
    """Fill the engine's disk nearly, wholly, and wholly in the middle of a run."""
    seen = Seen()
    codes: list[str] = []
    root = lab.workspace("engine-full")
    stage = STAGES[0]
    for name, left, after in (("nearly", 300, 0), ("wholly", 0, 0), ("in the middle", 0, lab.trials // 3)):

        def fill(left: int = left) -> None:
            lab.engine.disk.fill(left)

        def reached(after: int = after) -> bool:
            return results(root) >= after

        filling = _when(reached, fill)
        if not after:
            filling.join()
        try:
            ran = lab.run(root, stage)
            filling.join()
        finally:
            lab.engine.disk.empty()
        stage = ran.stage
        codes.append(f"{name}: {ran.code} in {ran.stage}")
        seen.expect(
            ran.code == ExitCode.ENGINE,
            f"{name}: exit code {ran.code} in {ran.stage}: {ran.said.strip()[-400:]}",
        )
        seen.expect(
            one_sentence(ran) and "disk" in ran.said, f"{name}: no sentence: {ran.said.strip()[-400:]}"
        )
    _finish(lab, root, seen, "afterwards")
    seen.figures = {"exit codes": ", ".join(codes), "said": ran.said.strip()[:150]}
    return seen


def two_runs(lab: Lab) -> Seen:
    """Run twice at the same time in one workspace."""
    seen = Seen()
    root = lab.workspace("two-runs")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lab.run, root)
        _when(lambda: results(root) >= 2, lambda: None).join()
        second = pool.submit(lab.run, root)
        both = [first.result(), second.result()]
    for ran in both:
        held = ran.code == ExitCode.WORKSPACE and one_sentence(ran) and "in use by another run" in ran.said
        seen.expect(ran.code == 0 or held, f"exit code {ran.code} in {ran.stage}: {ran.said.strip()[-300:]}")
    seen.expect(any(ran.code == 0 for ran in both), "neither ended well")
    _finish(lab, root, seen, "afterwards")
    seen.figures = {"exit codes": f"{both[0].code}, {both[1].code}", "said": both[1].said.strip()[:150]}
    return seen


def two_workspaces(lab: Lab) -> Seen:
    """Run the same corpus in two workspaces on one engine at the same time: neither takes the other's images away."""
    seen = Seen()
    roots = [lab.workspace("side-a"), lab.workspace("side-b")]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lab.run, roots))
    for root, ran in zip(roots, both, strict=True):
        seen.expect(
            ran.code == 0, f"{root.name}: exit code {ran.code} in {ran.stage}: {ran.said.strip()[-300:]}"
        )
        if not ran.code:
            lab.whole(root, seen, root.name)
    seen.figures = {"seconds": round(max(ran.seconds for ran in both), 1)}
    return seen


_MAKES = """
import sys
from skill2env.sandbox.docker import DockerEngine
engine = DockerEngine().__enter__()
api, image = engine._api(), sys.argv[1]
engine.watch(image)
labels = engine.labels("trial", sys.argv[2], 600)
api.create_container(image, ["sleep", "600"], labels=labels)
api.start(api.create_container(image, ["sleep", "600"], labels=labels, host_config=api.create_host_config(network_mode="none")))
made = api.commit(api.create_container(image, ["true"], labels=labels), "orphan-" + sys.argv[2], changes=[
    "LABEL " + " ".join(f'{key}="{value}"' for key, value in labels.items())])
api.create_network("orphan-" + sys.argv[2], driver="bridge", labels=labels)
print("made", flush=True)
sys.stdin.read()
"""


def orphans(lab: Lab) -> Seen:
    """Make containers, images and networks in a run that is killed, in one that lives, and by others."""
    seen = Seen()
    client = lab.engine.client()
    (image, *_) = (
        tag for one in client.api.images() for tag in one["RepoTags"] or () if "skill2env-shell" in tag
    )
    makers = {name: _maker(lab, image, name) for name in ("dead", "living")}
    foreign = {
        "skill2env.role": "trial",
        "skill2env.run": "other-host 1 1 x",
        "skill2env.deadline": "99999999999",
    }
    for name, labels in (("foreign", foreign), ("nobody", {})):
        made = client.api.create_container(image, ["sleep", "600"], labels=labels)
        client.api.commit(made, f"orphan-{name}")
        client.api.create_network(f"orphan-{name}", driver="bridge", labels=labels)
    before = _count(client)
    makers["dead"].kill()
    makers["dead"].wait()
    _start(lab)
    after = _count(client)
    seen.expect(before["dead"] == 6, f"the dead run had {before['dead']} things instead of 6")
    seen.expect(after["dead"] == 0, f"{after['dead']} things of the dead run are left")
    for name in ("living", "foreign", "nobody"):
        seen.expect(after[name] == before[name] > 0, f"{name}: {before[name]} things became {after[name]}")
    makers["living"].kill()
    makers["living"].wait()
    _start(lab)
    last = _count(client)
    seen.expect(last["living"] == 0, f"{last['living']} things of the second dead run are left")
    client.close()
    seen.figures = {"made": sum(before.values()), "reaped": before["dead"] + before["living"]}
    return seen


def _maker(lab: Lab, image: str, name: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _MAKES, image, name],
        env=lab.engine.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    if process.stdout.readline() != "made\n":
        process.kill()
    return process


def _count(client: object) -> Counter[str]:
    """Return how many containers, images and networks each maker has, the sentinels among them."""
    api = client.api  # type: ignore[attr-defined]
    owners: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for found in api.images():
        for tag in found["RepoTags"] or ():
            if tag.startswith("orphan-"):
                counts[tag.split("-")[1].split(":")[0]] += 1
    for found in api.networks():
        if found["Name"].startswith("orphan-"):
            counts[found["Name"].split("-")[1]] += 1
    everything = api.containers(all=True)
    for found in everything:
        labels = found["Labels"]
        if labels.get("skill2env.name") in ("dead", "living"):
            owners[labels[RUN_LABEL]] = labels["skill2env.name"]
    for found in everything:
        owner = found["Labels"].get(RUN_LABEL, "")
        counts[owners.get(owner, "foreign" if owner else "nobody")] += 1
    return counts
