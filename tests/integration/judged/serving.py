"""Runs inside a judge: delivered services on loopback."""

import time
from pathlib import Path

import pytest

FAILS = pytest.fail.Exception
HELLO = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("hello " + self.path).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))[::-1]
        self.send_response(201)
        self.send_header("X-Kind", "reversed")
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer.allow_reuse_address = False
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
RAW = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    client, _ = server.accept()
    client.recv(1000)
    client.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin1"))
    time.sleep(float(sys.argv[3]))
    client.close()
"""


def program(*arguments):
    return ["python3", "service.py", *arguments]


def test_it_answers(serve):
    with serve(program("8001"), 8001, files={"service.py": HELLO}) as service:
        answer = service.get("/x?y=1")
        assert (answer.status, answer.body) == (200, "hello /x?y=1")
        posted = service.request("POST", "/", body="abc")
        assert (posted.status, posted.headers["x-kind"], posted.body) == (201, "reversed", "cba")


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_same_port_is_free_for_the_next_service(serve, turn):
    with serve(program("8002"), 8002, files={"service.py": HELLO}) as service:
        assert service.get("/").status == 200


def test_a_service_that_ends_fails_with_its_reason(serve):
    with (
        pytest.raises(FAILS, match=r"exit code 3: went wrong"),
        serve(["sh", "-c", "echo went wrong >&2; exit 3"], 8003),
    ):
        pass


def test_a_service_that_does_not_listen_fails_in_time(serve):
    began = time.monotonic()
    with pytest.raises(FAILS, match="did not listen on port 8004"), serve(["sleep", "60"], 8004, timeout=0.5):
        pass
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "answer",
    [
        "nonsense",
        "HTTP/1.1 200 OK\\r\\nContent-Length: -1\\r\\n\\r\\n",
        "HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n",
        "",
    ],
)
def test_a_wrong_answer_is_a_failure_and_no_hang(serve, answer):
    with serve(program("8005", answer, "0"), 8005, files={"service.py": RAW}, timeout=2) as service:
        try:
            service.get("/")
        except FAILS:
            return
        assert answer.startswith("HTTP")


def test_no_answer_is_a_failure_in_time(serve):
    began = time.monotonic()
    with (
        serve(program("8006", "", "60"), 8006, files={"service.py": RAW}, timeout=1) as service,
        pytest.raises(FAILS, match="no answer"),
    ):
        service.get("/")
    assert time.monotonic() - began < 10


def test_all_of_it_is_dead_afterwards(serve, run):
    script = "(setsid sleep 600 &) ; exec python3 service.py 8007"
    with serve(["sh", "-c", script], 8007, files={"service.py": HELLO}):
        assert run(["echo", "beside"]).out == "beside\n"
    statuses = [path.read_text() for path in Path("/proc").glob("[0-9]*/status")]
    assert not [status for status in statuses if "Uid:\t2000" in status and "State:\tZ" not in status]


def test_a_link_left_beside_a_service_is_not_followed(serve, run):
    """While it lives it may change another program's scratch folder, which root then reads."""
    with serve(program("8008"), 8008, files={"service.py": HELLO}):
        result = run(
            ["sh", "-c", "mkdir real; echo 1 > real/truth.json; ln -s /tests swap; ln -s /tests/truth.json t"]
        )
    assert result.files == {"real/truth.json": b"1\n"}
