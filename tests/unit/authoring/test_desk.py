"""The desk keeps the order, keeps what is frozen, and touches nothing but the blueprint's files."""

from __future__ import annotations

import json

import pytest

from skill2env.authoring.desk import MAX_FILES, MAX_REOPENED, Desk, Refused, Seen
from skill2env.authoring.tools import MAX_RESULT_CHARS, TOOLS, call
from skill2env.models.chat import ToolCall
from skill2env.models.tree import Tree

YAML = "knobs: {n: {easy: 1}}\nseeds: [1, 2]\nrubric: []\n"
ERROR = "The request asks for totals in euros, and this test compares them with the truth in cents."


class FakeBench:
    """A bench that says what it is told to."""

    def __init__(self) -> None:
        self.good = {"run_world": True, "probe": True, "check": True, "submit": True}
        self.asked: list[str] = []

    def _seen(self, what: str) -> Seen:
        self.asked.append(what)
        return Seen(self.good[what], f"{what} saw it")

    def run_world(self, files: Tree) -> Seen:
        return self._seen("run_world")

    def world_file(self, level: str, path: str) -> str:
        return f"{level} {path}"

    def probe(self, files: Tree) -> Seen:
        return self._seen("probe")

    def check(self, files: Tree, level: str, gates: tuple[str, ...]) -> Seen:
        return self._seen("check")

    def submit(self, files: Tree) -> Seen:
        return self._seen("submit")


@pytest.fixture
def bench() -> FakeBench:
    return FakeBench()


@pytest.fixture
def desk(bench: FakeBench) -> Desk:
    return Desk(bench, {"SKILL.md": "# Skill\nNever guess.\n"}, rounds=9)


def with_world(desk: Desk) -> Desk:
    desk.write_file("blueprint.yaml", YAML)
    desk.write_file("world.py", "def build(world):\n    return {}\n")
    desk.run_world()
    return desk


def frozen(desk: Desk) -> Desk:
    with_world(desk).write_file("tests/test_outputs.py", "def test_total(truth):\n    assert truth\n")
    desk.write_file("instruction.md", "Write the total to /workspace/total.txt.\n")
    desk.freeze()
    assert desk.frozen
    return desk


@pytest.mark.parametrize("path", ["tests/test_outputs.py", "instruction.md"])
def test_nothing_is_tested_or_asked_before_the_world_was_made(desk: Desk, path: str) -> None:
    desk.write_file("blueprint.yaml", YAML)
    desk.write_file("world.py", "def build(world): ...\n")
    with pytest.raises(Refused, match="run_world first"):
        desk.write_file(path, "x")
    desk.run_world()
    desk.write_file("tests/test_outputs.py", "x")


def test_a_world_that_fails_or_was_changed_since_does_not_count(desk: Desk, bench: FakeBench) -> None:
    bench.good["run_world"] = False
    with pytest.raises(Refused, match="run_world first"):
        with_world(desk).write_file("tests/test_outputs.py", "x")
    bench.good["run_world"] = True
    desk.run_world()
    desk.write_file("tests/test_outputs.py", "x")
    for path, text in (
        ("world.py", "changed"),
        ("world/data.csv", "a"),
        ("blueprint.yaml", YAML.replace("1}", "2}")),
    ):
        desk.write_file(path, text)
        with pytest.raises(Refused, match="run_world first"):
            desk.write_file("tests/test_outputs.py", "y")
        desk.run_world()
    desk.write_file(
        "blueprint.yaml",
        YAML.replace("2}", "2}").replace("rubric: []", "rubric: [later]").replace("1}", "2}"),
    )
    desk.write_file("tests/test_outputs.py", "the rubric makes no other world")


def test_the_request_comes_after_the_tests(desk: Desk) -> None:
    with pytest.raises(Refused, match="the request says what the tests demand"):
        with_world(desk).write_file("instruction.md", "x")


@pytest.mark.parametrize("path", ["solutions/reference.sh", "mistakes/slip.sh"])
def test_no_answer_before_the_verifier_is_frozen(desk: Desk, path: str) -> None:
    with pytest.raises(Refused, match="not frozen"):
        with_world(desk).write_file(path, "true")
    frozen(desk).write_file(path, "true")


@pytest.mark.parametrize(
    "path", ["blueprint.yaml", "world.py", "world/a.csv", "tests/test_outputs.py", "instruction.md"]
)
def test_what_is_frozen_is_neither_written_nor_removed(desk: Desk, path: str) -> None:
    frozen(desk)
    before = dict(desk.files)
    with pytest.raises(Refused, match="is frozen"):
        desk.write_file(path, "weaker")
    if path in desk.files:
        text = desk.files[path].data.decode()
        with pytest.raises(Refused, match="is frozen"):
            desk.replace(path, text, "weaker")
        with pytest.raises(Refused, match="is frozen"):
            desk.delete_file(path)
    assert desk.files == before


