"""The engine's frames, over a socket of our own."""

from __future__ import annotations

import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill2env.errors import EngineError
from skill2env.sandbox import streams
from skill2env.sandbox.streams import FramedStream


def frame(payload: bytes, stream: int = 1) -> bytes:
    return struct.pack(">BxxxL", stream, len(payload)) + payload


@pytest.fixture
def ends() -> Iterator[tuple[FramedStream, socket.socket]]:
    ours, engines = socket.socketpair()
    yield FramedStream(ours), engines
    engines.close()


def everything(stream: FramedStream) -> bytes:
    found = bytearray()
    while part := stream.receive(5):
        found += part
    return bytes(found)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.binary(max_size=50), max_size=8), st.integers(1, 40))
def test_payloads_come_whole_however_they_are_cut(payloads: list[bytes], size: int) -> None:
    ours, engines = socket.socketpair()
    data = b"".join(frame(payload, 1 + number % 2) for number, payload in enumerate(payloads))
    stream = FramedStream(ours)
    found = bytearray()
    for at in range(0, len(data), size):
        engines.sendall(data[at : at + size])
        try:
            found += stream.receive(0)
        except TimeoutError:
            continue
    engines.close()
    found += everything(stream)
    stream.close()
    assert found == b"".join(payloads)


def test_a_part_of_a_payload_is_told_at_once(ends: tuple[FramedStream, socket.socket]) -> None:
    stream, engine = ends
    engine.sendall(struct.pack(">BxxxL", 1, 1 << 31) + b"begun")
    assert stream.receive(1) == b"begun"


def test_silence_is_a_time_out_in_time(ends: tuple[FramedStream, socket.socket]) -> None:
    stream, engine = ends
    engine.sendall(b"\1\0\0")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        stream.receive(0.2)
    assert 0.1 < time.monotonic() - began < 3


def test_the_end_is_told_again_and_again(ends: tuple[FramedStream, socket.socket]) -> None:
    stream, engine = ends
    engine.close()
    assert [stream.receive(1), stream.receive(1)] == [b"", b""]


def test_what_is_sent_arrives_without_frames(ends: tuple[FramedStream, socket.socket]) -> None:
    stream, engine = ends
    data = os.urandom(3_000_000)
    received = bytearray()

    def listen() -> None:
        while len(received) < len(data):
            received.extend(engine.recv(1 << 16))

    thread = threading.Thread(target=listen)
    thread.start()
    stream.send(data)
    thread.join(10)
    assert received == data


def test_a_process_that_takes_nothing_is_an_error(
    ends: tuple[FramedStream, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_SEND_SEC", 0.1)
    with pytest.raises(EngineError, match="takes no input"):
        ends[0].send(bytes(10 << 20))


def test_a_closed_input_is_an_error(ends: tuple[FramedStream, socket.socket]) -> None:
    stream, engine = ends
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        for _ in range(10):
            stream.send(b"x" * 100_000)


def test_closing_twice_does_no_harm(ends: tuple[FramedStream, socket.socket]) -> None:
    ends[0].close()
    ends[0].close()
    assert ends[0].receive(0.1) == b""
    with pytest.raises(EngineError):
        ends[0].send(b"x")


def test_closing_ends_the_connection_although_the_sdk_holds_it() -> None:
    ours, engines = socket.socketpair()
    connection = ours.makefile("rb", buffering=0)
    stream = FramedStream(connection)
    stream.close()
    engines.settimeout(2)
    assert engines.recv(1) == b""


def test_high_file_numbers_work() -> None:
    """select() refuses them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip(f"this process may open {hard} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    ours, engines = socket.socketpair()
    high = socket.socket(fileno=os.dup2(ours.fileno(), 1150))
    stream = FramedStream(high)
    engines.sendall(frame(b"high"))
    assert stream.receive(1) == b"high"
    stream.send(b"back")
    assert engines.recv(4) == b"back"
    stream.close()
    ours.close()
    engines.close()
