"""What containers can't do to the host, nor leave behind on it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.ownership import LABEL
from skill2env.sandbox.protocol import SandboxSpec
from skill2env.sandbox.shell import Shell

pytestmark = pytest.mark.docker

CALLS = """
import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *arguments) == -1 and errno.errorcode.get(ctypes.get_errno())
print(json.dumps({
    "io_uring_setup": refused(425, 1, 0),
    "mount": refused(165, b"none", b"/mnt", b"tmpfs", 0, 0),
    "unshare": refused(272, 0x10000000),
    "keyctl": refused(250, 0, -3, 1),
    "add_key": refused(248, b"user", b"x", b"y", 1, -3),
    "bpf": refused(321, 0, 0, 0),
    "perf_event_open": refused(298, 0, 0, -1, -1, 0),
    "userfaultfd": refused(323, 0),
    "open_by_handle_at": refused(304, -1, 0, 0),
    "process_vm_readv": refused(310, 1, 0, 0, 0, 0, 0),
    "fsopen": refused(430, b"tmpfs", 0),
    "clone a user namespace": refused(56, 0x10000011, 0, 0, 0, 0),
}))
"""
FAMILIES = """
import json, socket
def can(family):
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError as error:
        return error.errno
    return "yes"
print(json.dumps({str(family): can(family) for family in (1, 2, 10, 40, 38, 17)}))
"""


@pytest.fixture
def spec(shell_image: str) -> SandboxSpec:
    return SandboxSpec(shell_image, "trial", "host-safety", 120, memory_mb=128, cpus=1, pids=64)


@pytest.fixture
def shell(docker_engine: DockerEngine, spec: SandboxSpec) -> Iterator[Shell]:
    with docker_engine.sandbox(spec) as sandbox:
        shell = Shell(sandbox, 100_000)
        yield shell
        shell.close()


def said(shell: Shell, command: str, timeout: float = 60) -> str:
    return shell.run(command, timeout).output.decode()


def test_there_is_no_network(shell: Shell) -> None:
    assert said(shell, "ls /sys/class/net") == "lo\n"
    assert "Network is unreachable" in said(shell, "(exec 4<>/dev/tcp/192.0.2.1/80) 2>&1")


def test_there_are_no_privileges(shell: Shell) -> None:
    status = dict(
        line.split(":\t") for line in said(shell, "cat /proc/self/status").splitlines() if ":\t" in line
    )
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_kernel_interfaces_are_refused(shell: Shell) -> None:
    found = json.loads(said(shell, f"python3 - <<'PY'\n{CALLS}\nPY"))
    assert set(found.values()) == {"EPERM"}, found


def test_only_plain_sockets_can_be_made(shell: Shell) -> None:
    found = json.loads(said(shell, f"python3 - <<'PY'\n{FAMILIES}\nPY"))
    refused = 97
    assert found == {"1": "yes", "2": "yes", "10": "yes", "40": refused, "38": refused, "17": refused}


def test_limits_are_set(shell: Shell) -> None:
    assert said(shell, "ulimit -c; ulimit -n; ulimit -Hn").split() == ["0", "4096", "4096"]
    assert said(shell, "df --output=size -m /dev/shm | tail -1").strip() == "64"
    assert said(shell, "cat /proc/1/comm").strip() == "docker-init"


def test_a_memory_bomb_is_killed_and_the_shell_lives(shell: Shell) -> None:
    assert said(shell, "python3 -c 'x = bytearray(1 << 30)'; echo code $?").endswith("code 137\n")
    assert said(shell, "echo alive") == "alive\n"


def test_files_in_shared_memory_count_as_memory(shell: Shell) -> None:
    assert "No space left" in said(shell, "head -c 100000000 /dev/zero > /dev/shm/big")


def test_a_fork_bomb_meets_a_limit(shell: Shell) -> None:
    told = said(
        shell, 'python3 -c \'import os\nfor i in range(200): os.fork() or os.execlp("sleep", "sleep", "30")\''
    )
    assert "Resource temporarily unavailable" in told


def test_a_fork_bomb_ends_with_its_container(docker_engine: DockerEngine, spec: SandboxSpec) -> None:
    began = time.monotonic()
    with docker_engine.sandbox(spec) as sandbox:
        shell = Shell(sandbox, 1000)
        shell.run("f() { f | f & }; f", 2)
        shell.run("sleep 5", 2)
        sandbox.kill()
        assert not sandbox.running()
        shell.close()
    assert time.monotonic() - began < 60


def test_orphans_are_reaped(shell: Shell) -> None:
    said(shell, "for i in $(seq 20); do (setsid true &); done; sleep 0.5")
    assert said(shell, "cat /proc/[0-9]*/stat | cut -d' ' -f3 | grep -c Z").strip() == "0"


def test_a_container_ends_by_itself(
    engine: docker.DockerClient, docker_engine: DockerEngine, spec: SandboxSpec
) -> None:
    with docker_engine.sandbox(replace(spec, deadline_sec=300)):
        (container,) = engine.containers.list(filters={"label": "skill2env.name=host-safety"})
        assert container.attrs["Config"]["Cmd"] == ["sleep", "360"]
        host = container.attrs["HostConfig"]
        assert (host["NetworkMode"], host["CapDrop"], host["Privileged"]) == ("none", ["ALL"], False)
        assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (128 << 20, 128 << 20, 64)
        assert host["LogConfig"]["Type"] == "none"
        assert container.labels[LABEL] == "trial"
        assert float(container.labels["skill2env.deadline"]) > time.time() + 300
    assert engine.containers.list(all=True, filters={"label": "skill2env.name=host-safety"}) == []


def test_more_cpus_than_there_are_is_no_error(docker_engine: DockerEngine, spec: SandboxSpec) -> None:
    with docker_engine.sandbox(replace(spec, cpus=1000)) as sandbox:
        assert sandbox.running()


def test_a_container_is_removed_although_its_block_fails(
    engine: docker.DockerClient, docker_engine: DockerEngine, spec: SandboxSpec
) -> None:
    for run in (
        docker_engine.sandbox(replace(spec, name="fails")),
        docker_engine.pipe(replace(spec, name="fails"), ("cat",)),
    ):
        with pytest.raises(ZeroDivisionError), run:
            _ = 1 / 0
    assert engine.containers.list(all=True, filters={"label": "skill2env.name=fails"}) == []


def test_a_runtime_that_does_not_know_a_setting_is_served_without_it(
    monkeypatch: pytest.MonkeyPatch, shell_image: str, spec: SandboxSpec
) -> None:
    monkeypatch.setattr("skill2env.sandbox.docker._SYSCTLS", {"net.ipv4.no_such_setting": "0"})
    with DockerEngine() as engine:
        engine.watch(shell_image)
        assert engine.alive()
        with engine.sandbox(spec) as sandbox:
            assert sandbox.running()


KILLED = """
import sys
from skill2env.sandbox.docker import DockerEngine
from skill2env.sandbox.protocol import SandboxSpec
engine = DockerEngine().__enter__()
spec = SandboxSpec({image!r}, "trial", {name!r}, 600, memory_mb=64, cpus=1, pids=16)
block = engine.sandbox(spec)
block.__enter__()
print("started", flush=True)
sys.stdin.read()
"""


def test_containers_of_dead_runs_are_reaped_and_nobody_elses(
    engine: docker.DockerClient, docker_engine: DockerEngine, spec: SandboxSpec, shell_image: str
) -> None:
    def left(name: str) -> int:
        return len(engine.containers.list(all=True, filters={"label": f"skill2env.name={name}"}))

    others = [
        {LABEL: "trial"},
        {LABEL: "trial", "skill2env.run": "garbage", "skill2env.deadline": "0"},
        {
            LABEL: "trial",
            "skill2env.run": "other-host 1 1 x",
            "skill2env.deadline": str(int(time.time()) + 600),
        },
        {"skill2env": "by hand"},
    ]
    foreign = [engine.containers.create(shell_image, ["sleep", "60"], labels=labels) for labels in others]
    stale = {
        LABEL: "trial",
        "skill2env.name": "stale",
        "skill2env.run": "other-host 1 1 x",
        "skill2env.deadline": "1",
    }
    engine.containers.create(shell_image, ["sleep", "60"], labels=stale)
    code = KILLED.format(image=shell_image, name="killed-run")
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout and process.stdout.readline() == b"started\n"
        with docker_engine.sandbox(replace(spec, name="living-run")), DockerEngine():
            assert (left("killed-run"), left("living-run"), left("stale")) == (1, 1, 0)
            process.kill()
            process.wait()
            with DockerEngine():
                assert (left("killed-run"), left("living-run")) == (0, 1)
        for container in foreign:
            container.reload()
    finally:
        process.kill()
        for container in foreign:
            container.remove(force=True)


def test_endless_output_is_bounded_in_the_drivers_memory(shell: Shell) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ran = shell.run("yes $(head -c 300 /dev/zero | tr '\\0' x)", 3)
    assert ran.timed_out
    assert ran.size > 20 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


def test_streams_leave_no_open_files(docker_engine: DockerEngine, spec: SandboxSpec) -> None:
    with docker_engine.sandbox(spec) as sandbox:
        Shell(sandbox, 10).close()
        before = len(list(Path("/proc/self/fd").iterdir()))
        shells = [Shell(sandbox, 10) for _ in range(8)]
        for shell in shells:
            assert shell.run("true", 10).exit_code == 0
            shell.close()
        assert len(list(Path("/proc/self/fd").iterdir())) <= before
        assert shells


def test_a_pipe_ends_when_its_driver_is_killed(engine: docker.DockerClient, shell_image: str) -> None:
    """Nobody is left to remove it, so its program must see its input end."""
    code = (KILLED.replace("engine.sandbox(spec)", "engine.pipe(spec, ('cat',))")).format(
        image=shell_image, name="killed-pipe"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline() == b"started\n"
    process.kill()
    process.wait()
    (container,) = engine.containers.list(all=True, filters={"label": "skill2env.name=killed-pipe"})
    try:
        container.wait(timeout=20)
        assert container.attrs["Config"]["StdinOnce"]
    finally:
        container.remove(force=True)
