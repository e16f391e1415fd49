"""The recorder: what is kept is never asked again, exactly what changed is asked anew, and records travel without keys."""

from __future__ import annotations

import json
import lzma
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llm.clients import MODEL, asking, scripted
from llm.server import KEY, VARIABLE, Reply, Status, in_turn
from typer.testing import CliRunner

from skill2env.cli import app
from skill2env.errors import MissingRecord, ModelError, UsageError
from skill2env.llm.recorder import keep, kept
from skill2env.llm.records import Layer, Recorded
from skill2env.models.chat import Ask, Completion, Message, Sampling, Tokens, Tool
from skill2env.store.results import ResultStore

PARAMS = "llm:\n  endpoints:\n    scripted: {protocol: openai, url: 'http://127.0.0.1:9/v1', key: SKILL2ENV_TEST_KEY}\n"


def _recorded(ask: Ask, text: str) -> Recorded:
    tokens = Tokens(input=3, output=2)
    completion = Completion(
        text=text, finish="stop", model="m", tokens=tokens, money=0.5, seconds=1.5, requests=2
    )
    return Recorded(key=ask.key, ask=ask, completion=completion)


def test_the_second_time_nothing_is_asked(tmp_path: Path) -> None:
    with scripted(lambda request: Reply(f"Answer {request.number}."), tmp_path) as made:
        first = made.client.complete(asking("x"))
        assert made.client.complete(asking("x")) == first
        assert (first.text, made.server.count) == ("Answer 1.", 1)
        assert made.store.count("completion") == 1
    with scripted(lambda _: Reply("Another."), tmp_path) as again:
        assert again.client.complete(asking("x")) == first
        assert again.server.count == 0


LOOK = Tool(name="look", description="Look.", parameters={"type": "object"})
CHANGES: dict[str, Callable[[], Ask]] = {
    "prompt": lambda: asking("X"),
    "model": lambda: asking("x", model="scripted/other"),
    "tools": lambda: asking("x", tools=(LOOK,)),
    "schema": lambda: asking("x", output_schema={"type": "object", "properties": {}}),
    "temperature": lambda: asking("x", sampling=Sampling(temperature=0.5)),
    "max_tokens": lambda: asking("x", sampling=Sampling(max_tokens=9)),
    "sample": lambda: asking("x", sample=1),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_whatever_the_answer_may_depend_on_makes_it_another_request(change: str, tmp_path: Path) -> None:
    with scripted(lambda request: Reply(f"{request.number}"), tmp_path) as made:
        made.client.complete(asking("x"))
        assert made.client.complete(CHANGES[change]()).text == "2"
        assert made.client.complete(asking("x")).text == "1"
        assert made.server.count == 2


def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    with scripted(in_turn(Status(400), Reply("Now.")), tmp_path) as made:
        with pytest.raises(ModelError):
            made.client.complete(asking("x"))
        assert made.store.count("completion") == 0
        assert made.client.complete(asking("x")).text == "Now."


def test_replaying_only_asks_nothing_and_names_what_is_missing(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("Kept."), tmp_path) as made:
        made.client.complete(asking("known"))
    long = "line one\nline two " + "y" * 200
    with scripted(lambda _: Reply("!"), tmp_path, environ={}, replay_only=True) as made:
        made.client.check(MODEL)
        assert made.client.complete(asking("known")).text == "Kept."
        with pytest.raises(MissingRecord) as caught:
            made.client.complete(asking(long))
        assert made.server.count == 0
    told = str(caught.value)
    assert MODEL in told and asking(long).key in told
    assert repr(("line one line two " + "y" * 200)[:80]) in told and "y" * 80 not in told
    assert caught.value.exit_code == 9


def test_threads_that_ask_the_same_make_one_request(tmp_path: Path) -> None:
    def script(_: object) -> Reply:
        time.sleep(0.2)
        return Reply("Once.")

    with scripted(script, tmp_path, endpoint={"concurrency": 8}) as made, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(made.client.complete, [asking("same")] * 8))
        assert made.server.count == 1 and {answer.text for answer in answers} == {"Once."}
        assert made.client._recorder._asking == {}
        rows = {row.outcome: row.spent.completions for row in made.client.ledger.rows()}
    assert rows == {"answered": 1, "replayed": 7}


