"""Runs the fuzzer for a while on frontmatter and body; exits 1 where it finds something.

One process for each core, all on the same inputs: the cases of the suite, and what earlier runs found worth keeping.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from tests.environment import ROOT, python_of

CASES = ROOT / "tests" / "cases" / "parse"
KEPT = ROOT / "build" / "fuzz"
"""Inputs that reach new code, from run to run."""
HERE = Path(__file__).parent
MAX_BYTES = 4_096
MAX_SEC = 10
"""For one input; the reader needs milliseconds."""
MAX_MB = 1_024
"""Memory of a fuzzer with everything that it has loaded."""
GRACE_SEC = 60
"""For a fuzzer to end after its time."""
TRIED = re.compile(rb"^stat::number_of_executed_units: (\d+)$", re.MULTILINE)


def main() -> int:
    """Run the fuzzers, and print how much they tried and what broke the reader."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    python = python_of("fuzz", HERE / "requirements.txt")
    if python is None:
        print("skipped: the fuzzer can't be fetched here")
        return 0
    KEPT.mkdir(parents=True, exist_ok=True)
    for path in sorted(CASES.glob("*/skill/[Ss][Kk]*")):
        (KEPT / path.parent.parent.name).write_bytes(path.read_bytes()[:MAX_BYTES])
    with tempfile.TemporaryDirectory() as place:
        runs = [
            _started(python, Path(place) / str(number), given.seconds) for number in range(given.processes)
        ]
        print(
            f"{len(runs)} processes, {given.seconds} s, {sum(1 for _ in KEPT.iterdir())} inputs to begin with",
            flush=True,
        )
        deadline = time.monotonic() + given.seconds + GRACE_SEC
        codes = [_ended(run, deadline) for run in runs]
        tried = 0
        for number, code in enumerate(codes):
            log = (Path(place) / str(number) / "log").read_bytes()
            tried += sum(int(count) for count in TRIED.findall(log))
            if code:
                sys.stdout.buffer.write(log[-4_000:])
            for found in sorted((Path(place) / str(number)).glob("*-*")):
                print(f"{found.name}: {found.read_bytes()!r}")
        print(f"{tried:,} inputs tried, {sum(map(bool, codes))} of {len(codes)} processes found something")
    return int(any(codes))


def _started(python: Path, place: Path, seconds: int) -> subprocess.Popen[bytes]:
    place.mkdir()
    limits = (
        f"-max_len={MAX_BYTES}",
        f"-timeout={MAX_SEC}",
        f"-rss_limit_mb={MAX_MB}",
        f"-max_total_time={seconds}",
    )
    rest = ("-print_final_stats=1", "-reload=1", f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={place}/")
    command = (str(python), str(HERE / "target.py"), *limits, *rest, str(KEPT))
    paths = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
    with (place / "log").open("wb") as log:
        env = {**os.environ, "PYTHONPATH": paths}
        return subprocess.Popen(command, env=env, cwd=place, stdout=log, stderr=subprocess.STDOUT)


def _ended(run: subprocess.Popen[bytes], deadline: float) -> int:
    """Return the exit code of a fuzzer; that of a signal where it had to be killed."""
    try:
        return run.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        run.kill()
        return run.wait()


if __name__ == "__main__":
    sys.exit(main())
