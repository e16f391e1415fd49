"""One suite for every engine: what trial code relies on holds with containers and with local processes alike."""

from __future__ import annotations

import io
import tarfile
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from skill2env.models.tree import Node, pack, unpack
from skill2env.sandbox.fake import FakeEngine
from skill2env.sandbox.protocol import Engine, NoSuchPath, Sandbox, SandboxSpec
from skill2env.sandbox.shell import Shell

CAP = 2000
MEGABYTES = 20 << 20
ECHO = f"import sys; d = sys.stdin.buffer.read({MEGABYTES}); sys.stdout.buffer.write(d[::-1]); sys.stdout.flush()"


@pytest.fixture(params=["fake", pytest.param("docker", marks=pytest.mark.docker)])
def engine_and_image(request: pytest.FixtureRequest) -> tuple[Engine, str]:
    if request.param == "fake":
        return FakeEngine(), "none"
    return request.getfixturevalue("docker_engine"), request.getfixturevalue("shell_image")


def spec(image: str) -> SandboxSpec:
    env = (("COLOUR", "green"),)
    return SandboxSpec(image, "trial", "contract", 60, memory_mb=512, cpus=1, pids=128, env=env)


@pytest.fixture
def sandbox(engine_and_image: tuple[Engine, str]) -> Iterator[Sandbox]:
    engine, image = engine_and_image
    with engine.sandbox(spec(image)) as sandbox:
        yield sandbox


@pytest.fixture
def shell(sandbox: Sandbox) -> Iterator[Shell]:
    shell = Shell(sandbox, CAP)
    yield shell
    shell.close()


def collected(sandbox: Sandbox, path: str) -> dict[str, Node]:
    return unpack(b"".join(sandbox.get(path)))


def test_the_shell_keeps_its_folder_and_variables(shell: Shell) -> None:
    assert shell.run("mkdir deep && cd deep && WORD='a b'", 10).exit_code == 0
    ran = shell.run('basename "$PWD"; echo "$WORD $COLOUR"', 10)
    assert ran.output == b"deep\na b green\n"


def test_each_step_has_its_exit_code(shell: Shell) -> None:
    codes = [
        shell.run(step, 10).exit_code for step in ("true", "false", "(exit 42)", "kill -9 $BASHPID & wait $!")
    ]
    assert codes == [0, 1, 42, 137]


def test_exit_ends_the_shell(shell: Shell) -> None:
    ran = shell.run("echo bye; exit 3", 10)
    assert (ran.output, ran.exit_code, ran.timed_out, shell.ended) == (b"bye\n", None, False, True)
    assert shell.run("echo again", 10).exit_code is None


def test_standard_error_comes_in_order(shell: Shell) -> None:
    assert shell.run("echo one; echo two >&2; echo three", 10).output == b"one\ntwo\nthree\n"


def test_long_output_keeps_its_beginning_and_end_and_its_size(shell: Shell) -> None:
    ran = shell.run("echo first; seq 100000; echo last", 30)
    whole = 6 + sum(len(str(number)) + 1 for number in range(1, 100001)) + 5
    assert ran.size == whole
    assert ran.output.startswith(b"first\n1\n2\n")
    assert ran.output.endswith(b"100000\nlast\n")
    assert b"bytes left out" in ran.output
    assert len(ran.output) < CAP + 100


def test_a_step_that_takes_too_long_is_given_up(shell: Shell) -> None:
    began = time.monotonic()
    ran = shell.run("echo begun; sleep 60", 1)
    assert (ran.output, ran.timed_out, ran.exit_code, shell.ended) == (b"begun\n", True, None, True)
    assert time.monotonic() - began < 10


def test_endless_output_does_not_outrun_the_time_limit(shell: Shell) -> None:
    ran = shell.run("yes", 1)
    assert ran.timed_out
    assert ran.size > 1 << 20
    assert len(ran.output) < CAP + 100


def test_nul_bytes_come_through(shell: Shell) -> None:
    assert shell.run("printf 'a\\0b\\0 1\\0c'", 10).output == b"a\0b\0 1\0c"
    assert shell.run("echo next", 10).output == b"next\n"


@pytest.mark.parametrize("forged", ["\\0%s 7\\0", "\\0%s 1234\\0", "\\0%s x\\0", "\\0%s "])
def test_a_printed_marker_fools_only_its_own_step(shell: Shell, forged: str) -> None:
    shell.run(f'printf "{forged}" "$0"', 10)
    shell.run("true", 10)
    assert shell.run("echo still here", 10).exit_code == 0
    assert b"still here" in shell.run("echo still here", 10).output


@pytest.mark.parametrize("begins", ["\\0%s ", ""])
def test_long_output_takes_no_memory_whatever_it_looks_like(shell: Shell, begins: str) -> None:
    """Everything after what looks like the beginning of a marker used to be kept."""
    tracemalloc.start()
    try:
        ran = shell.run(f'printf "{begins}" "$0"; head -c 30000000 /dev/zero | tr "\\0" x; echo', 60)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ran.exit_code == 0
    assert ran.size > 30_000_000
    assert peak < 4 << 20


def test_a_watcher_can_stop_a_step(shell: Shell) -> None:
    began = time.monotonic()
    ran = shell.run("sleep 60", 50, lambda: True)
    assert (ran.stopped, ran.timed_out, shell.ended) == (True, False, True)
    assert time.monotonic() - began < 20


