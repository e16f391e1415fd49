"""Runs inside a judge twice: the first set leaves all the traces that it can, the second must find none of them."""

import contextlib
import os
import socket
import stat
from pathlib import Path

import pytest

LEAVE = r"""
import ctypes, fcntl, os, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
left = []

def places():
    seen = set()
    for place, folders, _ in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(place, name) not in ("/proc", "/sys")]
        if os.access(place, os.W_OK):
            yield place

for place in list(places()):
    try:
        os.makedirs(f"{place}/left/" + "d/" * 50)
        os.mkdir(f"{place}/left/sticky"); open(f"{place}/left/sticky/file", "w").close(); os.chmod(f"{place}/left/sticky", 0o1777)
        open(f"{place}/left/locked", "w").close(); os.chmod(f"{place}/left/locked", 0)
        os.symlink("/tests", f"{place}/left/link"); os.mkfifo(f"{place}/left/fifo")
        os.mkdir(f"{place}/left/closed", 0o000)
        socket.socket(socket.AF_UNIX).bind(f"{place}/left.sock")
        for name in ("pytest-of-root", "conftest.py", "sitecustomize.py", "-rf", "new\nline", ".hidden"):
            open(f"{place}/{name}", "w").close()
        left.append(place)
    except OSError as error:
        print(place, error)
handle = libc.mq_open(b"/left", os.O_CREAT | os.O_RDWR, 0o666, None)
print("message queue", handle)
for key in range(3):
    print("shm", libc.shmget(77 + key, 4096, 0o1666), "sem", libc.semget(77 + key, 1, 0o1666), "msg", libc.msgget(77 + key, 0o1666))
port = socket.socket(); port.bind(("127.0.0.1", 7777)); port.listen()
client = socket.create_connection(("127.0.0.1", 7777)); server, _ = port.accept()
server.close(); client.close(); port.close()
daemon = "import ctypes, os, socket, sys, time\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\na = socket.socket(socket.AF_UNIX); a.bind('\\0left')\nb = socket.create_server(('127.0.0.1', 7778))\nprint('up', flush=True)\nsys.stdout.close(); time.sleep(1000)"
process = subprocess.Popen([sys.executable, "-c", daemon], stdout=subprocess.PIPE, start_new_session=True)
process.stdout.readline()
print("left", sorted(left))
"""
LOOK = r"""
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
for kind in ("shm", "sem", "msg"):
    print(kind, len(open(f"/proc/sysvipc/{kind}").readlines()) - 1)
print("queues", os.listdir("/dev/mqueue"))
for port in (7777, 7778):
    socket.socket().bind(("127.0.0.1", port)); print("port", port)
socket.socket(socket.AF_UNIX).bind("\0left"); print("abstract")
"""


@pytest.fixture
def phase(workspace):
    return (workspace / "report.json").read_text()


def test_traces(run, phase):
    if phase == "leave":
        result = run(["python3", "leave.py"], files={"leave.py": LEAVE}, timeout=60)
        assert result.code == 0, result.err
        for place in ("/tmp", "/var/tmp", "/dev/shm"):
            assert place in result.out.rpartition("left [")[2]
        assert "shm -1" not in result.out and "sem -1" not in result.out and "msg -1" not in result.out
        assert "message queue -1" not in result.out
        Path("/tmp/of-root").write_text("root's own trace")
        return
    result = run(["python3", "look.py"], files={"look.py": LOOK})
    assert result.err == ""
    assert result.out.splitlines() == [
        "shm 0",
        "sem 0",
        "msg 0",
        "queues []",
        "port 7777",
        "port 7778",
        "abstract",
    ]


def test_nothing_belongs_to_the_other_user(phase):
    if phase == "leave":
        return
    found = []
    for place, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(place, name) not in ("/proc", "/sys")]
        for name in (*folders, *names):
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                if 2000 in (status.st_uid, status.st_gid):
                    found.append(os.path.join(place, name))
                elif (
                    stat.S_ISDIR(status.st_mode)
                    and status.st_mode & 0o002
                    and os.listdir(os.path.join(place, name))
                ):
                    found.append(f"{os.path.join(place, name)} is not empty")
    assert found == []


def test_nobody_runs_as_the_other_user(phase):
    if phase == "leave":
        return
    statuses = [path.read_text() for path in Path("/proc").glob("[0-9]*/status")]
    assert not [status for status in statuses if "Uid:\t2000" in status and "State:\tZ" not in status]


def test_places_are_as_they_were(phase):
    assert {
        path: oct(os.stat(path).st_mode) for path in ("/tmp", "/scratch", "/outputs", "/tests", "/dev/shm")
    } == {
        "/tmp": "0o41777",
        "/scratch": "0o40711",
        "/outputs": "0o40755",
        "/tests": "0o40700",
        "/dev/shm": "0o41777",
    }


def test_clocks_names_and_limits_cannot_be_changed(run):
    script = "hostname other; date -s 2020-01-01; echo 1 > /proc/sys/kernel/panic; renice -5 $$; nice -n -5 true; mount -t tmpfs x /mnt; ulimit -n 5000"
    result = run(["bash", "-c", script])
    assert socket.gethostname() == "workstation"
    assert len(result.err.splitlines()) >= 7
