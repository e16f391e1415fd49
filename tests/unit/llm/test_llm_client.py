"""The client: what goes over the wire, limits, keys that never show, and threads."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from llm.clients import asking, scripted
from llm.server import KEY, VARIABLE, Reply, Silence, Status, in_turn, refused_key, too_many

from skill2env.errors import EndpointUnusable, ModelError, UsageError
from skill2env.llm.recorder import kept
from skill2env.models.chat import Message, Sampling, Tokens, Tool, ToolCall

BOTH = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
LOOK = Tool(
    name="look",
    description="Look at a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}},
)


@BOTH
def test_a_whole_conversation_arrives_as_it_was_meant(protocol: str, tmp_path: Path) -> None:
    call = ToolCall(id="c1", name="look", arguments='{"path":"a.txt"}')
    messages = (
        Message(role="system", text="Be brief."),
        Message(role="user", text="What is in a.txt?"),
        Message(role="assistant", text="I look.", calls=(call,)),
        Message(role="tool", call_id="c1", text="42"),
        Message(role="user", text="Well?"),
    )
    reply = Reply("It holds 42.", tokens=Tokens(input=50, cached=20, output=5))
    sampling = Sampling(temperature=0, max_tokens=77)
    with scripted(lambda _: reply, tmp_path, protocol) as made:
        ask = asking("", messages=messages, tools=(LOOK,), sampling=sampling)
        completion = made.client.complete(ask)
        (request,) = made.server.requests
    said = [message.model_copy(update={"calls": ()}) for message in request.messages]
    assert said == [message.model_copy(update={"calls": ()}) for message in messages]
    (arrived,) = request.messages[2].calls
    assert (arrived.id, arrived.name, json.loads(arrived.arguments)) == ("c1", "look", {"path": "a.txt"})
    assert (request.model, request.tools, request.streamed, request.key) == ("model", ("look",), True, KEY)
    assert (request.body["max_tokens"], request.body["temperature"]) == (77, 0)
    assert (completion.text, completion.finish, completion.model) == ("It holds 42.", "stop", "model")
    assert completion.tokens == Tokens(input=50, cached=20, output=5)
    assert completion.requests == 1 and completion.made_on is not None


@BOTH
def test_calls_come_back_with_their_arguments_as_written(protocol: str, tmp_path: Path) -> None:
    calls = (
        ToolCall(id="a", name="look", arguments='{"path": "x"}'),
        ToolCall(id="b", name="look", arguments='{"pa'),
    )
    with scripted(lambda _: Reply("Two looks.", calls=calls), tmp_path, protocol) as made:
        completion = made.client.complete(asking("Look.", tools=(LOOK,)))
    assert (completion.text, completion.finish, completion.calls) == ("Two looks.", "tools", calls)


@BOTH
def test_what_was_cut_at_the_limit_says_so(protocol: str, tmp_path: Path) -> None:
    with scripted(lambda _: Reply("It is a", finish="length"), tmp_path, protocol) as made:
        assert made.client.complete(asking("Tell.")).finish == "length"
        assert made.server.count == 1


def test_an_address_gets_what_every_server_understands(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("{}"), tmp_path) as made:
        made.client.complete(asking("x", output_schema={"type": "object", "properties": {}}))
        body = made.server.requests[0].body
    assert body["max_tokens"] == 8192 and "max_completion_tokens" not in body
    assert body["response_format"]["type"] == "json_schema"


@BOTH
def test_without_an_address_it_is_the_vendors(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, protocol, {"url": ""}) as made:
        # The vendors' clients take the place of their address from here.
        monkeypatch.setenv(f"{protocol.upper()}_BASE_URL", made.server.url(protocol))
        assert made.client.complete(asking("x")).text == "x"
        body = made.server.requests[0].body
    assert ("max_completion_tokens" in body) == (protocol == "openai")


def test_where_the_endpoint_has_no_schemas_the_model_is_told(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    with scripted(lambda _: Reply("{}"), tmp_path, "anthropic", {"structure": "told"}) as made:
        made.client.complete(asking("x", output_schema=schema))
        (request,) = made.server.requests
    assert request.schema is None
    assert "colour" in request.messages[0].text


def test_a_model_that_can_not_do_schemas_is_a_clear_sentence(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("{}"), tmp_path, "anthropic") as made:
        with pytest.raises(UsageError, match="scripted/model: Native structured output is not supported"):
            made.client.complete(asking("x", output_schema={"type": "object", "properties": {}}))
        assert made.server.count == 0


def test_half_characters_are_no_reason_to_fail(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("Fine."), tmp_path) as made:
        assert made.client.complete(asking("a\ud800b")).text == "Fine."
        assert made.server.requests[0].messages[0].text == "a?b"
        (recorded,) = kept(made.store)
    assert recorded.ask.messages[0].text == "a\ud800b"


@pytest.mark.parametrize("name", ["nobody/model", "model", "scripted/", "scripted"])
def test_a_wrong_name_of_a_model_says_what_to_write(name: str, tmp_path: Path) -> None:
    with (
        scripted(lambda _: Reply("x"), tmp_path) as made,
        pytest.raises(UsageError, match=r"llm\.endpoints \(scripted\)"),
    ):
        made.client.check(name)


def test_a_missing_key_is_named_before_anything_is_sent(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, environ={}) as made:
        with pytest.raises(UsageError, match=f"the environment variable {VARIABLE} is not set"):
            made.client.complete(asking("x"))
        assert made.server.count == 0


@BOTH
def test_the_vendors_own_variables_are_never_sent(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "somebody-elses-key")
    with scripted(lambda _: Reply("x"), tmp_path, protocol, {"key": ""}) as made:
        made.client.complete(asking("x"))
        assert made.server.requests[0].key == "none"


@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        refused_key,
        lambda request: Status(401, f"Incorrect API key: {request.key[:12]}*****"),
        lambda request: Status(400, f"bad header: Bearer {request.key}"),
        lambda request: Status(500, f"panic with {request.key}"),
        lambda request: Status(404, f"no model for {request.key}"),
    ],
    ids=["401", "401 with a part", "400", "500", "404"],
)
def test_an_endpoint_that_repeats_the_key_does_not_get_it_into_ours(
    protocol: str, answer: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        scripted(answer, tmp_path, protocol) as made,  # type: ignore[arg-type]
        pytest.raises(ModelError) as caught,
    ):
        made.client.complete(asking("x"))
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(made.client._keys)
    assert KEY[:12] not in told
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    assert KEY not in "".join(record.getMessage() for record in caplog.records)


@BOTH
def test_a_model_that_repeats_the_key_does_not_get_it_into_the_records(protocol: str, tmp_path: Path) -> None:
    call = ToolCall(id="a", name="look", arguments=json.dumps({"path": KEY}))
    with scripted(lambda _: Reply(f"Your key is {KEY}.", calls=(call,)), tmp_path, protocol) as made:
        completion = made.client.complete(asking("x", tools=(LOOK,)))
        (recorded,) = kept(made.store)
    assert completion.text == "Your key is [key]."
    assert KEY not in recorded.line() and "[key]" in recorded.completion.calls[0].arguments
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


def test_a_request_that_holds_the_key_is_not_sent(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path) as made:
        with pytest.raises(UsageError, match=f"the request holds the value of {VARIABLE}") as caught:
            made.client.complete(asking(f"My key is {KEY}."))
        assert made.server.count == 0 and KEY not in str(caught.value)


def test_a_short_placeholder_is_no_secret(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("EMPTY"), tmp_path, environ={VARIABLE: "EMPTY"}) as made:
        assert made.client.complete(asking("EMPTY?")).text == "EMPTY"
        assert made.server.requests[0].key == "EMPTY"


def test_nobody_listening_is_tried_again_and_then_said(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, endpoint={"url": "http://127.0.0.1:9/v1"}) as made:
        with pytest.raises(ModelError, match="could not be made .3 tries."):
            made.client.complete(asking("x"))
        assert made.client.ledger.now().requests == 3


def test_an_unknown_model_ends_the_run(tmp_path: Path) -> None:
    with (
        scripted(lambda _: Status(404, "no such model"), tmp_path) as made,
        pytest.raises(EndpointUnusable, match="no such model"),
    ):
        made.client.complete(asking("x"))


def test_no_more_requests_are_open_than_allowed(tmp_path: Path) -> None:
    lock, open_now, most = threading.Lock(), 0, 0

    def script(_: object) -> Reply:
        nonlocal open_now, most
        with lock:
            open_now += 1
            most = max(most, open_now)
        time.sleep(0.03)
        with lock:
            open_now -= 1
        return Reply("x")

    with (
        scripted(script, tmp_path, endpoint={"concurrency": 2}) as made,
        ThreadPoolExecutor(8) as pool,
    ):
        list(pool.map(made.client.complete, [asking(f"{n}") for n in range(12)]))
    assert most == 2


def test_requests_are_as_far_apart_as_the_limit_says(tmp_path: Path) -> None:
    with (
        scripted(lambda _: Reply("x"), tmp_path, endpoint={"requests_per_minute": 600}) as made,
        ThreadPoolExecutor(4) as pool,
    ):
        made.client.complete(asking("first"))
        list(pool.map(made.client.complete, [asking(f"{n}") for n in range(5)]))
        at = made.server.at
    assert at[-1] - at[0] >= 0.4


def test_all_threads_wait_where_the_endpoint_asks_one_to(tmp_path: Path) -> None:
    script = in_turn(too_many(1), Reply("x"))
    with scripted(script, tmp_path, endpoint={"max_wait_sec": 2}) as made, ThreadPoolExecutor(2) as pool:
        first = pool.submit(made.client.complete, asking("first"))
        while not made.server.count:
            time.sleep(0.005)
        time.sleep(0.1)
        pool.submit(made.client.complete, asking("second")).result()
        first.result()
        at = made.server.at
    assert at[1] - at[0] >= 0.9


def test_waits_grow_and_differ(tmp_path: Path) -> None:
    endpoint = {"tries": 4, "first_wait_sec": 0.05, "max_wait_sec": 5}
    with scripted(lambda _: Status(500), tmp_path, endpoint=endpoint) as made:
        with pytest.raises(ModelError):
            made.client.complete(asking("x"))
        at = made.server.at
    waits = [later - earlier for earlier, later in pairwise(at)]
    assert all(wait >= least for wait, least in zip(waits, (0.05, 0.1, 0.2), strict=True))
    assert all(wait <= 0.05 * 2**number + 0.05 + 0.15 for number, wait in enumerate(waits))


def test_closing_ends_requests_that_are_under_way(tmp_path: Path) -> None:
    endpoint = {"idle_sec": 30, "total_sec": 30, "tries": 1}
    with ThreadPoolExecutor(1) as pool, scripted(lambda _: Silence(), tmp_path, endpoint=endpoint) as made:
        waiting = pool.submit(made.client.complete, asking("x"))
        while not made.server.count:
            time.sleep(0.005)
        made.client.close()
        with pytest.raises(ModelError, match="closed while a request was under way"):
            waiting.result(timeout=5)


def test_no_key_is_needed_where_none_is_named(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, endpoint={"key": ""}, environ={}) as made:
        assert made.client.complete(asking("x")).text == "x"