def test_a_file_is_got(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("printf hello > note.txt; chmod 755 note.txt", 10)
    assert collected(sandbox, "/workspace/note.txt") == {"note.txt": Node("file", b"hello", 0o755)}


def test_a_folder_is_got(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("mkdir -p out/in && echo 1 > out/in/a && ln -s a out/in/b", 10)
    found = collected(sandbox, "/workspace/out")
    assert {path: node.kind for path, node in found.items()} == {
        "out": "dir",
        "out/in": "dir",
        "out/in/a": "file",
        "out/in/b": "link",
    }


def test_a_missing_path_is_an_answer(sandbox: Sandbox) -> None:
    with pytest.raises(NoSuchPath, match="/workspace/nothing"):
        list(sandbox.get("/workspace/nothing"))
    assert sandbox.kind("/workspace/nothing") is None


def test_kinds(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("mkdir d; touch f; ln -s d l; mkfifo p; ln -s nowhere dangling", 10)
    kinds = {name: sandbox.kind(f"/workspace/{name}") for name in ("d", "f", "l", "p", "dangling")}
    assert kinds == {"d": "dir", "f": "file", "l": "link", "p": "other", "dangling": "link"}


def test_what_was_made_is_there_after_the_kill(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("echo kept > kept.txt", 10)
    sandbox.kill()
    sandbox.kill()
    assert not sandbox.running()
    assert sandbox.kind("/workspace/kept.txt") == "file"
    assert collected(sandbox, "/workspace/kept.txt")["kept.txt"].data == b"kept\n"


def test_nothing_runs_after_the_kill(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("(while :; do date +%N > tick; sleep 0.02; done) & sleep 0.2", 10)
    sandbox.kill()
    first = collected(sandbox, "/workspace/tick")
    time.sleep(0.2)
    assert collected(sandbox, "/workspace/tick") == first
    assert shell.run("echo alive", 2).exit_code is None


def test_giving_up_a_get_leaves_nothing_open(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("head -c 3000000 /dev/zero > big", 10)
    for _ in range(5):
        chunks = sandbox.get("/workspace/big")
        assert next(chunks)
        chunks.close()  # type: ignore[attr-defined]
    assert len(collected(sandbox, "/workspace/big")["big"].data) == 3000000


def test_put_unpacks_below_a_folder(sandbox: Sandbox, shell: Shell) -> None:
    sandbox.put("/workspace", pack({"given/data.csv": Node("file", b"1,2\n")}))
    assert shell.run("cat given/data.csv", 10).output == b"1,2\n"


def test_changes_name_what_was_made(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("mkdir -p made; echo 1 > made/file", 10)
    assert {"/workspace/made", "/workspace/made/file"} <= set(sandbox.changes())


def test_written_bytes_are_counted(sandbox: Sandbox, shell: Shell) -> None:
    before = sandbox.written()
    shell.run("head -c 2000000 /dev/urandom > noise", 10)
    assert 2_000_000 <= sandbox.written() - before < 2_500_000


def test_running(sandbox: Sandbox) -> None:
    assert sandbox.running()


def test_the_sandbox_is_of_its_block_only(engine_and_image: tuple[Engine, str]) -> None:
    engine, image = engine_and_image
    with pytest.raises(KeyError), engine.sandbox(spec(image)) as kept:
        raise KeyError("the block fails")
    with pytest.raises(Exception):  # noqa: B017  # engines differ in how they say that it is gone
        Shell(kept, CAP).run("true", 2).output.decode("ascii")[0]


def test_a_pipe_echoes(engine_and_image: tuple[Engine, str]) -> None:
    engine, image = engine_and_image
    with engine.pipe(spec(image), ("cat",)) as stream:
        stream.send(b"one\n")
        assert stream.receive(10) == b"one\n"
        with pytest.raises(TimeoutError):
            stream.receive(0.2)
        stream.send(b"two\n")
        assert stream.receive(10) == b"two\n"


def test_a_pipe_ends_with_its_program(engine_and_image: tuple[Engine, str]) -> None:
    engine, image = engine_and_image
    with engine.pipe(spec(image), ("sh", "-c", "echo done")) as stream:
        assert stream.receive(10) == b"done\n"
        assert stream.receive(10) == b""


def test_twenty_megabytes_go_both_ways(engine_and_image: tuple[Engine, str]) -> None:
    engine, image = engine_and_image
    data = bytes(range(256)) * (MEGABYTES // 256)
    back = bytearray()
    with engine.pipe(spec(image), ("python3", "-c", ECHO)) as stream:
        stream.send(data)
        while len(back) < MEGABYTES:
            part = stream.receive(30)
            assert part, f"the stream ended after {len(back)} bytes"
            back += part
    assert back == data[::-1]


def test_alive(engine_and_image: tuple[Engine, str]) -> None:
    assert engine_and_image[0].alive()


def test_a_tar_that_is_got_can_be_streamed(sandbox: Sandbox, shell: Shell) -> None:
    shell.run("mkdir many; for i in $(seq 50); do echo $i > many/$i; done", 10)
    with tarfile.open(fileobj=io.BytesIO(b"".join(sandbox.get("/workspace/many"))), mode="r|") as tar:
        assert sum(1 for _ in tar) == 51
