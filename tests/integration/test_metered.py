"""The CPU seconds of containers reach the meter: of those that are killed, of those that end, and of judges."""

from __future__ import annotations

import pytest

from skill2env.meter import metered
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.protocol import SandboxSpec

pytestmark = pytest.mark.docker

_BURNS = "import time\nwhile time.process_time() < 0.5: pass\nprint('burnt', flush=True)"


def test_what_a_container_burns_is_counted_once(docker_engine: DockerEngine, shell_image: str) -> None:
    spec = SandboxSpec(shell_image, "trial", "metered", 60, memory_mb=64, cpus=1, pids=32)
    for killed in (True, False):
        with metered() as meter, docker_engine.sandbox(spec) as sandbox:
            stream = sandbox.exec(("python3", "-c", _BURNS))
            assert stream.receive(60) == b"burnt\n"
            if killed:
                sandbox.kill()
        assert 0.5 <= meter.cost.cpu_sec < 0.95, f"killed: {killed}"
    with (
        metered() as meter,
        docker_engine.pipe(spec, ("python3", "-c", f"{_BURNS}\ninput()")) as stream,
    ):
        assert stream.receive(60) == b"burnt\n"
    assert 0.5 <= meter.cost.cpu_sec < 0.95
