"""Runs the fuzzer for a while on frontmatter and body, from the cases as seeds; exits 1 where it finds something."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from tests.environment import ROOT, python_of

CASES = ROOT / "tests" / "cases" / "parse"
TARGET = Path(__file__).with_name("target.py")
MAX_BYTES = 4_096
MAX_SEC = 10
"""For one input; the reader needs milliseconds."""
MAX_MB = 1_024
"""Memory of the fuzzer with everything that it has loaded."""


def main() -> int:
    """Run the fuzzer, and print what broke the reader."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=120)
    given = parser.parse_args()
    python = python_of("fuzz", Path(__file__).with_name("requirements.txt"))
    if python is None:
        print("skipped: the fuzzer can't be fetched here")
        return 0
    with tempfile.TemporaryDirectory() as place:
        seeds = Path(place) / "seeds"
        seeds.mkdir()
        for number, path in enumerate(sorted(CASES.glob("*/skill/[Ss][Kk]*"))):
            (seeds / str(number)).write_bytes(path.read_bytes()[:MAX_BYTES])
        limits = (f"-max_len={MAX_BYTES}", f"-timeout={MAX_SEC}", f"-rss_limit_mb={MAX_MB}")
        until = (f"-max_total_time={given.seconds}", "-print_final_stats=1", f"-artifact_prefix={place}/")
        paths = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
        command = (str(python), str(TARGET), *limits, *until, str(seeds))
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=False, cwd=place)
        for found in sorted(Path(place).glob("*-*")):
            print(f"{found.name}: {found.read_bytes()!r}")
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
