"""What a killed daemon leaves behind, and when an engine may be started; all in folders of the test."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from skill2env.errors import EngineDown
from skill2env.sandbox import engine
from skill2env.sandbox.engine import clear_leftovers, connect, ensure_engine
from skill2env.sandbox.machine import last_line, live_processes, may_install, process_name, runs_systemd

CONFIG = "/run/docker/containerd/containerd.toml"


@pytest.fixture
def machine() -> Iterator[Path]:
    # A socket's path may have 107 characters only, which tmp_path can exceed.
    with tempfile.TemporaryDirectory(prefix="s2e-") as folder:
        for name in ("run/docker/containerd", "run/containerd", "proc"):
            Path(folder, name).mkdir(parents=True)
        yield Path(folder)


def process(machine: Path, pid: int, name: str, state: str = "S", *arguments: str) -> None:
    folder = machine / "proc" / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} ({name}) {state} 1 {pid} {pid} 0 -1")
    (folder / "cmdline").write_bytes(b"\0".join(part.encode() for part in (name, *arguments)))


def pid_file(machine: Path, content: str, name: str = "docker.pid") -> Path:
    path = machine / "run" / name
    path.write_text(content)
    return path


def cleared(machine: Path) -> set[str]:
    removed = clear_leftovers(machine / "run", machine / "proc")
    assert not [path for path in removed if path.exists()]
    return {str(path.relative_to(machine / "run")) for path in removed}


def test_pid_file_of_a_dead_daemon_is_removed(machine: Path) -> None:
    path = pid_file(machine, "4242")
    assert cleared(machine) == {"docker.pid"}
    assert not path.exists()


def test_pid_file_whose_number_was_given_to_another_program_is_removed(machine: Path) -> None:
    pid_file(machine, "4242\n")
    process(machine, 4242, "sleep")
    assert cleared(machine) == {"docker.pid"}


def test_pid_file_of_a_zombie_is_removed(machine: Path) -> None:
    pid_file(machine, "4242")
    process(machine, 4242, "dockerd", "Z")
    assert cleared(machine) == {"docker.pid"}


@pytest.mark.parametrize("content", ["", "not a number", "-1", "99999999999999999999"])
def test_pid_file_without_a_process_id_is_removed(machine: Path, content: str) -> None:
    pid_file(machine, content)
    assert cleared(machine) == {"docker.pid"}


@pytest.mark.parametrize("alive", [4242, 77])
def test_nothing_is_touched_while_any_dockerd_lives(machine: Path, alive: int) -> None:
    pid_file(machine, "4242")
    pid_file(machine, "4243", "docker/containerd/containerd.pid")
    process(machine, alive, "dockerd")
    assert cleared(machine) == set()


def test_containerd_pid_file_is_removed_unless_a_containerd_has_its_number(machine: Path) -> None:
    pid_file(machine, "4243", "docker/containerd/containerd.pid")
    process(machine, 4243, "bash")
    assert cleared(machine) == {"docker/containerd/containerd.pid"}
    pid_file(machine, "4244", "docker/containerd/containerd.pid")
    process(machine, 4244, "containerd")
    assert cleared(machine) == set()


@pytest.mark.parametrize("name", ["containerd/containerd.sock", "docker/containerd/containerd.sock"])
def test_socket_is_removed_only_when_nobody_listens(machine: Path, name: str) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(machine / "run" / name))
        server.listen()
        assert cleared(machine) == set()
    assert cleared(machine) == {name}


@pytest.mark.parametrize(("argument", "ends"), [(CONFIG, True), ("/etc/containerd/config.toml", False)])
def test_containerd_that_outlived_its_dockerd_is_ended_and_another_is_not(
    machine: Path, argument: str, ends: bool
) -> None:
    program = machine / "containerd"
    shutil.copy("/bin/sh", program)
    with subprocess.Popen([program, "-c", "read line", "sh", argument], stdin=subprocess.PIPE) as child:
        (machine / "proc" / str(child.pid)).symlink_to(f"/proc/{child.pid}")
        clear_leftovers(machine / "run", machine / "proc")
        assert (process_name(child.pid) is None) is ends


def test_no_containerd_is_ended_while_a_dockerd_lives(machine: Path) -> None:
    process(machine, 77, "dockerd")
    program = machine / "containerd"
    shutil.copy("/bin/sh", program)
    with subprocess.Popen([program, "-c", "read line", "sh", CONFIG], stdin=subprocess.PIPE) as child:
        (machine / "proc" / str(child.pid)).symlink_to(f"/proc/{child.pid}")
        assert cleared(machine) == set()
        assert process_name(child.pid) == "containerd"


def test_process_name_may_hold_brackets_and_blanks(machine: Path) -> None:
    process(machine, 5, "a) S (b c")
    assert process_name(5, machine / "proc") == "a) S (b c"
    assert process_name(6, machine / "proc") is None


def test_live_processes_are_found_by_their_whole_name(machine: Path) -> None:
    for pid, name, state in (
        (9, "dockerd", "S"),
        (3, "dockerd", "R"),
        (4, "dockerd-rootles", "S"),
        (5, "dockerd", "Z"),
    ):
        process(machine, pid, name, state)
    assert live_processes("dockerd", machine / "proc") == (3, 9)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("ID=debian\n", True),
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ("ID=fedora\n", False),
        ("", False),
    ],
)
def test_packages_are_installed_only_as_root_on_debian_and_its_kin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, fits: bool
) -> None:
    release = tmp_path / "os-release"
    release.write_text(text)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert may_install(release) is fits
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert may_install(release) is False


def test_systemd_counts_only_when_it_runs(tmp_path: Path) -> None:
    (tmp_path / "systemd").mkdir()
    assert runs_systemd(tmp_path) is False
    (tmp_path / "systemd/system").mkdir()
    assert runs_systemd(tmp_path) is True


def test_an_engine_that_docker_host_names_is_never_replaced_by_a_local_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"unix://{tmp_path}/none.sock"
    monkeypatch.setenv("DOCKER_HOST", address)
    monkeypatch.setattr(engine, "may_install", lambda: True)
    said: list[str] = []
    with pytest.raises(EngineDown) as caught:
        ensure_engine(said.append)
    assert (
        str(caught.value)
        == f"No Docker Engine answers at DOCKER_HOST={address}: start it, or unset DOCKER_HOST."
    )
    assert said == []


def test_a_socket_without_a_daemon_is_one_clear_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine, "DEFAULT_HOST", f"unix://{tmp_path}/docker.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    with pytest.raises(EngineDown) as caught:
        connect()
    assert str(caught.value).startswith("No Docker Engine answers: install and start Docker")


def test_last_line_skips_blank_lines_and_is_capped() -> None:
    assert last_line("first\nE: no such package\n\n  \n") == "E: no such package"
    assert last_line(" \n") == "(no output)"
    assert len(last_line("x" * 1000)) == 300