def test_what_the_verifier_lacks_keeps_it_from_freezing(desk: Desk, bench: FakeBench) -> None:
    with pytest.raises(Refused, match="there is no tests/test_outputs.py, no instruction.md"):
        with_world(desk).freeze()
    desk.write_file("tests/test_outputs.py", "x")
    desk.write_file("instruction.md", "x")
    bench.good["probe"] = False
    assert "mend this first" in desk.freeze()
    assert not desk.frozen


@pytest.mark.parametrize(
    ("file", "quote", "error", "told"),
    [
        ("tests/test_outputs.py", "nowhere there", ERROR, "quote, word for word"),
        ("tests/test_outputs.py", "def", ERROR, "8 characters"),
        ("solutions/reference.sh", "true true true", ERROR, "frozen file"),
        ("tests/test_outputs.py", "assert truth", "my solution fails", "contradicts"),
        ("nothing.py", "assert truth", ERROR, "there is no 'nothing.py'"),
    ],
)
def test_reopening_needs_a_stated_factual_error(
    desk: Desk, file: str, quote: str, error: str, told: str
) -> None:
    frozen(desk).write_file("solutions/reference.sh", "true true true")
    with pytest.raises(Refused, match=told):
        desk.reopen(file, quote, error)
    assert desk.frozen
    assert not desk.reopened


def test_reopenings_are_counted_and_bounded(desk: Desk) -> None:
    frozen(desk)
    for _ in range(MAX_REOPENED):
        desk.reopen("tests/test_outputs.py", "assert truth", ERROR)
        with pytest.raises(Refused, match="freeze the verifier first"):
            desk.submit()
        desk.freeze()
    with pytest.raises(Refused, match="no more is allowed"):
        desk.reopen("tests/test_outputs.py", "assert truth", ERROR)
    assert [entry.quote for entry in desk.reopened] == ["assert truth"] * MAX_REOPENED


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "world/../../x",
        "world//x",
        "world/./x",
        "tests/conftest.py",
        "tests/test_outputs.py/x",
        "solutions/../tests/test_outputs.py",
        "README.md",
        "world/a\nb",
        "",
    ],
)
def test_only_files_of_a_blueprint_are_written(desk: Desk, path: str) -> None:
    with pytest.raises(Refused, match="is no file of a blueprint"):
        frozen(desk).write_file(path, "x")


def test_amounts_are_bounded(desk: Desk) -> None:
    with pytest.raises(Refused, match="write a smaller one"):
        desk.write_file("world.py", "x" * 200_001)
    for number in range(MAX_FILES):
        desk.write_file(f"world/{number}", "x")
    with pytest.raises(Refused, match="do with fewer"):
        desk.write_file("world/one-more", "x")
    desk.write_file("world/0", "an existing one may be written again")


def test_replace_wants_one_place(desk: Desk) -> None:
    desk.write_file("world.py", "a = 1\nb = 1\n")
    with pytest.raises(Refused, match="stands 2 times"):
        desk.replace("world.py", "= 1", "= 2")
    desk.replace("world.py", "a = 1", "a = 2")
    assert desk.files["world.py"].data == b"a = 2\nb = 1\n"


def test_the_skill_is_read_by_lines(desk: Desk) -> None:
    assert desk.read_skill(first=2) == "   2 Never guess."
    with pytest.raises(Refused, match="it has SKILL.md"):
        desk.read_skill("/etc/passwd")


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("run", "{}", "there is no tool 'run'"),
        ("__init__", "{}", "there is no tool"),
        ("_may_write", '{"path": "x"}', "there is no tool"),
        ("write_file", "{", "Invalid JSON"),
        ("write_file", "[]", "error:"),
        ("write_file", '{"path": "world.py"}', "text: Field required"),
        ("write_file", '{"path": "world.py", "text": 3}', "text: Input should be a valid string"),
        ("write_file", '{"path": "world.py", "text": "x", "mode": 1}', "mode: Extra inputs"),
        ("freeze", "", "is not whole"),
        ("submit", "{}", "freeze the verifier first"),
    ],
)
def test_a_bad_call_is_answered_and_changes_nothing(desk: Desk, name: str, arguments: str, told: str) -> None:
    result = call(desk, ToolCall(id="1", name=name, arguments=arguments))
    assert result.startswith("error: ")
    assert told in result
    assert not desk.files


def test_a_good_call_does_what_the_tool_says(desk: Desk) -> None:
    asked = ToolCall(id="1", name="write_file", arguments=json.dumps({"path": "world.py", "text": "x = 1\n"}))
    assert call(desk, asked) == "world.py is written: 1 lines"
    long = Desk(desk.bench, {"SKILL.md": "word " * 20_000}, rounds=1)
    told = call(long, ToolCall(id="2", name="read_skill", arguments="{}"))
    assert len(told) < MAX_RESULT_CHARS + 100
    assert "characters left out" in told


def test_every_tool_has_a_schema_and_a_description() -> None:
    for tool in TOOLS:
        assert tool.description.endswith(".")
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
    schemas = {tool.name: tool.parameters for tool in TOOLS}
    assert schemas["write_file"]["required"] == ["path", "text"]
    assert "required" not in schemas["read_skill"]
