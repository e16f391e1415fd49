"""Runs inside a judge: what a delivered program can and can't do when the `run` fixture starts it."""

import os
import time
from pathlib import Path

import pytest

FAILS = pytest.fail.Exception
DAEMON = """
import ctypes, os, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
if "undumpable" in sys.argv:
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
os.close(1), os.close(2)
open("started", "w").close()
time.sleep(600)
"""
PTRACE = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
for pid in sys.argv[1:]:
    for request in (16, 0x4206):
        print(libc.ptrace(request, int(pid), None, None), ctypes.get_errno())
"""
WRITABLE = "find / -xdev -path /proc -prune -o -writable ! -type l -print; for m in $(cut -d' ' -f2 /proc/mounts); do [ -w $m ] && echo $m; done"


def alive():
    """Process ids of the unprivileged user, zombies aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "status").read_text()
            except OSError:
                continue
            if "Uid:\t2000" in status and "State:\tZ" not in status:
                found.append(entry.name)
    return found


def test_it_is_another_user_without_groups_or_privileges(run):
    result = run(["cat", "/proc/self/status"])
    status = dict(line.split(":\t", 1) for line in result.out.splitlines() if ":\t" in line)
    assert status["Uid"].split() == status["Gid"].split() == ["2000"] * 4
    assert status["Groups"].strip() == ""
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"


def test_it_cannot_read_the_tests_or_the_truth(run):
    result = run(
        ["sh", "-c", "cat /tests/truth.json; cat /tests/test_outputs.py; ls /tests; ls /tests/verifier"]
    )
    assert result.out == ""
    assert result.err.count("Permission denied") == 4


def test_it_cannot_reach_them_through_another_process(run):
    paths = " ".join(
        f"/proc/{pid}/{what}"
        for pid in (1, os.getpid(), os.getppid())
        for what in ("root/tests/truth.json", "environ", "mem", "maps", "cwd/tests")
    )
    result = run(["sh", "-c", f"cat {paths}; ls /proc/{os.getpid()}/fd"])
    assert result.out == ""


def test_it_cannot_change_the_outputs(run, workspace):
    before = (workspace / "report.json").read_bytes()
    script = (
        "echo x > report.json; echo x > new; rm -f report.json; chmod 777 . report.json; mv report.json other"
    )
    assert run(["sh", "-c", f"cd {workspace}; {script}"]).code != 0
    assert (workspace / "report.json").read_bytes() == before
    assert os.listdir(workspace) == ["report.json"]


def test_it_can_write_to_the_known_places_only(run):
    result = run(["sh", "-c", WRITABLE], timeout=60)
    home = {path for path in result.out.split() if path.startswith("/scratch/")}
    devices = {
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
        "/dev/tty",
        "/dev/ptmx",
        "/dev/pts/ptmx",
    }
    devices |= {"/proc/keys", "/proc/timer_list", "/proc/kcore"}  # the engine puts /dev/null over these
    known = {"/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/sys/firmware"}
    assert set(result.out.split()) - home - devices - known == set()
    assert run(["sh", "-c", "touch /run/lock/x /sys/firmware/x"]).err.count("Read-only file system") == 2


def test_no_file_gives_privileges(run):
    assert run(["find", "/", "-xdev", "-type", "f", "-perm", "/6000"], timeout=60).out == ""


def test_it_cannot_signal_the_judge(run):
    pids = f"1 {os.getpid()} {os.getppid()}"
    result = run(["bash", "-c", f"for p in {pids}; do kill -0 $p; kill -STOP $p; kill -KILL $p; done"])
    assert result.err.count("Operation not permitted") == 9


def test_it_cannot_trace_the_judge(run):
    result = run(["python3", "-c", PTRACE, "1", str(os.getpid()), str(os.getppid())])
    assert result.out == "-1 1\n" * 6


def test_it_has_no_handle_of_the_judge(run):
    result = run(["bash", "-c", "ls -l /proc/$$/fd"])
    handles = [line.split()[-3:] for line in result.out.splitlines() if "->" in line]
    assert {number for number, _, target in handles if not target.startswith("/proc/")} == {"0", "1", "2"}
    assert "pipe:" not in result.out and "socket:" not in result.out


