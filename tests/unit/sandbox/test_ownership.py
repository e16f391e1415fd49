"""Whose container a label names, and what no container of ours may call."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

from skill2env.sandbox import ownership
from skill2env.sandbox.seccomp import profile


def labels(owner: str, deadline: float | str = 0) -> dict[str, str]:
    return {"skill2env.role": "trial", "skill2env.run": owner, "skill2env.deadline": str(deadline)}


def test_a_living_runs_container_is_never_abandoned() -> None:
    owner = f"{ownership.host()} {os.getpid()} {ownership.started(os.getpid())} abc"
    assert not ownership.abandoned(labels(owner, 0))


def test_a_dead_runs_container_is_abandoned() -> None:
    process = subprocess.Popen(["sleep", "30"])
    owner = f"{ownership.host()} {process.pid} {ownership.started(process.pid)} abc"
    assert not ownership.abandoned(labels(owner))
    process.kill()
    process.wait()
    assert ownership.abandoned(labels(owner))


def test_another_process_with_the_same_number_owns_nothing() -> None:
    assert ownership.abandoned(labels(f"{ownership.host()} {os.getpid()} 1 abc"))


def test_other_hosts_containers_are_left_until_their_deadline() -> None:
    later, earlier = int(time.time()) + 100, int(time.time()) - 100
    assert not ownership.abandoned(labels("other-host 1 1 abc", later))
    assert ownership.abandoned(labels("other-host 1 1 abc", earlier))


@pytest.mark.parametrize("owner", ["", "garbage", "1.abc", "a b c", "a b c d e"])
def test_labels_that_nobody_of_us_wrote_are_left_alone(owner: str) -> None:
    assert not ownership.abandoned(labels(owner, 1))
    assert not ownership.abandoned({})
    assert not ownership.abandoned(labels("other-host 1 1 abc", "soon"))


def test_the_profile_names_what_is_refused() -> None:
    text = json.loads(profile())
    refused = {name for rule in text["syscalls"] if "args" not in rule for name in rule["names"]}
    assert {
        "io_uring_setup",
        "mount",
        "unshare",
        "setns",
        "keyctl",
        "bpf",
        "userfaultfd",
        "fsopen",
        "clone3",
    } <= refused
    assert not {"read", "write", "execve", "clone", "socket", "ptrace", "futex"} & refused
    families = {rule["args"][0]["value"] for rule in text["syscalls"] if rule["names"] == ["socket"]}
    assert families == set(range(1, 46)) - {1, 2, 10, 16}