def test_where_the_first_of_them_fails_the_next_asks_itself(tmp_path: Path) -> None:
    answers, lock = [Status(400), Reply("Second.")], threading.Lock()

    def script(_: object) -> Status | Reply:
        time.sleep(0.1)
        with lock:
            return answers.pop(0)

    with scripted(script, tmp_path) as made, ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(made.client.complete, asking("same")) for _ in range(2)]
        outcomes = sorted(type(future.exception()).__name__ for future in asked)
        assert outcomes == ["ModelError", "NoneType"] and made.server.count == 2


def test_a_whole_run_is_replayed_from_a_file_of_records(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second" / "shared").mkdir(parents=True)
    with scripted(lambda request: Reply(f"{request.number}"), tmp_path / "first") as made:
        answers = [made.client.complete(asking(f"{n}")) for n in range(5)]
        lines = [recorded.line() for recorded in kept(made.store)]
    (tmp_path / "second" / "shared" / "a.jsonl").write_text("".join(lines[:2]))
    (tmp_path / "second" / "b.jsonl").write_text("\n" + "".join(lines[2:]))
    records = ["b.jsonl", "shared"]
    with scripted(lambda _: Reply("!"), tmp_path / "second", replay_only=True, records=records) as made:
        assert [made.client.complete(asking(f"{n}")) for n in range(5)] == answers
        assert made.server.count == 0 and made.store.count("completion") == 0


def test_the_store_comes_before_the_files(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(_recorded(asking("x"), "of the file").line())
    with scripted(lambda _: Reply("!"), tmp_path, records=["r.jsonl"]) as made:
        assert made.client.complete(asking("x")).text == "of the file"
        keep(made.store, _recorded(asking("x"), "of the store"))
        assert made.client.complete(asking("x")).text == "of the store"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"ask": 1}\n', "r.jsonl:2: key: Field required"),
        ("nonsense\n", "r.jsonl:2: not JSON"),
        ('{"key": "' + "0" * 64 + '", "ask": {}}\n', "r.jsonl:2: ask.model"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(line: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(_recorded(asking("y"), "fine").line() + line)
    wanted = "0" * 64 if "0" * 64 in line else asking("x").key
    with (
        scripted(lambda _: Reply("!"), tmp_path, records=["r.jsonl"]) as made,
        pytest.raises(UsageError, match=fault),
    ):
        made.client._recorder._layer.get(wanted)


def test_a_file_that_changes_under_a_run_is_not_taken_for_another_record(tmp_path: Path) -> None:
    first, second = (_recorded(asking(text), "fine") for text in ("x", "y"))
    (tmp_path / "r.jsonl").write_text(first.line() + second.line())
    with scripted(lambda _: Reply("!"), tmp_path, records=["r.jsonl"]) as made:
        made.client.complete(asking("x"))
        (tmp_path / "r.jsonl").write_text(second.line() + first.line())
        with pytest.raises(UsageError, match="changed while it was in use"):
            made.client.complete(asking("y"))


def test_a_missing_file_of_records_is_named(tmp_path: Path) -> None:
    with (
        scripted(lambda _: Reply("!"), tmp_path, records=["gone.jsonl"]) as made,
        pytest.raises(UsageError, match=r"gone\.jsonl is not there"),
    ):
        made.client.complete(asking("x"))


def _workspace(root: Path, *records: Recorded) -> None:
    (root / "data" / "store").mkdir(parents=True)
    (root / "params.yaml").write_text(PARAMS)
    store = ResultStore(root / "data" / "store" / "results.sqlite")
    for recorded in records:
        keep(store, recorded)
    store.put("f" * 64, "task", "another kind", "{}")
    store.close()


def _run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["records", *map(str, words)])
    return done.exit_code, done.output


def test_records_are_exported_and_imported(tmp_path: Path) -> None:
    here, there, file = tmp_path / "a", tmp_path / "b", tmp_path / "r.jsonl"
    ask = asking("ä\ud800\u2028", messages=(Message(role="user", text="ä\ud800\u2028"),))
    made = [_recorded(asking(f"{n}"), f"answer {n}") for n in range(20)] + [_recorded(ask, "ö\ud800")]
    _workspace(here, *made)
    _workspace(there, _recorded(asking("3"), "another answer"))
    assert _run("export", file, "--workspace", here) == (0, f"21 records written to {file}\n")
    keys = [json.loads(line)["key"] for line in file.read_text().splitlines()]
    assert keys == sorted(recorded.key for recorded in made)
    assert _run("import", file, "--workspace", there) == (0, "21 records imported, 0 bad lines passed over\n")
    store = ResultStore(there / "data" / "store" / "results.sqlite")
    assert list(kept(store)) == sorted(made, key=lambda recorded: recorded.key)
    store.close()
    again = tmp_path / "again.jsonl"
    _run("export", again, "--workspace", there)
    assert again.read_bytes() == file.read_bytes()


def test_compressed_records_travel_alike_and_a_conversation_takes_little_more_than_its_last_request(
    tmp_path: Path,
) -> None:
    said = [Message(role="user", text=f"{n} {random.Random(n).randbytes(2000).hex()}") for n in range(50)]
    made = [_recorded(asking("", messages=said[: n + 1]), f"answer {n}") for n in range(50)]
    here, there, file = tmp_path / "a", tmp_path / "b", tmp_path / "r.jsonl.xz"
    _workspace(here, *made)
    _workspace(there)
    assert _run("export", file, "--workspace", here) == (0, f"50 records written to {file}\n")
    once = len(lzma.compress(made[-1].line().encode()))
    assert file.stat().st_size < 1.3 * once < sum(len(each.line()) for each in made) / 30
    assert _run("import", tmp_path, "--workspace", there) == (
        0,
        "50 records imported, 0 bad lines passed over\n",
    )
    layer = Layer([tmp_path])
    assert [layer.get(each.key) for each in made] == [each.completion for each in made]
    layer.close()
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(UsageError, match=r"r\.jsonl\.xz: can't be read"):
        layer.get(made[0].key)


def test_import_names_every_bad_line_and_takes_the_others(tmp_path: Path) -> None:
    good, other = _recorded(asking("x"), "fine"), _recorded(asking("y"), "fine too")
    forged = {**json.loads(good.line()), "key": "0" * 64}
    changed = json.loads(good.line())
    changed["ask"]["messages"][0]["text"] = "z"
    unknown = {**json.loads(good.line()), "note": "hello"}
    lines = [good.line(), json.dumps(forged), "{", json.dumps(changed), json.dumps(unknown), "", other.line()]
    (tmp_path / "w").mkdir()
    _workspace(tmp_path / "w")
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(line.strip() for line in lines))
    code, told = _run("import", file, "--workspace", tmp_path / "w")
    assert code == 1
    assert told.splitlines()[:4] == [
        f"{file}:2: the key is not the content id of what was asked, {good.key}",
        f"{file}:3: not JSON (Expecting property name enclosed in double quotes: line 2 column 1 (char 2))",
        f"{file}:4: the key is not the content id of what was asked, {asking('z').key}",
        f"{file}:5: note: Extra inputs are not permitted",
    ]
    assert told.splitlines()[4:] == ["2 records imported, 4 bad lines passed over"]


def test_a_record_that_holds_a_key_is_not_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    fine, in_ask = _recorded(asking("x"), "fine"), _recorded(asking(f"with {KEY}"), "fine")
    in_answer = _recorded(asking("y"), f"it is {KEY}")
    _workspace(tmp_path / "w", fine, in_ask, in_answer)
    file = tmp_path / "r.jsonl"
    code, told = _run("export", file, "--workspace", tmp_path / "w")
    assert code == 1 and KEY not in told
    assert [json.loads(line)["key"] for line in file.read_text().splitlines()] == [fine.key]
    for recorded in (in_ask, in_answer):
        assert f"left out: the record {recorded.key} holds the value of {VARIABLE}" in told


def test_export_writes_one_file_whole_or_not_at_all(tmp_path: Path) -> None:
    _workspace(tmp_path / "w", _recorded(asking("x"), "fine"))
    done = CliRunner().invoke(app, ["records", "export", "a", "b", "--workspace", str(tmp_path / "w")])
    assert isinstance(done.exception, UsageError)
    target = tmp_path / "folder"
    target.mkdir()
    done = CliRunner().invoke(app, ["records", "export", str(target), "--workspace", str(tmp_path / "w")])
    assert "can't be written" in str(done.exception) and list(tmp_path.glob(".folder*")) == []


def test_replaying_loads_no_library_of_models() -> None:
    code = (
        "import sys, skill2env.llm.client, skill2env.llm.recorder\n"
        "print(sorted({'openai', 'anthropic', 'pydantic_ai'} & set(sys.modules)))"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