def test_its_environment_tells_nothing(run):
    names = {line.partition("=")[0] for line in run(["env"]).out.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG"}


def test_it_gets_what_the_test_gives(run, workspace):
    script = 'cat; cat sub/data.txt; echo "$COLOUR"; ./tool'
    files = {"sub/data.txt": "data\n", "tool": "#!/bin/sh\necho tool\n", "copy": workspace / "report.json"}
    result = run(["sh", "-c", script], stdin="in\n", files=files, env={"COLOUR": "green"})
    assert (result.code, result.out, result.err) == (0, "in\ndata\ngreen\ntool\n", "")
    assert result.files["copy"] == b'{"total": 1274}'
    assert run(["cat", "data.txt"], cwd="sub", files={"sub/data.txt": "deep"}).out == "deep"


def test_every_run_starts_in_an_empty_folder(run):
    assert set(run(["sh", "-c", "echo 1 > left"]).files) == {"left"}
    assert run(["ls", "-A"]).out == ""


def test_what_it_leaves_is_returned_by_type(run):
    script = "mkdir d; echo 1 > d/a; ln -s /tests/truth.json link; ln -s / root; mkfifo pipe; chmod 000 d/a; echo 2 > $'odd\\nname'"
    result = run(["bash", "-c", script])
    assert result.files == {"d/a": b"1\n", "odd\nname": b"2\n"}


def test_too_much_left_fails(run):
    with pytest.raises(FAILS, match="too many or too big"):
        run(["sh", "-c", "seq 1100 | xargs touch"])
    with pytest.raises(FAILS, match="too many or too big"):
        run(["sh", "-c", "head -c 17000000 /dev/zero > big"])


def test_thousands_of_levels_do_no_harm(run):
    script = "import os\nfor i in range(3000):\n    os.mkdir('d'); os.chdir('d')\nopen('deep', 'w').close()"
    assert run(["python3", "-c", script]).files == {}
    assert len(os.listdir("/scratch")) == 0


def test_time_is_limited(run):
    began = time.monotonic()
    result = run(["sh", "-c", "echo begun; sleep 600"], timeout=0.5)
    assert (result.timed_out, result.code, result.out) == (True, -9, "begun\n")
    assert time.monotonic() - began < 10


def test_memory_is_limited(run):
    assert "MemoryError" in run(["python3", "-c", "bytearray(3 << 30)"]).err


def test_the_size_of_files_is_limited(run):
    result = run(
        [
            "python3",
            "-c",
            "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nwith open('/tmp/big', 'wb') as f:\n    while True: f.write(bytes(1 << 20)); f.flush()",
        ]
    )
    assert result.code == -25
    assert os.stat("/tmp/big").st_size == 32 << 20


def test_output_is_limited(run):
    result = run(["sh", "-c", "yes | head -c 5000000; yes | head -c 5000000 >&2; echo end"])
    assert (len(result.out), len(result.err)) == (1 << 20, 1 << 20)


def test_endless_output_ends(run):
    began = time.monotonic()
    result = run(["yes"])
    assert result.code != 0
    assert len(result.out) == 1 << 20
    assert time.monotonic() - began < 20


def test_no_core_is_dumped_and_few_files_are_open(run):
    assert run(["bash", "-c", "ulimit -c; ulimit -n"]).out.split() == ["0", "256"]


def test_it_is_first_in_line_when_memory_runs_out(run):
    assert run(["cat", "/proc/self/oom_score_adj"]).out.strip() == "1000"


@pytest.mark.parametrize("how", ["plain", "undumpable"])
def test_daemons_are_dead_afterwards(run, how):
    result = run(
        ["sh", "-c", "python3 daemon.py $0; while [ ! -e started ]; do sleep 0.02; done", how],
        files={"daemon.py": DAEMON},
    )
    assert "started" in result.files
    assert alive() == []


def test_a_fork_bomb_is_dead_afterwards_and_the_next_program_runs(run):
    bomb = "import os, sys\nwhile True:\n    try: os.fork() or os.setsid()\n    except OSError: pass"
    result = run(["python3", "-c", bomb], timeout=1)
    assert result.timed_out
    assert alive() == []
    assert run(["echo", "next"]).out == "next\n"


def test_a_program_that_stops_itself_is_killed(run):
    assert run(["sh", "-c", "kill -STOP $$"], timeout=0.5).timed_out
    assert alive() == []


def test_processes_are_counted_by_the_container_alone(run):
    """RLIMIT_NPROC counts the user's processes in all containers of the host."""
    assert (
        run(["bash", "-c", "ulimit -u"]).out.strip() in ("unlimited", str(10**9))
        or int(run(["bash", "-c", "ulimit -u"]).out) > 1000
    )
    many = "for i in $(seq 100); do sleep 5 & done; echo well"
    assert run(["bash", "-c", many]).out == "well\n"


def test_what_cannot_be_run_fails(run, workspace):
    for program in ("/nonexistent", str(workspace / "report.json"), "/tests/test_outputs.py"):
        with pytest.raises(FAILS, match="can't be run"):
            run([program])


def test_bytes_that_are_no_text_do_no_harm(run):
    assert run(["printf", "\\377a"]).out == "\ufffda"


def test_a_file_named_by_a_link_is_not_read(run, tmp_path):
    (tmp_path / "link").symlink_to("/tests/truth.json")
    with pytest.raises(FAILS, match="can't be read"):
        run(["cat", "given"], files={"given": tmp_path / "link"})
