"""A session ends with a blueprint, given up, or at a bound; whatever the model says, nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from unit.authoring.test_desk import YAML, FakeBench

from skill2env.authoring.desk import Desk
from skill2env.authoring.session import Bounds, hold
from skill2env.models.chat import Ask, Completion, Message, Sampling, Spent, Tokens, ToolCall

BOUNDS = Bounds(turns=20, tokens=10_000)
OPENING = (Message(role="system", text="Write."), Message(role="user", text="Go."))
Turn = tuple[str, dict[str, object]]

VERIFIER: list[Turn] = [
    ("write_file", {"path": "blueprint.yaml", "text": YAML}),
    ("write_file", {"path": "world.py", "text": "def build(world): ...\n"}),
    ("run_world", {}),
    ("write_file", {"path": "tests/test_outputs.py", "text": "def test_total(truth): assert truth\n"}),
    ("write_file", {"path": "instruction.md", "text": "Write the total.\n"}),
    ("freeze", {}),
]
WHOLE: list[Turn] = [
    *VERIFIER,
    ("write_file", {"path": "solutions/reference.sh", "text": "true\n"}),
    ("submit", {}),
]


class Scripted:
    """A model that says what it was told to, and afterwards nothing."""

    def __init__(self, *turns: Completion | Sequence[Turn]) -> None:
        self.turns = list(turns)
        self.asks: list[Ask] = []

    def complete(self, ask: Ask) -> Completion:
        self.asks.append(ask)
        turn = self.turns.pop(0) if self.turns else said()
        return turn if isinstance(turn, Completion) else said(*turn)


def said(
    *calls: Turn, finish: str = "tools", text: str = "", tokens: int = 100, money: float | None = 0.5
) -> Completion:
    asked = tuple(
        ToolCall(id=str(number), name=name, arguments=json.dumps(arguments))
        for number, (name, arguments) in enumerate(calls)
    )
    return Completion(
        text=text,
        calls=asked,
        finish=finish if calls or finish != "tools" else "stop",  # type: ignore[arg-type]
        model="m",
        tokens=Tokens(input=tokens, output=1),
        money=money,
        seconds=2.0,
        requests=1,
    )


def held(model: Scripted, bench: FakeBench | None = None, bounds: Bounds = BOUNDS) -> tuple[str, Desk, Spent]:
    desk = Desk(bench or FakeBench(), {"SKILL.md": "# Skill\n"}, rounds=2)
    held = hold(desk, model, "scripted/m", OPENING, bounds, Sampling())
    return held.reason, desk, held.spent


def test_a_blueprint_that_everything_accepts_ends_the_session() -> None:
    model = Scripted([WHOLE[0]], [WHOLE[1], WHOLE[2]], WHOLE[3:])
    reason, desk, spent = held(model)
    assert (reason, desk.accepted, desk.submissions, spent.completions) == ("", True, 1, 3)
    assert (spent.tokens, spent.money, spent.seconds) == (Tokens(input=300, output=3), 1.5, 6.0)
    last = model.asks[-1].messages
    assert [message.role for message in last] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "tool",
    ]
    assert [message.call_id for message in last if message.role == "tool"] == ["0", "0", "1"]


def test_a_refusal_of_the_gates_comes_back_and_can_be_mended() -> None:
    bench = FakeBench()
    bench.good["submit"] = False
    mended = Scripted(WHOLE)
    complete = mended.complete

    def then_good(ask: Ask) -> Completion:
        if len(mended.asks) == 1:
            assert "submit saw it" in ask.messages[-1].text
            bench.good["submit"] = True
            mended.turns = [said(("submit", {}))]
        return complete(ask)

    mended.complete = then_good  # type: ignore[method-assign]
    reason, desk, _ = held(mended, bench)
    assert (reason, desk.submissions) == ("", 2)


def test_refused_again_and_again_it_is_given_up() -> None:
    bench = FakeBench()
    bench.good["submit"] = False
    reason, desk, spent = held(Scripted(WHOLE, [("submit", {})], [("submit", {})]), bench)
    assert reason == "2 submissions were refused, and no more are allowed"
    assert (desk.submissions, spent.completions, desk.last.text) == (2, 2, "submit saw it")


def test_several_submissions_in_one_message_are_bounded_too() -> None:
    bench = FakeBench()
    bench.good["submit"] = False
    reason, desk, _ = held(Scripted([*WHOLE, *[("submit", {})] * 50]), bench)
    assert "submissions were refused" in reason
    assert desk.submissions == 2


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        (Bounds(turns=3, tokens=10_000), "3 turns are spent"),
        (Bounds(turns=20, tokens=250), "250 tokens are spent: 303"),
    ],
)
def test_an_author_that_never_gets_there_is_ended(bounds: Bounds, told: str) -> None:
    model = Scripted(*[[("list_files", {})]] * 100)
    reason, _, spent = held(model, bounds=bounds)
    assert told in reason
    assert spent.completions == 3


def test_the_reason_for_giving_up_is_kept() -> None:
    reason, desk, _ = held(Scripted([("give_up", {"reason": "it needs an account"}), ("submit", {})]))
    assert reason == "the author gave up: it needs an account"
    assert desk.submissions == 0


def test_silence_is_answered_and_then_ended() -> None:
    model = Scripted(said(text="I think about it."))
    reason, _, spent = held(model)
    assert reason == "the author called no tool 4 times in a row"
    assert spent.completions == 4
    assert model.asks[1].messages[-1].text.startswith("Call a tool")


def test_a_refusing_model_and_a_cut_message() -> None:
    assert held(Scripted(said(finish="refused", text="I can't.")))[0] == "the model declined to go on"
    model = Scripted(said(WHOLE[0], finish="length"))
    _, desk, _ = held(model)
    assert not desk.files
    assert "cut off" in model.asks[1].messages[-1].text


def test_unknown_prices_make_the_sum_unknown() -> None:
    _, _, spent = held(Scripted(said(WHOLE[0], money=None), said(("give_up", {"reason": "no more of it"}))))
    assert spent.unpriced == 1


def test_an_author_that_weakens_frozen_tests_changes_nothing() -> None:
    weaker = ("write_file", {"path": "tests/test_outputs.py", "text": "def test_total(): assert True\n"})
    reopen = (
        "reopen",
        {"file": "tests/test_outputs.py", "quote": "assert truth", "error": "the reference does not pass"},
    )
    _, desk, _ = held(Scripted([*VERIFIER, weaker, reopen, weaker]))
    assert desk.files["tests/test_outputs.py"].data == b"def test_total(truth): assert truth\n"
    assert not desk.reopened
